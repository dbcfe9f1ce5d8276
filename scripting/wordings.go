package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/program"
)

// wordings are the errors that read otherwise in older releases of Redis, and in Valkey.
var wordings = append([]command.Wording{
	{Before: "7.4.0 valkey:8.0.0", Error: errLogLevel, Was: "ERR Invalid debug level."},
	{Before: "7.2.0", Error: errOldLibrary, Was: "ERR Failed loading library name"},
	{Before: "7.2.0", Error: errReplArgs, Was: "ERR redis.set_repl() requires two arguments."},
	{Since: "valkey:9.1.0", Error: errFailed, Was: "%s script: on %[3]s:%[4]d."},
	{Since: "valkey:9.1.0", Error: engine.ErrScriptDenied, Was: "ERR This Valkey command is not allowed from script"},
	{Before: "7.0.0", Error: errNoArgs, Was: "ERR Please specify at least one argument for redis.call()"},
	{Before: "7.0.0", Error: errArgType, Was: "ERR Lua redis() command arguments must be strings or integers"},
	{Before: "7.0.0", Error: errUnknown, Was: "ERR Unknown Redis command called from Lua script"},
	{Before: "7.0.0", Error: errArgCount, Was: "ERR Wrong number of args calling Redis command From Lua script"},
	{Before: "7.0.0", Error: engine.ErrScriptDenied, Was: "ERR This Redis command is not allowed from scripts"},
}, ofValkey([][2]command.Error{
	{engine.ErrNoScript, errNotCached},
	{errBusyScript, "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."},
	{errBusyFunction, "BUSY Valkey is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."},
	{program.ErrShebangEngine, "ERR Could not find scripting engine '%s'"},
	{errNotLoading, "ERR server.register_function can only be called on FUNCTION LOAD command"},
	{errRegisterArgs, "ERR wrong number of arguments to server.register_function"},
	{errRegisterOne, "ERR calling server.register_function with a single argument is only applicable to Lua table " +
		"(representing named arguments)."},
	{errRegisterName, "ERR first argument to server.register_function must be a string"},
	{errRegisterRun, "ERR second argument to server.register_function must be a function"},
	{errNamedKey, "ERR named argument key given to server.register_function is not a string"},
	{errNamedText, "ERR %s argument given to server.register_function must be a string"},
	{errNamedRun, "ERR callback argument given to server.register_function must be a function"},
	{errNamedFlags, "ERR flags argument to server.register_function must be a table representing function flags"},
	{errNamedUnknown, "ERR unknown argument given to server.register_function"},
	{errNamedNoName, "ERR server.register_function must get a function name argument"},
	{errNamedNoRun, "ERR server.register_function must get a callback argument"},
	{errNoArgs, "ERR Please specify at least one argument for this call"},
	{errArgType, "ERR Command arguments must be strings or integers"},
	{errUnknown, "ERR Unknown command called from script"},
	{errArgCount, "ERR Wrong number of args calling command from script"},
	{errLogArgs, "ERR server.log() requires two arguments or more."},
	{errRespArgs, "ERR server.setresp() requires one argument."},
	{errReplArgs, "ERR server.set_repl() requires one argument."},
	{errACLCommand, "ERR Invalid command passed to server.acl_check_cmd()"},
})...)

// ofValkey returns the wordings for pairs of an error and its text in every Valkey.
func ofValkey(pairs [][2]command.Error) (list []command.Wording) {
	for _, p := range pairs {
		list = append(list, command.Wording{Before: release.NoValkey, Error: p[0], Was: p[1]})
	}
	return list
}

package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors of scripts, functions and their commands, in the words of Redis 8.0. File wordings.go has
// those of other releases.
const (
	errNoTools = "ERR This program has no %s: a Go program that runs a server has one with " +
		"import _ \"github.com/miniserver-go/miniserver/scripting/tools\""
	errNotCached    = command.Error("NOSCRIPT No matching script.")
	errKeysNegative = command.Error("ERR Number of keys can't be negative")
	errKeysTooMany  = command.Error("ERR Number of keys can't be greater than number of args")
	errCompile      = "ERR Error compiling script (new function): %s"
	errFailed       = "%s script: %s, on %s:%d." // the error, the program, its chunk and the line
	errFlush        = command.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	errBusyScript   = command.Error("BUSY Redis is busy running a script. " +
		"You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")
	errBusyFunction = command.Error("BUSY Redis is busy running a script. " +
		"You can only call FUNCTION KILL or SHUTDOWN NOSAVE.")
	errNotBusy    = command.Error("NOTBUSY No scripts in execution right now.")
	errUnkillable = command.Error("UNKILLABLE Sorry the script already executed write commands against the dataset. " +
		"You can either wait the script termination or kill the server in a hard way using the SHUTDOWN " +
		"NOSAVE command.")
	errUndeclared  = "ERR Script attempted to access a key that is not among its declared keys: '%s'"
	errNoDebugger  = command.Error("ERR A script is debugged over a connection only, and outside of transactions")
	errDebugNested = command.Error("ERR SCRIPT DEBUG must be called outside a pipeline")
	errDebugEngine = "ERR No scripting engine found with name '%s' to enable debug"
	errDebugMode   = command.Error("ERR Use SCRIPT DEBUG YES/SYNC/NO")

	errRecordAction = "ERR Use SCRIPT %s START/REPORT/STOP"
	errRecordFormat = "ERR SCRIPT %s REPORT only supports %s"
	errRecordReset  = "ERR SCRIPT %s STOP only supports the RESET option"

	errNoCluster = command.Error("ERR Can not run script on cluster, 'no-cluster' flag is set.")

	errNoFunction = command.Error("ERR Function not found")
	errBadKeys    = command.Error("ERR Bad number of keys provided")
	errLoadOption = "ERR Unknown option given: %s"
	// of Valkey
	errFunctionName = command.Error("ERR Function names can only contain letters, numbers, " +
		"or underscores(_) and must be at least one character long")
	errNoFunctions     = command.Error("ERR No functions registered")
	errCompileFunction = "ERR Error compiling function: %s"
	errRegistering     = "ERR Error registering functions: %s"
	errLoadTimeout     = command.Error("ERR FUNCTION LOAD timeout")
	errNoLibrary       = command.Error("ERR Library not found")
	errListOption      = "ERR Unknown argument %s"
	errListName        = command.Error("ERR library name argument was not given")
	errFunctionFlush   = command.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	errPolicy          = command.Error("ERR Wrong restore policy given, value should be either FLUSH, " +
		"APPEND or REPLACE.")
	errNotFunction = command.Error("ERR given type is not a function")
	errBadLibrary  = command.Error("ERR Failed loading library payload")
	errOldLibrary  = command.Error("ERR Pre-GA function format not supported")
	errPayload     = command.Error("ERR DUMP payload version or checksum are wrong")

	errNotLoading   = command.Error("ERR redis.register_function can only be called on FUNCTION LOAD command")
	errRegisterArgs = command.Error("ERR wrong number of arguments to redis.register_function")
	errRegisterOne  = command.Error("ERR calling redis.register_function with a single argument is only applicable " +
		"to Lua table (representing named arguments).")
	errRegisterName = command.Error("ERR first argument to redis.register_function must be a string")
	errRegisterRun  = command.Error("ERR second argument to redis.register_function must be a function")
	errNamedKey     = command.Error("ERR named argument key given to redis.register_function is not a string")
	errNamedText    = "ERR %s argument given to redis.register_function must be a string"
	errNamedRun     = command.Error("ERR callback argument given to redis.register_function must be a function")
	errNamedFlags   = command.Error("ERR flags argument to redis.register_function must be a table representing " +
		"function flags")
	errNamedUnknown   = command.Error("ERR unknown argument given to redis.register_function")
	errNamedNoName    = command.Error("ERR redis.register_function must get a function name argument")
	errNamedNoRun     = command.Error("ERR redis.register_function must get a callback argument")
	errUnknownFlag    = command.Error("ERR unknown flag given")
	errFunctionExists = command.Error("ERR Function already exists in the library")

	errNoArgs      = command.Error("ERR Please specify at least one argument for this redis lib call")
	errArgType     = command.Error("ERR Lua redis lib command arguments must be strings or integers")
	errUnknown     = command.Error("ERR Unknown Redis command called from script")
	errArgCount    = command.Error("ERR Wrong number of args calling Redis command from script")
	errReplyArgs   = command.Error("ERR wrong number or type of arguments")
	errSHA1Args    = command.Error("ERR wrong number of arguments")
	errLogArgs     = command.Error("ERR redis.log() requires two arguments or more.")
	errLogNumber   = command.Error("ERR First argument must be a number (log level).")
	errLogLevel    = command.Error("ERR Invalid log level.")
	errRespArgs    = command.Error("ERR redis.setresp() requires one argument.")
	errRespVersion = command.Error("ERR RESP version must be 2 or 3.")
	errReplArgs    = command.Error("ERR redis.set_repl() requires one argument.")
	errReplFlags   = command.Error("ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, " +
		"REPL_ALL or REPL_NONE.")
	errACLArgs       = command.Error("ERR Wrong number of args for redis.acl_check_cmd()")
	errACLCommand    = command.Error("ERR Invalid command passed to redis.acl_check_cmd()")
	errNonexistent   = "Script attempted to access nonexistent global variable '%s'"
	errGlobalName    = command.Error("Second argument to luaProtectedTableError must be a string or number")
	errUnknownThrown = command.Error("ERR unknown error")
	errReplySize     = "ERR reply exceeds script-memory-limit script: %s"
	errOverflow      = command.Error("the reply passes the output limit of the client") // which never sees it
)

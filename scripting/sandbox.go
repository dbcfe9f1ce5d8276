package scripting

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Version is the Redis version that scripts and clients are told.
const (
	Version    = "7.4.0"
	versionNum = 0x070400
)

// Levels of redis.log and flags of redis.set_repl.
var constants = []struct {
	name  string
	value float64
}{
	{"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3},
	{"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3},
	{"REDIS_VERSION_NUM", versionNum},
}

// newState builds the sandbox: Lua's harmless libraries, Redis' own, and KEYS and ARGV, all read-only
// but for the latter.
func (s *Scripts) newState() *lua.State {
	L := lua.NewState()
	s.lua = L
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	s.random = lua.OpenMath(L)
	lua.OpenBit(L)
	lua.OpenCjson(L)
	lua.OpenCmsgpack(L)
	lua.OpenStruct(L)
	s.openRedis(L)
	for _, name := range hidden {
		L.Globals.SetString(L, name, lua.Nil)
	}
	s.keys, s.argv = L.NewTable(0, 0), L.NewTable(0, 0)
	L.Globals.SetString(L, "KEYS", s.keys.Value())
	L.Globals.SetString(L, "ARGV", s.argv.Value())
	guard(L)
	L.SetHook(hookInterval, s.interrupt)
	return L
}

// hookInterval is how many units of work, about a loop iteration each, pass between two looks at the
// clock: a few microseconds' worth of the slowest ones.
const hookInterval = 10000

// hidden are the base functions that Redis does not give to scripts.
var hidden = []string{"dofile", "loadfile", "print", "getfenv", "setfenv", "newproxy", "module", "require", "os"}

// guard makes the globals and every library read-only and reports the use of globals that do not
// exist.
func guard(L *lua.State) {
	meta := L.NewTable(0, 1)
	meta.SetString(L, "__index", lua.NewFunction("__index", func(L *lua.State, c *lua.Call) {
		name, _ := c.Arg(2).ToString()
		L.Errorf(errNonexistent, name)
	}).Value())
	for k, v, more, _ := L.Globals.Next(lua.Nil); more; k, v, more, _ = L.Globals.Next(k) {
		if name, _ := k.AsString(); name == "KEYS" || name == "ARGV" || name == "_G" {
			continue
		}
		if t := v.AsTable(); t != nil {
			t.SetReadonly(true)
		}
	}
	L.Globals.SetMetatable(meta)
	meta.SetReadonly(true)
	L.Globals.SetReadonly(true)
}

// openRedis adds the table "redis".
func (s *Scripts) openRedis(L *lua.State) {
	t := L.NewTable(0, 32)
	for name, fn := range map[string]lua.GoFunction{
		"call": s.luaCall, "pcall": s.luaPCall, "error_reply": s.luaErrorReply, "status_reply": s.luaStatusReply,
		"sha1hex": s.luaSHA1, "log": s.luaLog, "setresp": s.luaSetResp, "set_repl": s.luaSetRepl,
		"replicate_commands": s.luaTrue, "breakpoint": s.luaFalse, "debug": s.luaNothing,
		"acl_check_cmd": s.luaACL,
	} {
		t.SetString(L, name, lua.NewFunction(name, fn).Value())
	}
	for _, k := range constants {
		t.SetString(L, k.name, lua.Number(k.value))
	}
	t.SetString(L, "REDIS_VERSION", lua.String(Version))
	L.Globals.SetString(L, "redis", t.Value())
}

// raise throws an error table, as redis.call does.
func (s *Scripts) raise(text string) { s.lua.Throw(s.errorTable(lua.String(text))) }

// redis.call(command, ...): the reply as a Lua value; an error reply is thrown.
func (s *Scripts) luaCall(L *lua.State, c *lua.Call) {
	if refusal := s.dispatch(c); refusal != "" {
		s.raise(refusal)
	}
	out := s.session.Reply.Bytes()
	v, _ := s.value(out)
	if out[0] == '-' {
		L.Throw(v)
	}
	c.Return1(v)
}

// redis.pcall(command, ...): as redis.call, with errors returned as tables.
func (s *Scripts) luaPCall(_ *lua.State, c *lua.Call) {
	if refusal := s.dispatch(c); refusal != "" {
		c.Return1(s.errorTable(lua.String(refusal)))
		return
	}
	v, _ := s.value(s.session.Reply.Bytes())
	c.Return1(v)
}

// dispatch executes the command in c's arguments, leaving its reply in the session, or returns the
// error that refused it.
func (s *Scripts) dispatch(c *lua.Call) (refusal string) {
	args := s.args[:0]
	for i := range c.NArgs() {
		arg, ok := s.argument(c.Arg(i + 1))
		if !ok {
			return errArgType
		}
		args = append(args, arg)
	}
	s.args = args
	if len(args) == 0 {
		return errNoArgs
	}
	cmd, refusal := s.resolve(args)
	if refusal != "" {
		return refusal
	}
	if refusal = s.engine.ScriptGate(s.session, cmd); refusal != "" {
		return refusal
	}
	if cmd.Flags&engine.Write != 0 {
		s.wrote = true
	}
	s.session.Reply.Reset()
	s.engine.RunNested(s.session, cmd, args)
	return ""
}

// resolve finds the command, with the errors worded for scripts.
func (s *Scripts) resolve(args [][]byte) (*engine.Command, string) {
	cmd, refusal := s.engine.Resolve(args)
	switch {
	case refusal == "":
		return cmd, ""
	case cmd == nil:
		return nil, errUnknown
	}
	return nil, errArgCount
}

// redis.error_reply(text): {err=text}, with the code ERR where the text names none.
func (s *Scripts) luaErrorReply(_ *lua.State, c *lua.Call) {
	text, ok := c.Arg(1).AsString()
	if !ok || c.NArgs() != 1 {
		c.Return1(s.errorTable(lua.String(errReplyArgs)))
		return
	}
	text = strings.TrimPrefix(text, "-")
	if !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	c.Return1(s.tagged("err", s.lua.NewString(text)))
}

// redis.status_reply(text): {ok=text}.
func (s *Scripts) luaStatusReply(_ *lua.State, c *lua.Call) {
	if !c.Arg(1).IsString() || c.NArgs() != 1 {
		c.Return1(s.errorTable(lua.String(errReplyArgs)))
		return
	}
	c.Return1(s.tagged("ok", c.Arg(1)))
}

// redis.sha1hex(text)
func (s *Scripts) luaSHA1(L *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		s.raise(errSHA1Args)
	}
	text, _ := c.Arg(1).ToString()
	c.Return1(L.NewString(digest([]byte(text))))
}

// redis.log(level, text, ...)
func (s *Scripts) luaLog(_ *lua.State, c *lua.Call) {
	level, isNumber := c.Arg(1).ToNumber()
	switch {
	case c.NArgs() < 2:
		s.raise(errLogArgs)
	case !isNumber:
		s.raise(errLogNumber)
	case level < 0 || level > 3 || math.IsNaN(level):
		s.raise(errLogLevel)
	}
	words := make([]string, 0, c.NArgs()-1)
	for i := 2; i <= c.NArgs(); i++ {
		if text, ok := c.Arg(i).ToString(); ok {
			words = append(words, text)
		}
	}
	s.Log(int(level), strings.Join(words, " "))
}

// redis.setresp(version)
func (s *Scripts) luaSetResp(_ *lua.State, c *lua.Call) {
	version, _ := c.Arg(1).ToNumber()
	switch {
	case c.NArgs() != 1:
		s.raise(errRespArgs)
	case version != 2 && version != 3:
		s.raise(errRespVersion)
	}
	s.resp3 = version == 3
	s.session.Reply.SetProto(int(version))
}

// redis.set_repl(flags): accepted; the journal always holds a script's effects.
func (s *Scripts) luaSetRepl(_ *lua.State, c *lua.Call) {
	flags, _ := c.Arg(1).ToNumber()
	switch {
	case c.NArgs() != 1:
		s.raise(errReplArgs)
	case flags < 0 || flags > 3:
		s.raise(errReplFlags)
	}
}

// redis.acl_check_cmd(command, ...): there is one user, who may do everything.
func (s *Scripts) luaACL(_ *lua.State, c *lua.Call) {
	if c.NArgs() == 0 {
		s.raise(errNoArgs)
	}
	var args [][]byte
	for i := range c.NArgs() {
		arg, ok := s.argument(c.Arg(i + 1))
		if !ok {
			s.raise(errArgType)
		}
		args = append(args, arg)
	}
	if cmd, _ := s.engine.Resolve(args); cmd == nil {
		s.raise(errACLCommand)
	}
	c.Return1(lua.Bool(true))
}

func (s *Scripts) luaTrue(_ *lua.State, c *lua.Call)  { c.Return1(lua.Bool(true)) }
func (s *Scripts) luaFalse(_ *lua.State, c *lua.Call) { c.Return1(lua.Bool(false)) }
func (s *Scripts) luaNothing(*lua.State, *lua.Call)   {}

package scripting

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// callTicks is the cost of a redis.call in units of work, without the bytes of its arguments and its reply.
const callTicks = 50

// redis.call(command, ...): the reply as a Lua value; an error reply is thrown.
func (s *Scripts) luaCall(L *lua.State, c *lua.Call) {
	v, failed := s.execute(L, c)
	if failed {
		s.throw(L, v)
	}
	c.Return1(v)
}

// throw throws the error that execute has returned.
func (s *Scripts) throw(L *lua.State, v lua.Value) {
	if s.bare {
		v = v.AsTable().GetString("err")
	}
	L.Throw(v)
}

// redis.pcall(command, ...): as redis.call, with errors returned as tables.
func (s *Scripts) luaPCall(L *lua.State, c *lua.Call) {
	v, _ := s.execute(L, c)
	c.Return1(v)
}

// execute runs the command in c's arguments and returns its reply, or the table of its error.
func (s *Scripts) execute(L *lua.State, c *lua.Call) (v lua.Value, failed bool) {
	if err := s.gather(c); err != nil {
		return s.errorTable(s.worded(err)), true
	}
	cmd, err := s.resolve(c)
	if err == nil && s.strict.on {
		err = s.checkKeys(cmd)
	}
	if err == nil {
		err = s.engine.RunNested(s.session, cmd, s.args)
	}
	if err != nil {
		if s.engine.ScriptKilled() && s.debugging == nil {
			L.Abort(s.killed())
		}
		return s.replyError(s.worded(err)), true
	}
	out := s.session.Reply.Bytes()
	L.Tick(callTicks + (s.sent+len(out))/32)
	if len(out) > maxKept {
		return s.large(L, out), out[0] == '-'
	}
	v, _ = s.value(out)
	return v, out[0] == '-'
}

// large is value for a large reply. The reply counts as memory of the run meanwhile: the run does not refer to the new
// value yet, so a check of its memory would not find it.
func (s *Scripts) large(L *lua.State, out []byte) lua.Value {
	L.Hold(len(out))
	v, _ := s.value(out)
	L.Release(len(out))
	return v
}

// gather converts c's arguments to those of a command, in s.args.
func (s *Scripts) gather(c *lua.Call) (err error) {
	s.args, s.digits, s.sent = s.args[:0], s.digits[:0], 0
	for _, v := range c.Args() {
		if text, ok := v.AsString(); ok {
			s.args = append(s.args, unsafe.Slice(unsafe.StringData(text), len(text)))
			s.sent += len(text)
		} else if f, ok := v.AsNumber(); ok {
			s.args = append(s.args, s.number(f))
		} else {
			return errArgType
		}
	}
	if len(s.args) == 0 {
		return errNoArgs
	}
	return nil
}

// shortNumbers is what Redis 7.2 changed in the numbers that scripts pass to commands: before, they had 17 digits.
var shortNumbers = release.From("7.2.0")

// number returns a number as Redis passes it to commands: a whole number up to 2^62 as an integer without a sign of zero,
// any other as [resp.FormatShortest] has it.
func (s *Scripts) number(f float64) []byte {
	at := len(s.digits)
	switch i := int64(f); {
	case s.all17:
		s.digits = resp.Format17(s.digits, f)
	case float64(i) == f && -1<<62 <= i && i <= 1<<62:
		s.digits = strconv.AppendInt(s.digits, i, 10)
	default:
		s.digits = resp.FormatShortest(s.digits, f)
	}
	return s.digits[at:len(s.digits):len(s.digits)]
}

// siteCache caches for a redis.call in a script the command that it called first. Most call no other.
type siteCache struct {
	name string
	cmd  *command.Command
}

// namesSubcommands is since when the error for an unknown subcommand in a script is that of the command itself.
var namesSubcommands = release.From("valkey:9.1.0")

// resolve finds the command in s.args, with the errors worded for scripts.
func (s *Scripts) resolve(c *lua.Call) (cmd *command.Command, err error) {
	site := c.Site()
	if site != nil {
		if known, ok := site.Cache.(*siteCache); ok && known.name == string(s.args[0]) && known.cmd.Fits(len(s.args)) {
			return known.cmd, nil
		}
	}
	cmd, err = s.engine.Commands.Resolve(s.args)
	switch {
	case cmd == nil && s.engine.Release.Has(namesSubcommands) && s.engine.Commands.Named(strings.ToLower(string(s.args[0]))) != nil:
		s.engine.CountRefused(s.session, nil, err)
		return nil, err
	case cmd == nil:
		s.engine.CountRefused(s.session, nil, errUnknown)
		return nil, errUnknown
	case err != nil:
		s.engine.CountRefused(s.session, cmd, errArgCount)
		return nil, errArgCount
	case site != nil && site.Cache == nil && !cmd.IsSub():
		site.Cache = &siteCache{string(s.args[0]), cmd}
	}
	return cmd, nil
}

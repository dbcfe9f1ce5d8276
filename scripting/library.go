package scripting

import (
	"crypto/sha1"
	"encoding/hex"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The functions of the table redis beside redis.call.

// redis.error_reply(text): {err=text}, with the code ERR where the text has no code.
func (s *Scripts) luaErrorReply(_ *lua.State, c *lua.Call) { c.Return1(s.errorReply(c)) }

func (s *Scripts) errorReply(c *lua.Call) lua.Value {
	text, ok := c.Arg(1).AsString()
	if !ok || c.NArgs() != 1 {
		return s.errorTable(s.worded(errReplyArgs))
	}
	if s.bare {
		return s.errorTable(c.Arg(1))
	}
	text = strings.TrimPrefix(cText(text), "-")
	if !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	return s.errorTable(s.lua.NewString(text))
}

// redis.status_reply(text): {ok=text}.
func (s *Scripts) luaStatusReply(_ *lua.State, c *lua.Call) {
	if !c.Arg(1).IsString() || c.NArgs() != 1 {
		c.Return1(s.errorTable(s.worded(errReplyArgs)))
		return
	}
	c.Return1(s.tagged("ok", c.Arg(1)))
}

// hashedAtOnce is the number of bytes hashed between two ticks.
const hashedAtOnce = 1 << 18

// redis.sha1hex(text): a value that is neither string nor number counts as the empty string.
func (s *Scripts) luaSHA1(L *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		s.raise(errSHA1Args)
	}
	text, _ := c.Arg(1).ToString()
	hash := sha1.New()
	for len(text) > hashedAtOnce {
		_, _ = io.WriteString(hash, text[:hashedAtOnce])
		text = text[hashedAtOnce:]
		L.Tick(hashedAtOnce / 16)
	}
	_, _ = io.WriteString(hash, text)
	L.Tick(len(text) / 16)
	c.Return1(L.NewString(hex.EncodeToString(hash.Sum(nil))))
}

// redis.log(level, text, ...)
func (s *Scripts) luaLog(_ *lua.State, c *lua.Call) {
	if level := s.loggedLevel(c); level >= slices.Index(logLevels, s.logLevel) {
		s.Log(level, loggedText(c))
	}
}

// loggedLevel returns the first argument of redis.log, from 0 to 3.
func (s *Scripts) loggedLevel(c *lua.Call) int {
	level, isNumber := c.Arg(1).ToNumber()
	switch {
	case c.NArgs() < 2:
		s.raise(errLogArgs)
	case !isNumber:
		s.raise(errLogNumber)
	case !(math.Trunc(level) >= 0 && level < 4):
		s.raise(errLogLevel)
	}
	return int(level)
}

// loggedText returns the other arguments of redis.log as one text.
func loggedText(c *lua.Call) string {
	var words []string
	for i := 2; i <= c.NArgs(); i++ {
		if text, ok := c.Arg(i).ToString(); ok {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

// redis.setresp(version)
func (s *Scripts) luaSetResp(_ *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		s.raise(errRespArgs)
	}
	f, _ := c.Arg(1).ToNumber()
	version := truncate(f)
	if version != 2 && version != 3 {
		s.raise(errRespVersion)
	}
	s.resp3 = version == 3
	s.session.Reply.SetProto(int(version))
}

// redis.set_repl(flags): who receives what the script changes from now on.
func (s *Scripts) luaSetRepl(_ *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		s.raise(errReplArgs)
	}
	flags, _ := c.Arg(1).ToNumber()
	n := truncate(flags)
	if n < 0 || n > 3 {
		s.raise(errReplFlags)
	}
	s.session.Mute(engine.Everywhere &^ engine.Target(n))
}

// checksArity is since when acl_check_cmd refuses arguments that do not fit the command: Redis 8.0.2 as Debian has it, and 8.6.
var checksArity = release.From("8.0.0")

// redis.acl_check_cmd(command, ...): whether the user may run it.
func (s *Scripts) luaACL(_ *lua.State, c *lua.Call) {
	if err := s.gather(c); err != nil {
		s.raise(err)
	}
	cmd, _ := s.engine.Commands.Resolve(s.args)
	switch {
	case cmd == nil:
		s.raise(errACLCommand)
	case !cmd.Fits(len(s.args)) && s.engine.Release.Has(checksArity):
		s.raise(errACLArgs)
	}
	c.Return1(lua.Bool(s.engine.Permits(s.session, cmd, s.args)))
}

// os.clock(): the processor time of the process in seconds.
func (s *Scripts) luaClock(_ *lua.State, c *lua.Call) {
	c.Return1(lua.Number(float64(s.engine.CPU()) / 1e6))
}

// redis.replicate_commands(): that commands are replicated. Before 7.0 it is too late for that after a write.
func (s *Scripts) luaReplicate(_ *lua.State, c *lua.Call) {
	c.Return1(lua.Bool(!s.bare || !s.session.Wrote()))
}

func (s *Scripts) luaFalse(_ *lua.State, c *lua.Call) { c.Return1(lua.Bool(false)) }
func (s *Scripts) luaNothing(*lua.State, *lua.Call)   {}

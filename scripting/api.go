package scripting

import (
	"crypto/sha1"
	"encoding/hex"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/permission"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// api is the functions of the table redis that do otherwise in a program that is debugged.
type api struct{ call, pcall, errorReply, log, breakpoint, debug lua.GoFunction }

// api returns the functions of programs that are not debugged.
func (in *interpreter) api() api {
	return api{in.luaCall, in.luaPCall, in.luaErrorReply, in.luaLog, in.luaFalse, in.luaNothing}
}

// redis.error_reply(text): {err=text}, with the code ERR where the text has no code.
func (in *interpreter) luaErrorReply(_ *lua.State, c *lua.Call) { c.Return1(in.errorReply(c)) }

func (in *interpreter) errorReply(c *lua.Call) lua.Value {
	text, ok := c.Arg(1).AsString()
	if !ok || c.NArgs() != 1 {
		return in.errorTable(in.worded(errReplyArgs))
	}
	if in.bare {
		return in.errorTable(c.Arg(1))
	}
	text = strings.TrimPrefix(reply.CText(text), "-")
	if !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	return in.errorTable(in.lua.NewString(text))
}

// redis.status_reply(text): {ok=text}.
func (in *interpreter) luaStatusReply(_ *lua.State, c *lua.Call) {
	if !c.Arg(1).IsString() || c.NArgs() != 1 {
		c.Return1(in.errorTable(in.worded(errReplyArgs)))
		return
	}
	c.Return1(reply.Tagged(in.lua, "ok", c.Arg(1)))
}

// hashedAtOnce is the number of bytes hashed between two ticks.
const hashedAtOnce = 1 << 18

// redis.sha1hex(text): a value that is neither string nor number counts as the empty string.
func (in *interpreter) luaSHA1(L *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		in.raise(errSHA1Args)
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
func (in *interpreter) luaLog(_ *lua.State, c *lua.Call) {
	if level := in.loggedLevel(c); level >= slices.Index(logLevels, in.logLevel) {
		in.log(level, loggedText(c))
	}
}

// loggedLevel returns the first argument of redis.log, from 0 to 3.
func (in *interpreter) loggedLevel(c *lua.Call) int {
	level, isNumber := c.Arg(1).ToNumber()
	switch {
	case c.NArgs() < 2:
		in.raise(errLogArgs)
	case !isNumber:
		in.raise(errLogNumber)
	case !(math.Trunc(level) >= 0 && level < 4):
		in.raise(errLogLevel)
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
func (in *interpreter) luaSetResp(_ *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		in.raise(errRespArgs)
	}
	f, _ := c.Arg(1).ToNumber()
	version := reply.Truncate(f)
	if version != 2 && version != 3 {
		in.raise(errRespVersion)
	}
	in.replies.RESP3 = version == 3
	in.session.Reply.SetProto(int(version))
}

// redis.set_repl(flags): who receives what the script changes from now on.
func (in *interpreter) luaSetRepl(_ *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		in.raise(errReplArgs)
	}
	flags, _ := c.Arg(1).ToNumber()
	n := reply.Truncate(flags)
	if n < 0 || n > 3 {
		in.raise(errReplFlags)
	}
	in.session.Mute(engine.Everywhere &^ engine.Target(n))
}

// checksArity is since when acl_check_cmd refuses arguments that do not fit the command: Redis
// 8.0.2 as Debian has it, and 8.6.
var checksArity = release.From("8.0.0")

// redis.acl_check_cmd(command, ...): whether the user may run it.
func (in *interpreter) luaACL(_ *lua.State, c *lua.Call) {
	if err := in.args.gather(c); err != nil {
		in.raise(err)
	}
	cmd, _ := in.engine.Commands.Resolve(in.args.list)
	switch {
	case cmd == nil:
		in.raise(errACLCommand)
	case !cmd.Fits(len(in.args.list)) && in.engine.Release.Has(checksArity):
		in.raise(errACLArgs)
	}
	why, _ := permission.Examine(in.session.User(), cmd, in.args.list, in.session.Scope())
	c.Return1(lua.Bool(why == acl.Allowed))
}

// os.clock(): the processor time of the process in seconds.
func (in *interpreter) luaClock(_ *lua.State, c *lua.Call) {
	c.Return1(lua.Number(float64(in.cpu()) / 1e6))
}

// cpu returns the processor time of the process in microseconds. Where no host knows it, it is the
// time since the interpreter was made.
func (in *interpreter) cpu() int64 {
	if cpu := in.engine.Parts.Host.CPU; cpu != nil {
		user, system := cpu() // their sum is what C's clock() returns
		return user + system
	}
	return in.engine.Machine() - in.made
}

// redis.replicate_commands(): that commands are replicated. Before 7.0 it is too late for that
// after a write.
func (in *interpreter) luaReplicate(_ *lua.State, c *lua.Call) {
	c.Return1(lua.Bool(!in.bare || !in.session.Wrote()))
}

func (in *interpreter) luaFalse(_ *lua.State, c *lua.Call) { c.Return1(lua.Bool(false)) }
func (in *interpreter) luaNothing(*lua.State, *lua.Call)   {}

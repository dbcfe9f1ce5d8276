package json

import (
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

var debugHelp = []string{
	"MEMORY <key> [path] - reports memory usage",
	"HELP                - this message",
}

// JSON.DEBUG HELP | MEMORY key [path]
func cmdJSONDebug(c *engine.Call) {
	switch sub := textArg(c); {
	case command.IsWord(sub, "MEMORY"):
		debugMemory(c)
	case command.IsWord(sub, "HELP"):
		c.ReplyStrings(debugHelp)
	default:
		c.Refuse(errDebug)
	}
}

// debugMemory replies with the bytes that values take.
func debugMemory(c *engine.Call) {
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return
	}
	d, text := document(c, c.Arg()), looserPathArg(c)
	switch {
	case c.Failed():
		return
	case d == nil && legacy(text):
		c.Reply.Int(0)
		return
	case d == nil:
		c.Reply.Array(0)
		return
	}
	if p := parsePath(c, text); p != nil && !replyFound(c, d, p, replyBytes) {
		c.Refuse(command.Errorf(errNoPath, p))
	}
}

func replyBytes(c *engine.Call, v json.Value) {
	n := v.Bytes()
	c.Reply.Int(int64(n))
	workspaceOf(c).finder.Read(n)
}

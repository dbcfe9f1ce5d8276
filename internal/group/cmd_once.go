package group

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// GROUP ONCE name sequence command [arg ...]
//
// A name's sequences must grow. The command that repeats one is not executed; it gets the reply of
// the first.
func (g *Group) cmdOnce(c *engine.Call) {
	name, sequence, args := c.Arg(), c.Int(), c.Rest()
	if len(name) == 0 || len(name) > maxName {
		c.Refuse(errOnceName)
	}
	if !c.OK() {
		return
	}
	c.PropagateNothing()
	text, known, old := g.once.find(name, sequence)
	switch {
	case known:
		c.Reply.Raw(text)
	case old:
		c.Fail(command.Errorf(errOnceOld, sequence))
	default:
		g.runOnce(c, name, sequence, args)
	}
}

// runOnce executes a command and records its reply. Both are one unit of the log.
func (g *Group) runOnce(c *engine.Call, name []byte, sequence int64, args [][]byte) {
	before := c.Reply.Len()
	if err := c.RunInside(args, errOnceNested); err != nil {
		c.Fail(err)
		return
	}
	text := c.Reply.Bytes()[before:]
	g.once.add(name, sequence, text)
	c.Propagate([]byte("GROUP"), []byte("RECORD"), name, strconv.AppendInt(nil, sequence, 10), text)
}

// GROUP RECORD name sequence reply is what the log has of GROUP ONCE, beside the effects.
func (g *Group) cmdRecord(c *engine.Call) {
	name, sequence, text := c.Arg(), c.Int(), c.Arg()
	if fromLog(c) {
		g.once.merge(name, sequence, text)
	}
}

// fromLog refuses a command that clients must not call.
func fromLog(c *engine.Call) bool {
	if !c.Session.IsMaster() {
		c.Refuse(errLogOnly)
	}
	return c.OK()
}

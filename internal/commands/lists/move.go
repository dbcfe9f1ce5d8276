package lists

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// move says from which end of a list to which end of another an element moves.
type move struct {
	src, dst []byte
	from, to list.End
}

// LMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT>
func cmdLMove(c *engine.Call) { moveNow(c, parseMove(c)) }

// RPOPLPUSH source destination
func cmdRPopLPush(c *engine.Call) { moveNow(c, move{c.Arg(), c.Arg(), list.Tail, list.Head}) }

// BLMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout
func cmdBLMove(c *engine.Call) {
	m := parseMove(c)
	if moveOrBlock(c, m) && c.Propagates() {
		from, to := c.Args[3], c.Args[4]
		if c.Woken() && !c.Has(servesByCommand) {
			from, to = endNames[m.from], endNames[m.to]
		}
		c.PropagateAs([]byte("LMOVE"), m.src, m.dst, from, to)
	}
}

// BRPOPLPUSH source destination timeout
func cmdBRPopLPush(c *engine.Call) {
	m := move{c.Arg(), c.Arg(), list.Tail, list.Head}
	if moveOrBlock(c, m) && c.Propagates() {
		c.PropagateAs([]byte("RPOPLPUSH"), m.src, m.dst)
	}
}

// endNames are the words for the ends.
var endNames = [...][]byte{list.Head: []byte("left"), list.Tail: []byte("right")}

// servesByCommand is when a client blocked in BLMOVE began to be served as if it sent its command
// then. Before, words of the server's own were propagated for the ends.
var servesByCommand = release.From("7.2.0")

// parseMove reads source destination <LEFT | RIGHT> <LEFT | RIGHT>.
func parseMove(c *engine.Call) move { return move{c.Arg(), c.Arg(), parseEnd(c), parseEnd(c)} }

// moveNow moves an element, or replies nil if there is none.
func moveNow(c *engine.Call, m move) {
	l, found := engine.Edit[*list.List](c, m.src)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Null()
	default:
		moveElement(c, l, m)
	}
}

// moveOrBlock reads the timeout and moves an element, or blocks until there is one. It reports
// whether it moved one.
func moveOrBlock(c *engine.Call, m move) bool {
	deadline := c.Timeout()
	keys := [1][]byte{m.src}
	if !c.OK() {
		return false
	}
	_, l, found := engine.First[*list.List](c, keys[:])
	switch {
	case !c.OK():
	case found:
		return moveElement(c, l, m)
	case c.MayBlock():
		c.BlockOnKeys(keys[:], deadline, engine.ReplyNullArray)
	default:
		c.Reply.Null() // a timeout ends with a null array instead
	}
	return false
}

// moveElement moves an element of l, the list at m.src, and replies with it. It returns false, with
// an error sent, if the value at m.dst is not a list.
func moveElement(c *engine.Call, l *list.List, m move) bool {
	into := l
	if !bytes.Equal(m.src, m.dst) {
		into, _ = engine.Upsert[*list.List](c, m.dst, keyspace.List)
	}
	if !c.OK() {
		return false
	}
	e, _ := l.End(m.from)
	element := append(c.Buffer(e.Len())[:0], e.Text(c.Scratch())...) // the list's is removed before the push
	c.Reply.Bulk(element)
	l.RemoveEnd(m.from, 1)
	into.Push(m.to, element, c.Engine.Config.List)
	l.Shrink(c.Engine.Config.List)
	c.Changed(m.dst, pushEvents[m.to])
	c.Changed(m.src, popEvents[m.from])
	c.AddChanges(-1)
	return true
}

package lists

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// move is an element's way from one list to another.
type move struct {
	src, dst []byte
	from, to list.End
}

// LMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT>
func cmdLMove(c *engine.Call) { moveNow(c, way(c)) }

// RPOPLPUSH source destination
func cmdRPopLPush(c *engine.Call) { moveNow(c, move{c.Arg(), c.Arg(), list.Tail, list.Head}) }

// BLMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout
func cmdBLMove(c *engine.Call) {
	m := way(c)
	if moveOrPark(c, m) && c.Propagates() {
		c.Propagate([]byte("LMOVE"), m.src, m.dst, sideNames[m.from], sideNames[m.to])
	}
}

// BRPOPLPUSH source destination timeout
func cmdBRPopLPush(c *engine.Call) {
	m := move{c.Arg(), c.Arg(), list.Tail, list.Head}
	if moveOrPark(c, m) && c.Propagates() {
		c.Propagate([]byte("RPOPLPUSH"), m.src, m.dst)
	}
}

// sideNames are the words for the ends.
var sideNames = [...][]byte{list.Head: []byte("LEFT"), list.Tail: []byte("RIGHT")}

// way reads source destination <LEFT | RIGHT> <LEFT | RIGHT>.
func way(c *engine.Call) move { return move{c.Arg(), c.Arg(), side(c), side(c)} }

// moveNow moves an element, or tells that there is none.
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

// moveOrPark reads the timeout and moves an element, or waits for one. It reports whether one was
// moved.
func moveOrPark(c *engine.Call, m move) bool {
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
		c.Reply.Null() // not the array's nil that a wait in vain ends with
	}
	return false
}

// moveElement moves an element of l, the list at m.src, and tells it. It returns false, with an error sent,
// if there is something else than a list at m.dst.
func moveElement(c *engine.Call, l *list.List, m move) bool {
	into := l
	if !bytes.Equal(m.src, m.dst) {
		into, _ = engine.Upsert[*list.List](c, m.dst, keyspace.List)
	}
	if !c.OK() {
		return false
	}
	e, _ := l.End(m.from)
	c.ReplyEntry(e)
	out := c.Reply.Bytes()
	element := out[len(out)-e.Len()-2 : len(out)-2] // the copy in the reply, for the list's own goes
	l.RemoveEnd(m.from, 1)
	into.Push(m.to, element, c.Engine.Config.List)
	c.Changed(m.dst, pushEvents[m.to])
	c.Changed(m.src, popEvents[m.from])
	return true
}

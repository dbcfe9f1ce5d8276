package lists

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// LMOVEM and BLMOVEM move several elements as one block. The order of the block is that in which
// the destination has it, and the reply shows it:
//
//	BULK  as in the source
//	OBO   as if they were popped and pushed one by one
//
// Within one list the block leaves its end before it is pushed, so that OBO from an end to the same
// end turns it round.

// moves is a move of several elements.
type moves struct {
	move
	count   int
	exactly bool // all of count, or none
	bulk    bool // in the order of the source
}

// LMOVEM source destination <LEFT | RIGHT> <LEFT | RIGHT> [<COUNT count | EXACTLY exactly> <OBO |
// BULK>]
func cmdLMoveM(c *engine.Call) {
	m := moves{move: parseMove(c), count: 1}
	parseCount(c, &m)
	l, found := engine.Edit[*list.List](c, m.src)
	switch {
	case !c.OK():
	case m.exactly && (!found || l.Len() < m.count):
		c.Reply.NullArray()
	case !found:
		c.Reply.Array(0)
	default:
		moveBlock(c, l, &m)
	}
}

// BLMOVEM source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout [<COUNT count | EXACTLY exactly>
// <OBO | BULK>]
func cmdBLMoveM(c *engine.Call) {
	m := moves{move: parseMove(c), count: 1}
	deadline := c.Timeout()
	parseCount(c, &m)
	keys := [1][]byte{m.src}
	if !c.OK() {
		return
	}
	_, l, found := engine.First[*list.List](c, keys[:])
	switch {
	case !c.OK():
	case !found, m.exactly && l.Len() < m.count:
		c.BlockOnKeys(keys[:], deadline, engine.ReplyNullArray)
	default:
		moveBlock(c, l, &m)
	}
}

// parseCount reads how many elements move, and in which order.
func parseCount(c *engine.Call, m *moves) {
	if !c.More() {
		return
	}
	if m.exactly = c.Word("EXACTLY"); !m.exactly && !c.Word("COUNT") {
		c.Refuse(engine.ErrSyntax)
	}
	m.count = int(c.IntIn(1, math.MaxInt64, elements.ErrPopCount))
	if m.bulk = c.Word("BULK"); !m.bulk && !c.Word("OBO") {
		c.Refuse(engine.ErrSyntax)
	}
	c.End()
}

// moveBlock moves elements of l, the list at m.src, and replies with them. If the value at m.dst is
// not a list it sends an error.
func moveBlock(c *engine.Call, l *list.List, m *moves) {
	within := bytes.Equal(m.src, m.dst)
	into := l
	if !within {
		into, _ = engine.Upsert[*list.List](c, m.dst, keyspace.List)
	}
	if !c.OK() {
		return
	}
	block := cutBlock(c, l, m)
	c.Reply.Array(len(block))
	for _, element := range block {
		c.Reply.Bulk(element)
	}
	propagateBlock(c, m, block, within && l.Len() == 0)
	if m.to == list.Head {
		slices.Reverse(block)
	}
	into.PushAll(m.to, block, c.Engine.Config.List)
	l.Shrink(c.Engine.Config.List)
	if within {
		c.Changed(m.src, popEvents[m.from])
	}
	c.Changed(m.dst, pushEvents[m.to])
	if !within {
		c.Changed(m.src, popEvents[m.from])
	}
	c.AddChanges(len(block) - 2)
}

// cutBlock removes the elements that move from l, and returns them as the destination will have
// them.
func cutBlock(c *engine.Call, l *list.List, m *moves) [][]byte {
	n := min(m.count, l.Len())
	block := make([][]byte, 0, n)
	l.Each(m.from, 0, func(e ziplist.Entry) bool {
		block = append(block, bytes.Clone(e.Text(c.Scratch())))
		return len(block) < n
	})
	l.RemoveEnd(m.from, n)
	if m.bulk && m.from == list.Tail || !m.bulk && m.to == list.Head {
		slices.Reverse(block)
	}
	return block
}

// propagateBlock propagates a move in commands that every replica knows. A list that loses all of
// its elements to itself may not be absent in between, as the key would lose its deadline.
func propagateBlock(c *engine.Call, m *moves, block [][]byte, all bool) {
	if !c.Propagates() {
		return
	}
	pop := [][]byte{[]byte(popNames[m.from]), m.src, resp.Decimal(int64(len(block)))}
	end := m.to
	if all {
		end = otherEnd[m.from]
	} else {
		c.Propagate(pop...)
	}
	push := [][]byte{pushNames[end], m.dst}
	push = append(push, block...)
	if end == list.Head {
		slices.Reverse(push[2:])
	}
	c.Propagate(push...)
	if all {
		c.Propagate(pop...)
	}
}

var (
	otherEnd  = [...]list.End{list.Head: list.Tail, list.Tail: list.Head}
	pushNames = [...][]byte{list.Head: []byte("LPUSH"), list.Tail: []byte("RPUSH")}
)

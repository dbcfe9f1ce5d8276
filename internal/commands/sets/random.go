package sets

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// SPOP key [count]
func cmdSPop(c *engine.Call) {
	key, count, several := c.Arg(), 1, c.Left() > 0
	switch {
	case c.Left() > 1:
		c.Refuse(engine.ErrSyntax)
	case several:
		count = int(c.IntIn(0, math.MaxInt64, engine.ErrNotPositive))
	}
	s, found := engine.Edit[*set.Set](c, key)
	switch {
	case !c.OK():
	case !found && !several:
		c.Reply.Null()
	case !found || count == 0:
		c.Reply.Set(0)
	default:
		popMembers(c, key, s, count, several)
	}
}

// popMembers removes count random members from the set at key and replies with them: with a set if
// several, which says that the command has a count, else with the member alone.
func popMembers(c *engine.Call, key []byte, s *set.Set, count int, several bool) {
	size := s.Len()
	if several {
		c.Reply.Set(min(count, size))
	}
	if several {
		countFreedByPop(c, key, s, min(count, size))
	}
	var removal [][]byte
	if c.Propagates() {
		removal = c.Line(srem, key)
	}
	s.Pop(count, c.World.SetLimits(), c.World.Dice, func(member ziplist.Entry) {
		c.ReplyEntry(member)
		if removal != nil {
			removal = append(removal, member.Append(nil))
		}
	})
	c.Changed(key, event.Set("spop"))
	c.AddChanges(min(count, size) - 1)
	switch {
	case removal == nil:
	case several && count >= size:
		c.PropagateRemoval(key, c.Engine.Config.LazyFree.ServerDel && c.Has(popsLazily))
	default:
		propagateRemoval(c, removal)
	}
}

// countFreedByPop counts what Redis frees besides when it pops n members of the set at key: the
// set, if it keeps the few others in a new one or none are left, and then also the one that it
// builds for the reply.
func countFreedByPop(c *engine.Call, key []byte, s *set.Set, n int) {
	left := s.Len() - n
	if n > keyspace.LazyThreshold && left*5 <= n {
		c.DB.NoteFreed(key)
	}
	if left == 0 {
		countTemporary(c, []*set.Set{s}, n)
	}
}

// removesTogether is when the members that SPOP removes began to be propagated as one SREM, up to
// [engine.MaxPropagatedElements].
var removesTogether = release.From("7.2.0")

// popsLazily is when SPOP of all members began to be propagated as UNLINK, if
// lazyfree-lazy-server-del is set.
var popsLazily = release.From("7.2.0")

var srem = []byte("SREM")

// propagateRemoval propagates SREM of members, in parts if they are many.
func propagateRemoval(c *engine.Call, line [][]byte) {
	size := engine.MaxPropagatedElements
	if !c.Has(removesTogether) {
		size = 1
	}
	command, members := line[:2], line[2:]
	if len(members) <= size {
		c.Propagate(line...)
		return
	}
	c.PropagateTogether()
	for some := range slices.Chunk(members, size) {
		c.Propagate(slices.Concat(command, some)...)
	}
}

// SRANDMEMBER key [count]
func cmdSRandMember(c *engine.Call) {
	key, count, several := c.Arg(), 1, c.Left() > 0
	switch {
	case c.Left() > 1:
		c.Refuse(engine.ErrSyntax)
	case several:
		count = elements.ParseDrawCount(c)
	}
	s, ok := readSet(c, key)
	switch {
	case !ok:
	case !several && s.Len() == 0:
		c.Reply.Null()
	case !several:
		c.ReplyEntry(s.Random(c.World.Dice))
	case count < 0:
		c.Reply.Array(elements.DrawLen(count, s.Len()))
		s.Draw(-count, c.World.Dice, replyNext(c))
	default:
		c.Reply.Array(elements.DrawLen(count, s.Len()))
		s.Sample(count, c.World.Dice, replyNext(c))
	}
}

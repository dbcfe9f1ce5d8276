package sets

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hll"
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// Unions, intersections and differences of sets. A reply is written while the operands are walked;
// a set to store is built in the encoding that it would have in Redis.

// operandRoom keeps the operands of most commands on the stack.
type operandRoom [8]*set.Set

// readSets appends the sets at keys to dst, noSet for absent keys. ok is false if an error was
// sent.
func readSets(c *engine.Call, dst []*set.Set, keys [][]byte) (_ []*set.Set, ok bool) {
	for _, key := range keys {
		s, found := engine.Read[*set.Set](c, key)
		if !found {
			s = &noSet
		}
		dst = append(dst, s)
	}
	return dst, c.OK()
}

// bySize orders sets by the number of their members.
func bySize(a, b *set.Set) int { return a.Len() - b.Len() }

// SINTER key [key ...]
func cmdSInter(c *engine.Call) {
	var room operandRoom
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	slices.SortStableFunc(sets, bySize)
	at, n := c.Reply.Defer(), 0
	intersect(sets, func(member ziplist.Entry) bool {
		n++
		c.ReplyEntry(member)
		return true
	})
	c.Reply.SetSet(at, n)
}

// SINTERCARD numkeys key [key ...] [LIMIT limit]
func cmdSInterCard(c *engine.Call) {
	var room operandRoom
	sets, limit, _, ok := readCounted(c, room[:0], false)
	if !ok {
		return
	}
	slices.SortStableFunc(sets, bySize)
	count := int64(0)
	intersect(sets, func(ziplist.Entry) bool {
		count++
		return count != limit
	})
	c.Reply.Int(count)
}

// readCounted reads numkeys key [key ...] [APPROX] [LIMIT limit], APPROX if the command estimates,
// and appends the sets to dst. A limit of 0 is none. ok is false if an error was sent.
func readCounted(c *engine.Call, dst []*set.Set, estimates bool) (sets []*set.Set, limit int64, approx, ok bool) {
	n := c.IntIn(1, math.MaxInt64, engine.ErrNumKeys)
	if n > int64(c.Left()) {
		c.Refuse(errKeyCount)
	}
	if !c.OK() {
		return nil, 0, false, false
	}
	keys := c.Next(int(n))
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("LIMIT"):
			limit = c.IntIn(0, math.MaxInt64, engine.ErrNegativeLimit)
		case estimates && c.Word("APPROX"):
			approx = true
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if c.OK() {
		sets, ok = readSets(c, dst, keys)
	}
	return sets, limit, approx, ok
}

// SINTERSTORE destination key [key ...]
func cmdSInterStore(c *engine.Call) {
	var room operandRoom
	destination := c.Arg()
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	slices.SortStableFunc(sets, bySize)
	result, lim := set.Of(ziplist.New()), c.World.SetLimits()
	if _, ints := sets[0].Intset(); ints {
		result = set.Of(intset.New())
	}
	intersect(sets, func(member ziplist.Entry) bool {
		result.AppendEntry(member, lim)
		return true
	})
	result.TryIntset(lim)
	c.Store(destination, &result, event.Set("sinterstore"))
}

// intersect calls fn for the members that all sets have, until fn returns false. The first set
// should be the smallest.
func intersect(sets []*set.Set, fn func(member ziplist.Entry) bool) {
	sets[0].Each(func(member ziplist.Entry) bool {
		for _, other := range sets[1:] {
			if !other.HasEntry(member) {
				return true
			}
		}
		return fn(member)
	})
}

// SUNION key [key ...]
func cmdSUnion(c *engine.Call) {
	var room operandRoom
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	at, n := c.Reply.Defer(), 0
	unite(sets, c.World.Seed(), func(member ziplist.Entry) bool {
		n++
		c.ReplyEntry(member)
		return true
	})
	c.Reply.SetSet(at, n)
	countTemporary(c, sets, n)
}

// SUNIONCARD numkeys key [key ...] [APPROX] [LIMIT limit]
func cmdSUnionCard(c *engine.Call) {
	var room operandRoom
	sets, limit, approx, ok := readCounted(c, room[:0], true)
	if !ok {
		return
	}
	count := int64(0)
	if approx {
		count = estimate(sets, c.Scratch())
	} else {
		unite(sets, c.World.Seed(), func(ziplist.Entry) bool {
			count++
			return count != limit
		})
	}
	c.Reply.Int(atMost(count, limit))
}

// estimate returns the number of members of any of the sets as a HyperLogLog counts them.
func estimate(sets []*set.Set, scratch []byte) int64 {
	var registers hll.Registers
	for _, s := range sets {
		s.Each(func(member ziplist.Entry) bool {
			registers.Add(member.Text(scratch))
			return true
		})
	}
	return registers.Count()
}

// atMost returns n, or the limit if that is less; 0 is none.
func atMost(n, limit int64) int64 {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}

// SUNIONSTORE destination key [key ...]
func cmdSUnionStore(c *engine.Call) {
	var room operandRoom
	destination := c.Arg()
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	result, lim := set.Of(intset.New()), c.World.SetLimits()
	for _, s := range sets {
		addAll(&result, s, lim)
	}
	c.Store(destination, &result, event.Set("sunionstore"))
}

// addAll adds the members of other to s.
func addAll(s, other *set.Set, lim set.Limits) {
	first := s.Len() == 0
	other.Each(func(member ziplist.Entry) bool {
		if first {
			s.AppendEntry(member, lim)
		} else {
			s.AddEntry(member, lim)
		}
		return true
	})
}

// fewSets is the number of sets up to which unite looks a member up in the sets before it. For more
// sets it costs less to collect the members in a set of their own.
const fewSets = 4

// unite calls fn once for each member of any of the sets, until fn returns false.
func unite(sets []*set.Set, seed uint64, fn func(member ziplist.Entry) bool) {
	var all set.Set
	more := true
	for i := 0; i < len(sets) && more; i++ {
		sets[i].Each(func(member ziplist.Entry) bool {
			if len(sets) > fewSets {
				more = !all.AddEntry(member, set.Limits{Seed: seed}) || fn(member)
			} else {
				more = anyHas(sets[:i], member) || fn(member)
			}
			return more
		})
	}
}

func anyHas(sets []*set.Set, member ziplist.Entry) bool {
	for _, s := range sets {
		if s.HasEntry(member) {
			return true
		}
	}
	return false
}

// SDIFF key [key ...]
func cmdSDiff(c *engine.Call) {
	var room operandRoom
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	if byRemoval(sets) {
		rest := difference(sets, c.World.SetLimits())
		replyMembers(c, &rest)
		countTemporary(c, sets, rest.Len())
		return
	}
	at, n := c.Reply.Defer(), 0
	subtract(sets, func(member ziplist.Entry) bool {
		n++
		c.ReplyEntry(member)
		return true
	})
	c.Reply.SetSet(at, n)
	countTemporary(c, sets, n)
}

// SDIFFCARD numkeys key [key ...] [LIMIT limit]
func cmdSDiffCard(c *engine.Call) {
	var room operandRoom
	sets, limit, _, ok := readCounted(c, room[:0], false)
	if !ok {
		return
	}
	count := int64(0)
	if byRemoval(sets) {
		count = int64(sets[0].Len())
		unite(sets[1:], c.World.Seed(), func(member ziplist.Entry) bool {
			if sets[0].HasEntry(member) {
				count--
			}
			return count > 0
		})
	} else {
		subtract(sets, func(ziplist.Entry) bool {
			count++
			return count != limit
		})
	}
	c.Reply.Int(atMost(count, limit))
}

// countTemporary counts the set of n members that Redis builds of some for a reply. It is one
// allocation while it is an intset, and a table else.
func countTemporary(c *engine.Call, sets []*set.Set, n int) {
	if n > c.Engine.Config.Set.MaxInts || slices.ContainsFunc(sets, hasTexts) {
		c.World.CountTemporary(n)
	}
}

// hasTexts reports whether a set is not an intset.
func hasTexts(s *set.Set) bool {
	_, ints := s.Intset()
	return !ints && s.Len() > 0
}

// SDIFFSTORE destination key [key ...]
func cmdSDiffStore(c *engine.Call) {
	var room operandRoom
	destination := c.Arg()
	sets, ok := readSets(c, room[:0], c.Rest())
	if !ok {
		return
	}
	result, lim := set.Of(intset.New()), c.World.SetLimits()
	if byRemoval(sets) {
		result = difference(sets, lim)
	} else {
		subtract(sets, func(member ziplist.Entry) bool {
			result.AppendEntry(member, lim)
			return true
		})
	}
	c.Store(destination, &result, event.Set("sdiffstore"))
}

// byRemoval reports whether a difference is computed by removing the members of the other sets from
// a copy of the first, and not by looking its members up in the others. It estimates the cost as
// Redis does, since the encoding of the result depends on the method.
func byRemoval(sets []*set.Set) bool {
	lookups, removals := 0, 0
	for _, s := range sets {
		if n := s.Len(); n > 0 {
			lookups += sets[0].Len()
			removals += n
		}
	}
	return lookups/2 > removals
}

// difference returns a copy of the first set without the members of the others.
func difference(sets []*set.Set, lim set.Limits) set.Set {
	rest := set.Of(intset.New())
	addAll(&rest, sets[0], lim)
	for _, other := range sets[1:] {
		other.Each(func(member ziplist.Entry) bool {
			rest.RemoveEntry(member)
			return true
		})
	}
	return rest
}

// subtract calls fn for the members of the first set that no other set has, until fn returns false.
func subtract(sets []*set.Set, fn func(member ziplist.Entry) bool) {
	sets[0].Each(func(member ziplist.Entry) bool {
		return anyHas(sets[1:], member) || fn(member)
	})
}

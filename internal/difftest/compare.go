package difftest

import (
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
)

// same reports whether two replies are equal by the mode.
func (m Mode) same(a, b resp.Value) bool {
	switch {
	case a.IsError() || b.IsError():
		return a.Equal(b)
	case m.Shape:
		return sameShape(a, b)
	case m.Heap:
		return slices.Equal(heap(nil, a), heap(nil, b))
	case m.Times:
		return timeless(a).Equal(timeless(b))
	case m.Near > 0 && a.Kind == resp.Integer && b.Kind == resp.Integer:
		return near(a.Int, b.Int, m.Near)
	case m.Near > 0 && a.Kind == resp.Array && b.Kind == resp.Array:
		return slices.EqualFunc(a.Elems, b.Elems, m.same)
	}
	return transcript.Arrange(a, m.Order).Equal(transcript.Arrange(b, m.Order))
}

// near reports whether two times differ by at most tolerance. Negative ones are special values and
// must be equal.
func near(a, b, tolerance int64) bool {
	if a < 0 || b < 0 {
		return a == b
	}
	return max(a-b, b-a) <= tolerance
}

// heap appends the leaves of a tree and sorts all leaves.
func heap(leaves []string, v resp.Value) []string {
	if len(v.Elems) == 0 {
		leaves = append(leaves, v.String())
	}
	for _, e := range v.Elems {
		leaves = heap(leaves, e)
	}
	slices.Sort(leaves)
	return leaves
}

// sameShape reports whether two trees differ only in the content of their leaves.
func sameShape(a, b resp.Value) bool {
	return a.Kind == b.Kind && a.Nil == b.Nil && slices.EqualFunc(a.Elems, b.Elems, sameShape)
}

// judge compares the replies of one connection, command by command. It remembers the commands that
// MULTI queued, because each element of EXEC's reply is compared in the mode of its command.
type judge struct {
	known  []known
	queued []Command
	apart  float64 // seconds by which one server may be behind the other
}

// agrees reports whether the two replies to c are the same or their difference is known.
func (j *judge) agrees(c Command, redis, ours resp.Value) bool {
	if redis.Kind == resp.Status && redis.Text == "QUEUED" {
		if c.needsCalm() {
			j.queued = append(j.queued, Command{Args: calm})
		}
		j.queued = append(j.queued, c)
		return redis.Equal(ours)
	}
	queued := j.queued
	if isOneOf(c, "EXEC", "DISCARD", "RESET") {
		j.queued = nil
	}
	if isOneOf(c, "EXEC") && redis.Kind == resp.Array && len(redis.Elems) == len(queued) &&
		len(ours.Elems) == len(queued) {
		for i, q := range queued {
			if !j.alike(q, redis.Elems[i], ours.Elems[i]) {
				return false
			}
		}
		return redis.Nil == ours.Nil
	}
	return j.alike(c, redis, ours)
}

// alike is agrees for a command outside of transactions.
func (j *judge) alike(c Command, redis, ours resp.Value) bool {
	mode := c.Mode
	// Near is more than a second in either unit, so this adds enough for each second
	mode.Near += int64(math.Ceil(float64(mode.Near) * j.apart))
	return mode.same(redis, ours) ||
		slices.ContainsFunc(j.known, func(k known) bool { return k.allows(c, redis, ours) })
}

func isOneOf(c Command, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(c.Args[0], name) })
}

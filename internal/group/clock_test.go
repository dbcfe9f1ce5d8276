package group

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const second, hour = 1_000_000, 3600 * 1_000_000 // microseconds

// hands are a wall clock and one that never jumps, which a test moves.
type hands struct{ wall, passed int64 }

func (h *hands) clock() *clock {
	c := &clock{}
	c.init(func() int64 { return h.wall }, func() int64 { return h.passed * 1000 })
	return c
}

func (h *hands) pass(micros int64) {
	h.wall += micros
	h.passed += micros
}

func TestALeadersClockDoesNotJump(t *testing.T) {
	h := &hands{wall: 1000 * hour}
	c := h.clock()
	c.set(h.wall, false)
	c.lead(false)
	h.wall += hour // somebody sets it
	begin := c.Now()
	require.EqualValues(t, 1000*hour, begin)
	for last := begin; last < begin+second; last = c.Now() {
		h.pass(second / 100)
		require.GreaterOrEqual(t, c.Now(), last)
	}
	require.Less(t, c.Now(), begin+2*second)
	h.pass(25 * hour)
	require.Equal(t, h.wall, c.Now(), "after a day it shows the same")

	h.wall -= hour
	last := c.Now()
	h.pass(second)
	require.Greater(t, c.Now(), last, "it never goes back")
}

func TestANewLeaderGoesOnFromTheLastEntry(t *testing.T) {
	h := &hands{wall: 1000 * hour}
	c := h.clock()
	c.set(900*hour, false)
	c.lead(false)
	require.EqualValues(t, 900*hour, c.Now())
	c.set(900*hour, false)
	c.lead(true)
	require.EqualValues(t, 1000*hour, c.Now(), "the group was down")
	c.set(1100*hour, false)
	c.lead(true)
	require.EqualValues(t, 1100*hour, c.Now(), "time does not go back")
}

func TestAFollowersClockWaitsForTheLeader(t *testing.T) {
	h := &hands{wall: 1000 * hour}
	c := h.clock()
	c.set(10*hour, false)
	h.pass(second / 2)
	require.EqualValues(t, 10*hour+second/2, c.Now())
	h.pass(hour)
	require.EqualValues(t, 10*hour+second, c.Now())
}

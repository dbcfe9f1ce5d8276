package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The first pieces leave at once, those of the next moment together, and also if nothing else wakes
// the loop.
func TestPacedReplies(t *testing.T) {
	r := start(t, Options{Loops: 1})
	c := r.dial(t)
	require.Equal(t, "+PONG", c.ask("PING"))
	sent := 0
	for range 20 {
		r.engine.With(func() {
			s := r.engine.Sessions.ByID[1]
			require.NotNil(t, s)
			for range 3 {
				s.Reply.Status(fmt.Sprint(sent))
				s.WakeSoon()
				sent++
			}
		})
		for i := sent - 3; i < sent; i++ {
			require.Equal(t, fmt.Sprintf("+%d", i), c.line())
		}
	}
	require.Equal(t, "+PONG", c.ask("PING"))
}

// A reply that waits leaves before what must be sent at once, and only once.
func TestPacedRepliesAreSentAtOnceWithOthers(t *testing.T) {
	r := start(t, Options{Loops: 1})
	c := r.dial(t)
	require.Equal(t, "+PONG", c.ask("PING"))
	for range 20 {
		r.engine.With(func() {
			s := r.engine.Sessions.ByID[1]
			s.Reply.Status("soon")
			s.WakeSoon()
			s.Reply.Status("now")
			s.Wake()
		})
		require.Equal(t, "+soon", c.line())
		require.Equal(t, "+now", c.line())
		require.Equal(t, "+PONG", c.ask("PING"))
	}
}

func TestPacedConnectionsWaitForTheNextPace(t *testing.T) {
	p, a, b := new(paced), new(conn), new(conn)
	require.True(t, p.add(a))
	require.False(t, p.add(b))
	require.True(t, p.due.Load())
	require.LessOrEqual(t, p.wait(), time.Duration(0))

	before := time.Now()
	require.Equal(t, []*conn{a, b}, p.take())
	require.False(t, p.due.Load())
	require.False(t, p.next.Before(before.Add(pace)))
	p.next = p.next.Add(time.Hour)
	require.True(t, p.add(b))
	require.Positive(t, p.wait())
	require.Equal(t, []*conn{b}, p.take())
}

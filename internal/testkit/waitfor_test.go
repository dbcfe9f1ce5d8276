package testkit_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// A test need not sleep until a client has blocked: it waits, then lets the time pass.
func TestWaitForClosesTheRaceOfAdvance(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.Unix(1700000000, 0))
	for range 20 {
		c, w := connect(t, s), connect(t, s)
		c.send(t, "BLPOP", "list", "3600")
		require.Equal(t, "OK", w.ask(t, "MINI.WAITFOR", "BLOCKED", "1", "TIMEOUT", "10000").Text)
		require.False(t, w.ask(t, "MINI.CLOCK", "ADVANCE", "3600000").IsError())
		require.True(t, c.next(t).IsNull())
	}
}

// The time that it waits is real: it ends on a frozen clock without anybody's help, and does not
// end early on a fast one.
func TestWaitForTimesOutByTheMachine(t *testing.T) {
	s := miniserver.Run(t)
	for _, pace := range []string{"FREEZE", "RESUME", "SCALE 1000000"} {
		switch pace {
		case "SCALE 1000000":
			s.Do("MINI.CLOCK", "SCALE", "1000000")
		default:
			s.Do("MINI.CLOCK", pace)
		}
		began := time.Now()
		require.Regexp(t, `^TIMEOUT after 30 milliseconds: waited for key "k", found none`, s.Do("MINI.WAITFOR", "KEY", "k", "TIMEOUT", "30").Text)
		require.GreaterOrEqual(t, time.Since(began), 29*time.Millisecond, pace)
		require.Equal(t, "OK", s.Do("MINI.WAITFOR", "QUIET", "5", "TIMEOUT", "10000").Text, pace)
	}
}

// A world is quiet whatever the clients of another one do.
func TestQuietIsOfOneWorld(t *testing.T) {
	s := miniserver.Run(t)
	w := s.NewWorld(t)
	c, done := connect(t, s), make(chan struct{})
	var busy sync.WaitGroup
	defer busy.Wait()
	defer close(done)
	busy.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				c.ask(t, "PING")
			}
		}
	})
	require.Equal(t, "OK", w.Do("MINI.WAITFOR", "QUIET", "20", "TIMEOUT", "10000").Text)
}

// Many clients wait, are served and hang up at once.
func TestWaitForUnderLoad(t *testing.T) {
	s := miniserver.Run(t)
	var all sync.WaitGroup
	for i := range 8 {
		c := connect(t, s)
		all.Go(func() {
			for n := range 50 {
				switch {
				case i%4 == 0:
					c.ask(t, "MINI.WAITFOR", "LENGTH", "q", "1", "TIMEOUT", "50")
				case i%4 == 1:
					c.ask(t, "BLPOP", "q", "0.01")
				case i%4 == 2:
					c.ask(t, "RPUSH", "q", "x")
				case n%2 == 0:
					c.ask(t, "MINI.WAITFOR", "BLOCKED", "1", "TIMEOUT", "5")
				default:
					c.ask(t, "MINI.WAITFOR", "QUIET", "1", "TIMEOUT", "2")
				}
			}
		})
	}
	gone := connect(t, s)
	gone.send(t, "MINI.WAITFOR", "KEY", "never", "TIMEOUT", "86400000")
	require.NoError(t, gone.Close())
	all.Wait()
	require.Equal(t, "OK", s.Do("MINI.WAITFOR", "BLOCKED", "0", "TIMEOUT", "10000").Text)
}

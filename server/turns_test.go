package server

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Work beside requests goes on while clients ask without a pause, and they get their replies
// meanwhile.
func TestTurnsAndRequestsShareALoop(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	require.Equal(t, "+PONG", c.ask("PING"))
	turns, done := 0, make(chan struct{})
	var answered atomic.Int64
	go func() {
		r.engine.InTurns(func(length time.Duration) bool {
			turns++
			return turns < 100 || answered.Load() < 100
		})
		close(done)
	}()
	for over := false; !over; {
		require.Equal(t, "+PONG", c.ask("PING"))
		answered.Add(1)
		select {
		case <-done:
			over = true
		default:
		}
	}
	require.GreaterOrEqual(t, turns, 100)
	require.GreaterOrEqual(t, answered.Load(), int64(100))
}

// What is begun is done, also if the server stops meanwhile or has stopped.
func TestTurnsOutliveTheServer(t *testing.T) {
	r := start(t, Options{})
	began, turns := make(chan struct{}), 0
	go func() {
		<-began
		r.stop()
	}()
	r.engine.InTurns(func(time.Duration) bool {
		if turns++; turns == 1 {
			close(began)
		}
		return turns < 1000
	})
	require.Equal(t, 1000, turns)
	require.NoError(t, r.await(t))
	r.engine.InTurns(func(time.Duration) bool {
		turns++
		return turns < 2000
	})
	require.Equal(t, 2000, turns)
}

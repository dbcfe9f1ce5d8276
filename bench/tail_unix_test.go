//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestWaitsCountFromWhenARequestWasDue stops the server for a while: the requests that were due
// meanwhile waited.
func TestWaitsCountFromWhenARequestWasDue(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	var end ending
	done := make(chan []time.Duration)
	go func() {
		latencies, _ := s.pace(1000, &end)
		done <- latencies
	}()
	time.Sleep(100 * time.Millisecond)
	require.NoError(t, syscall.Kill(s.process.PID, syscall.SIGSTOP))
	time.Sleep(time.Second)
	require.NoError(t, syscall.Kill(s.process.PID, syscall.SIGCONT))
	_, err = s.do("PING")
	require.NoError(t, err)
	end.now()
	latencies := <-done
	waited := 0
	for _, l := range latencies {
		if l > 100*time.Millisecond {
			waited++
		}
	}
	require.Greater(t, waited, 2*paceClients, "only one request of each client waited")
}

package main

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// TestSessionExpires is the test that the README shows: a server inside the test, whose clock moves by
// hand.
func TestSessionExpires(t *testing.T) {
	s := miniserver.Run(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	defer func() { _ = client.Close() }()

	s.Freeze(time.Now()) // to the millisecond, however slow the machine
	require.NoError(t, client.Set(t.Context(), "session", "alice", time.Hour).Err())
	s.Advance(time.Hour - time.Millisecond)
	require.EqualValues(t, 1, client.Exists(t.Context(), "session").Val())
	s.Advance(time.Millisecond)
	require.Zero(t, client.Exists(t.Context(), "session").Val())
}

package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// TestSessionExpires is the test that the README shows: a server inside the test, whose clock moves
// by hand.
func TestSessionExpires(t *testing.T) {
	s := miniserver.Run(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr()}) // any client library
	client.Set(t.Context(), "session", "alice", time.Hour)
	s.Advance(time.Hour) // returns at once
	require.Zero(t, client.Exists(t.Context(), "session").Val())
}

// TestSessionLastsAnHour is in docs/start/go.md.
func TestSessionLastsAnHour(t *testing.T) {
	s := miniserver.Run(t, "maxmemory 10mb")
	s.Freeze(time.Now())
	s.Do("SET", "session", "alice", "EX", "3600")
	s.Advance(time.Hour - time.Millisecond)
	require.Equal(t, "alice", s.Do("GET", "session").Text)
	s.Advance(time.Millisecond)
	require.True(t, s.Do("GET", "session").IsNull())
}

// TestMailIsSentInAnHour is in docs/start/go.md.
func TestMailIsSentInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := miniserver.RunInProcess(t)
		client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", Dialer: s.Dial}) // no address is looked up
		defer client.Close()
		began, sent := time.Now(), make(chan time.Time)
		worker := asynq.NewServerFromRedisClient(client, asynq.Config{LogLevel: asynq.ErrorLevel})
		require.NoError(t, worker.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
			sent <- time.Now()
			return nil
		})))
		defer worker.Shutdown()
		queue := asynq.NewClientFromRedisClient(client)
		_, err := queue.Enqueue(asynq.NewTask("welcome", nil), asynq.ProcessIn(time.Hour))
		require.NoError(t, err)
		require.WithinRange(t, <-sent, began.Add(time.Hour), began.Add(time.Hour+10*time.Second))
	})
}

// TestCountsVisits is in docs/services.md. Without MINISERVER_URL its server is inside the test.
func TestCountsVisits(t *testing.T) {
	w := miniserver.Attach(t)
	options, err := redis.ParseURL(w.URL())
	require.NoError(t, err)
	client := redis.NewClient(options)
	defer client.Close()
	require.EqualValues(t, 1, client.Incr(t.Context(), "visits").Val())
	w.Advance(time.Hour)
}

// TestSessionOverTLS is in docs/start/tls.md.
func TestSessionOverTLS(t *testing.T) {
	s := miniserver.Run(t, "tls-self-signed yes")
	client := redis.NewClient(&redis.Options{Addr: s.Addr(), TLSConfig: s.TLSConfig()})
	client.Set(t.Context(), "session", "alice", time.Hour)
	s.Advance(time.Hour)
	require.Zero(t, client.Exists(t.Context(), "session").Val())
}

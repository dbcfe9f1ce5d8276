package main

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis"
	"github.com/miniserver-go/miniserver/miniredis/server"
)

// The tests of docs/start/miniredis.md.

func TestLogin(t *testing.T) {
	m := miniredis.RunT(t)
	m.HSet("user:alice", "password", "secret")

	client := redis.NewClient(&redis.Options{Addr: m.Addr()})
	require.NoError(t, Login(t.Context(), client, "alice", "secret"))

	m.CheckGet(t, "session:alice", "open")
	require.Equal(t, time.Hour, m.TTL("session:alice"))
	m.FastForward(time.Hour)
	require.False(t, m.Exists("session:alice"))

	m.SetError("LOADING Redis is loading the dataset in memory")
	require.Error(t, Login(t.Context(), client, "alice", "secret"))
}

// Login begins a session of an hour.
func Login(ctx context.Context, client *redis.Client, user, password string) error {
	found, err := client.HGet(ctx, "user:"+user, "password").Result()
	if err != nil || found != password {
		return err
	}
	return client.Set(ctx, "session:"+user, "open", time.Hour).Err()
}

func TestLoginWithoutReplies(t *testing.T) {
	m := miniredis.RunT(t)
	m.HSet("user:alice", "password", "secret")
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	fault := []any{"MINI.FAULT", "ADD", "lost", "ON", "COMMAND", "set", "DO", "LOST-REPLY"}
	require.NoError(t, client.Do(t.Context(), fault...).Err())
	require.Error(t, Login(t.Context(), client, "alice", "secret"))
	m.CheckGet(t, "session:alice", "open") // it has run
}

func TestOwnCommand(t *testing.T) {
	m := miniredis.RunT(t)
	require.NoError(t, m.Server().Register("SHOUT", func(c *server.Peer, cmd string, args []string) {
		c.WriteBulk(strings.ToUpper(args[0]))
	}))
	client := redis.NewClient(&redis.Options{Addr: m.Addr()})
	require.Equal(t, "HELLO", client.Do(t.Context(), "shout", "hello").Val())
}

func TestHourInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		defer m.Close()
		m.ClockTTL(true)
		client := redis.NewClient(&redis.Options{
			Addr:   "127.0.0.1:6379", // unused, but go-redis would look up the name of its default
			Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		})
		defer client.Close()
		client.Set(t.Context(), "session", "alice", time.Hour)
		time.Sleep(time.Hour) // returns at once
		require.Zero(t, client.Exists(t.Context(), "session").Val())
	})
}

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// worker returns a client with a name that connects once.
func worker(t *testing.T, w *miniserver.World) *redis.Client {
	options, err := redis.ParseURL(w.URL())
	require.NoError(t, err)
	options.ClientName, options.MaxRetries, options.PoolSize = "worker-1", -1, 1
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// TestWhichClients has faults strike go-redis by each of the words that select clients.
func TestWhichClients(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client, ctx := worker(t, w), t.Context()
	id, err := client.ClientID(ctx).Result()
	require.NoError(t, err)
	info := client.ClientInfo(ctx).Val()
	for _, on := range []string{
		"ANY", "KEY k*", "COMMAND get", "CLIENT worker-*", "LIB-NAME go-redis*", "ADDR 127.0.0.1:*",
		"ADDR " + info.Addr, "USER default", "ANY CLIENT worker-1",
	} {
		words := append(append([]string{"ON"}, strings.Fields(on)...), "DO", "ERROR", "ERR no")
		require.NoError(t, w.AddFault("f", words...), on)
		require.ErrorContains(t, client.Get(ctx, "k").Err(), "no", on)
		require.NoError(t, w.ClearFaults())
	}
	require.NoError(t, w.AddFault("f", "ON", "ANY", "ID", w.Do("CLIENT", "ID").String()[len("(integer) "):],
		"DO", "ERROR", "ERR no"))
	require.ErrorIs(t, client.Get(ctx, "k").Err(), redis.Nil, "client %d is another one", id)
	require.True(t, w.Do("PING").IsError())
}

// TestScriptsAreStruck by ANY, and by the command that the client sends for them.
func TestScriptsAreStruck(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client, script := worker(t, w), redis.NewScript("return redis.call('INCR', KEYS[1])")
	require.NoError(t, script.Run(t.Context(), client, []string{"n"}).Err())
	for _, on := range [][]string{{"ANY"}, {"COMMAND", "evalsha"}, {"KEY", "n"}} {
		require.NoError(t, w.AddFault("f", append(append([]string{"ON"}, on...), "DO", "ERROR", "ERR no")...))
		require.ErrorContains(t, script.Run(t.Context(), client, []string{"n"}).Err(), "no", on)
		require.NoError(t, w.ClearFaults())
	}
	require.Equal(t, "1", w.MustDo(t, "GET", "n").Text)
}

// TestEveryOutage has go-redis meet each outage. When that is over the same client works again.
func TestEveryOutage(t *testing.T) {
	for outage, want := range map[string]string{"CUT": "EOF", "DOWN": "connection refused", "REFUSE": ""} {
		w := miniserver.Run(t).NewWorld(t)
		client := worker(t, w)
		require.NoError(t, client.Set(t.Context(), "k", "v", 0).Err())
		require.NoError(t, w.BeginOutage(outage))
		if want == "" {
			require.NoError(t, client.Get(t.Context(), "k").Err(), "who is connected stays")
			require.Error(t, worker(t, w).Get(t.Context(), "k").Err())
		} else {
			_ = client.Get(t.Context(), "k") // finds out that its connection is broken
			require.ErrorContains(t, client.Get(t.Context(), "k").Err(), want)
		}
		require.NoError(t, w.EndOutage())
		require.Eventually(t, func() bool { return client.Get(t.Context(), "k").Val() == "v" },
			time.Minute, 10*time.Millisecond) // its pool tries to dial once a second
	}

	w := miniserver.Run(t).NewWorld(t)
	client := worker(t, w)
	require.NoError(t, client.Set(t.Context(), "n", 1, 0).Err())
	require.NoError(t, w.BeginOutage("HANG", "ON", "CLIENT", "worker-*", "FOR", "5s"))
	counted := make(chan int64)
	go func() { counted <- client.Incr(t.Context(), "n").Val() }()
	require.NoError(t, w.WaitFor(t.Context(), "OUTAGE", "1"))
	require.Equal(t, "1", w.Do("GET", "n").Text)
	w.Do("MINI.CLOCK", "ADVANCE", "5s")
	require.EqualValues(t, 2, <-counted)
}

// TestARestart breaks connections, and forgets scripts.
func TestARestart(t *testing.T) {
	s := miniserver.Run(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	defer func() { _ = client.Close() }()
	hash := client.ScriptLoad(t.Context(), "return 1").Val()
	require.NoError(t, client.Set(t.Context(), "k", "v", 0).Err())
	require.NoError(t, s.Restart())
	require.Equal(t, "v", client.Get(t.Context(), "k").Val())
	require.ErrorContains(t, client.EvalSha(t.Context(), hash, nil).Err(), "NOSCRIPT")
	require.NoError(t, s.RestartEmpty())
	require.ErrorIs(t, client.Get(t.Context(), "k").Err(), redis.Nil)
}

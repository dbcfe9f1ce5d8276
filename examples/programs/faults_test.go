package main

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// fault adds a fault to a server.
func fault(t *testing.T, s *miniserver.Server, words ...string) {
	reply := s.Do(append([]string{"MINI.FAULT", "ADD"}, words...)...)
	require.Equal(t, "OK", reply.Text)
}

// TestRetryOnALostReply shows why a command that is sent again must be harmless the second time: the client does not learn
// that the first INCR was applied. A script that remembers the request counts once.
func TestRetryOnALostReply(t *testing.T) {
	s := miniserver.Run(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr()}) // sends a command up to four times
	defer func() { _ = client.Close() }()

	fault(t, s, "lost", "ON", "COMMAND", "incr", "DO", "LOST-REPLY", "TIMES", "1")
	require.EqualValues(t, 2, client.Incr(t.Context(), "orders").Val())

	const once = `if redis.call('SET', KEYS[2], '', 'NX', 'EX', 3600) then redis.call('INCR', KEYS[1]) end
		return tonumber(redis.call('GET', KEYS[1]))`
	fault(t, s, "again", "ON", "COMMAND", "eval", "DO", "LOST-REPLY", "TIMES", "1")
	n, err := client.Eval(t.Context(), once, []string{"orders", "request:1"}).Int()
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

// TestASlotMoves moves the keys of one slot to a second node, which the client of a cluster must find.
func TestASlotMoves(t *testing.T) {
	old, fresh := miniserver.Run(t, "cluster-enabled yes"), miniserver.Run(t, "cluster-enabled yes")
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{old.Addr()}})
	defer func() { _ = client.Close() }()

	require.NoError(t, client.Set(t.Context(), "{user:7}:cart", "shoes", 0).Err())
	fault(t, old, "moved", "ON", "KEY", "{user:7}*", "DO", "MOVED", fresh.Addr())
	for i := range 3 {
		require.NoError(t, client.RPush(t.Context(), "{user:7}:orders", fmt.Sprint(i)).Err())
	}
	require.EqualValues(t, 3, fresh.Do("LLEN", "{user:7}:orders").Int)
	require.Zero(t, old.Do("EXISTS", "{user:7}:orders").Int, "the node of old keeps the rest")

	fault(t, old, "ask", "ON", "KEY", "other", "DO", "ASK", fresh.Addr(), "TIMES", "1")
	require.NoError(t, client.Set(t.Context(), "other", "asked", 0).Err())
	require.Equal(t, "asked", fresh.Do("GET", "other").Text)
}

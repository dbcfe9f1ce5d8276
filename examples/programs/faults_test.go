package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// fault adds a fault to a server.
func fault(t *testing.T, s *miniserver.Server, words ...string) {
	reply := s.Do(append([]string{"MINI.FAULT", "ADD"}, words...)...)
	require.Equal(t, "OK", reply.Text)
}

// TestRetryOnALostReply shows why a command that is sent again must be harmless the second time:
// the client does not learn that the first INCR was applied. A script that remembers the request
// counts once.
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

// TestASlotMoves moves the keys of one slot to a second node, which the client of a cluster must
// find.
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

// TestEveryFault has go-redis meet each fault while it counts, as a client of one server and of a
// cluster. What it does by itself is to send the command again, over a new connection if the old
// one is no good, and in a cluster to follow a redirection. The other errors are left to the
// program.
func TestEveryFault(t *testing.T) {
	both, alone, cluster := []string{"one server", "a cluster"}, []string{"one server"}, []string{"a cluster"}
	for _, e := range []encounter{
		{clients: both, do: []string{"ERROR", "TRYAGAIN later", "TIMES", "2"}, hits: 2, counted: 1},
		{clients: both, do: []string{"ERROR", "ERR broken"}, hits: 1, refused: "ERR broken"},
		{clients: both, do: []string{"DELAY", "60000", "TIMES", "1"}, hits: 1, counted: 1, reconnects: true},
		{clients: both, do: []string{"DROP", "TIMES", "1"}, hits: 1, counted: 1, reconnects: true},
		{clients: both, do: []string{"LOST-REPLY", "TIMES", "1"}, hits: 1, counted: 2, reconnects: true},
		{clients: both, do: []string{"HALF-REPLY", "TIMES", "1"}, hits: 1, counted: 2, reconnects: true},
		{clients: both, do: []string{"LOADING", "TIMES", "2"}, hits: 2, counted: 1},
		{clients: both, do: []string{"READONLY", "TIMES", "2"}, hits: 2, counted: 1, reconnects: true},
		{clients: both, do: []string{"MASTERDOWN", "TIMES", "2"}, hits: 2, counted: 1},
		{clients: both, do: []string{"NOSCRIPT"}, hits: 1, counted: 1}, // the script is sent again, with EVAL
		{clients: both, do: []string{"OOM"}, hits: 1, refused: "OOM "},
		{clients: alone, do: []string{"MOVED", "127.0.0.1:1"}, hits: 1, refused: "MOVED "},
		{clients: alone, do: []string{"ASK", "127.0.0.1:1"}, hits: 1, refused: "ASK "},
		{clients: cluster, do: []string{"MOVED"}, hits: 1, moved: 1},
		{clients: cluster, do: []string{"ASK"}, hits: 1, moved: 1},
	} {
		for _, kind := range e.clients {
			t.Run(kind+"/"+e.do[0], func(t *testing.T) {
				t.Parallel()
				e.test(t, kind)
			})
		}
	}
}

// encounter is a fault, and what becomes of a client that counts once while it is there.
type encounter struct {
	clients    []string
	do         []string // what follows DO; a redirection without an address is to the second server
	hits       int64
	counted    int64  // by the server
	moved      int64  // what the second server has counted
	reconnects bool   // the client opens another connection
	refused    string // how the error begins that the program gets; "" for none
}

func (e encounter) test(t *testing.T, kind string) {
	first, second := miniserver.Run(t, "cluster-enabled yes"), miniserver.Run(t, "cluster-enabled yes")
	first.Freeze(time.Unix(1_700_000_000, 0)) // a delay lasts until the client has lost patience, after three seconds
	client := connect(kind, first)
	defer func() { _ = client.Close() }()
	command, count := "incr", func() error { return client.Incr(t.Context(), "n").Err() }
	if e.do[0] == "NOSCRIPT" {
		script := redis.NewScript("return redis.call('INCR', KEYS[1])")
		command, count = "evalsha", func() error { return script.Run(t.Context(), client, []string{"n"}).Err() }
		require.NoError(t, script.Load(t.Context(), client).Err())
	}
	require.NoError(t, client.Set(t.Context(), "warm", "up", 0).Err())
	connected := connections(first)

	do := e.do
	if e.moved > 0 {
		do = append(slices.Clone(do), second.Addr())
	}
	fault(t, first, append([]string{"f", "ON", "COMMAND", command, "DO"}, do...)...)
	if err := count(); e.refused == "" {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, e.refused)
	}
	require.Equal(t, e.hits, hits(first))
	require.Equal(t, e.counted, counted(first))
	require.Equal(t, e.moved, counted(second))
	if e.reconnects {
		require.Greater(t, connections(first), connected)
	} else if kind == "one server" {
		require.Equal(t, connections(first), connected)
	}
}

func connect(kind string, s *miniserver.Server) redis.UniversalClient {
	if kind == "a cluster" {
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{s.Addr()}})
	}
	return redis.NewClient(&redis.Options{Addr: s.Addr()})
}

// hits returns how many commands the only fault of a server has struck.
func hits(s *miniserver.Server) int64 {
	n, _ := strconv.ParseInt(s.Do("MINI.FAULT", "LIST").Elems[0].StringMap()["hits"], 10, 64)
	return n
}

// counted returns what a server has counted.
func counted(s *miniserver.Server) int64 {
	n, _ := strconv.ParseInt(s.Do("GET", "n").Text, 10, 64)
	return n
}

// connections returns how many connections a server has accepted.
func connections(s *miniserver.Server) (n int64) {
	_, info, _ := strings.Cut(s.Do("INFO", "stats").Text, "total_connections_received:")
	_, _ = fmt.Sscan(info, &n)
	return n
}

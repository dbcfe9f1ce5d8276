package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// follower returns a client of a server of ours that replicates the server on a port, and its own port.
func follower(t *testing.T, port string, args ...string) (a *asker, own string) {
	addr, _, _ := launched(t, append([]string{"--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes", "--replicaof", "127.0.0.1 " + port}, args...)...)
	conn, err := net.Dial("tcp", addr)
	a = newAsker(t, conn, err)
	_, own, err = net.SplitHostPort(addr)
	require.NoError(t, err)
	return a, own
}

// realMaster returns a client of a server of a release that listens on a port.
func realMaster(t *testing.T, r reference.Release) (theirs *asker, port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	server := r.Start(t, "--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0")
	return newAsker(t, server.Dial(t), nil), port
}

// change executes random commands of all families.
func change(t *testing.T, a *asker, seed uint64, n int) {
	for i, families := range []string{"strings", "hashes", "lists", "sets", "zsets", "streams", "keys", "bitmaps,geo,hyperloglogs,sort"} {
		g, err := difftest.NewGenerator(seed+uint64(i), strings.Split(families, ","))
		require.NoError(t, err)
		for _, c := range g.Take(n) {
			switch strings.ToLower(c.Args[0]) {
			case "config", "multi", "blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop", "xread", "xreadgroup":
				continue // must not wait, nor change what later commands mean
			}
			out := resp.NewWriter(2)
			out.Command(c.Args...)
			_, err := a.Write(out.Bytes())
			require.NoError(t, err)
			_, err = a.in.Read()
			require.NoError(t, err)
		}
	}
}

// Servers of ours follow one another in a chain: data of all types, random changes, transactions and scripts.
func TestFollowingAChain(t *testing.T) {
	top, port := master(t)
	stockAll(t, top)
	top.ask(t, `FUNCTION LOAD "#!lua name=lib\nredis.register_function{function_name='f', callback=function() return 7 end, flags={'no-writes'}}"`)
	middle, middlePort := follower(t, port)
	requireSame(t, top, middle)
	require.Equal(t, int64(7), middle.count(t, "FCALL_RO f 0"))
	bottom, _ := follower(t, middlePort)
	requireSame(t, top, bottom)
	change(t, top, 1, 100)
	top.ask(t, "SELECT 3")
	top.ask(t, `EVAL "redis.call('set', 'a', 1) redis.call('incr', 'a')" 0`)
	requireSame(t, top, middle)
	requireSame(t, top, bottom)
	for _, a := range []*asker{middle, bottom} {
		require.Equal(t, field(t, top, "master_repl_offset"), field(t, a, "master_repl_offset"))
		require.Equal(t, field(t, top, "master_replid"), field(t, a, "master_replid"))
		require.Contains(t, a.ask(t, "SET a b"), "READONLY")
		require.Contains(t, a.ask(t, "CLIENT LIST TYPE master"), " flags=M ")
	}
	require.Equal(t, int64(1), top.count(t, "WAIT 1 60000"))

	middle.ask(t, "CLIENT KILL TYPE master")
	top.ask(t, "SET after kill")
	requireSame(t, top, middle)
	requireSame(t, top, bottom)
	require.Equal(t, "1", field(t, top, "sync_partial_ok"))
}

// A replica that becomes the master goes on with the history of the old one, so that its siblings, and the old master, need no
// snapshot.
func TestPromotion(t *testing.T) {
	a, aPort := master(t)
	b, bPort := follower(t, aPort)
	c, _ := follower(t, aPort)
	a.ask(t, "SET k 1")
	requireSame(t, a, b)
	requireSame(t, a, c)
	require.Equal(t, "OK", b.ask(t, "REPLICAOF NO ONE"))
	b.ask(t, "SET k 2")
	require.Equal(t, field(t, a, "master_replid"), field(t, b, "master_replid2"))
	for _, s := range []*asker{a, c} {
		require.Equal(t, "OK", s.ask(t, "REPLICAOF 127.0.0.1 "+bPort))
		requireSame(t, b, s)
		require.Equal(t, field(t, b, "master_replid"), field(t, s, "master_replid"))
	}
	require.Equal(t, "0", field(t, b, "sync_full"))
	require.Equal(t, "2", field(t, b, "sync_partial_ok"))
}

// Real masters of several releases are followed, and so are their changes.
func TestFollowingRealMasters(t *testing.T) {
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Redis62, reference.Valkey81} {
		t.Run(string(r), func(t *testing.T) {
			theirs, port := realMaster(t, r)
			stockAll(t, theirs)
			ours, _ := follower(t, port, "--like", string(r))
			requireSame(t, theirs, ours)
			change(t, theirs, 7, 100)
			requireSame(t, theirs, ours)
			require.Equal(t, int64(1), theirs.count(t, "WAIT 1 60000"))

			theirs.ask(t, "MULTI") // it cannot come back in between
			theirs.ask(t, "CLIENT KILL TYPE replica")
			theirs.ask(t, "SET key after")
			theirs.ask(t, "EXEC")
			requireSame(t, theirs, ours)
			require.Equal(t, "1", field(t, theirs, "sync_partial_ok"))
			require.Equal(t, "0", field(t, ours, "unexpected_error_replies"), fmt.Sprint(r))
		})
	}
}

// FAILOVER hands the role over without a loss.
func TestFailover(t *testing.T) {
	a, aPort := master(t)
	b, _ := follower(t, aPort)
	requireSame(t, a, b)
	a.ask(t, "SET k 1")
	require.Equal(t, "OK", a.ask(t, "FAILOVER"))
	eventually(t, "the replica is the master", func() bool { return field(t, b, "role") == "master" })
	eventually(t, "the master follows it", func() bool {
		return field(t, a, "master_failover_state") == "no-failover" && field(t, a, "master_link_status") == "up"
	})
	require.Equal(t, "OK", b.ask(t, "SET k 2"))
	requireSame(t, b, a)
	require.Equal(t, "0", field(t, b, "sync_full"))
}

// cutter passes connections on to a server, and cuts each after some more bytes from the server than the one before.
func cutter(t *testing.T, to string, cuts, step int) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 1; ; n++ {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", "127.0.0.1:"+to)
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(server, client)
				server.Close()
			}()
			go func() {
				if n <= cuts {
					_, _ = io.CopyN(client, server, int64(n*step))
				} else {
					_, _ = io.Copy(client, server)
				}
				client.Close()
				server.Close()
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// The connection of a replica is cut again and again, in snapshots, in commands and in transactions, while the master changes.
func TestFollowingThroughCuts(t *testing.T) {
	ours, port := master(t)
	stockAll(t, ours)
	a, _ := follower(t, cutter(t, port, 3, 5_003))
	b, _ := follower(t, cutter(t, port, 2, 40_009))
	for seed := range uint64(20) {
		change(t, ours, 100*seed, 20)
		ours.ask(t, `EVAL "for i = 1, 20 do redis.call('incr', 'n' .. i) redis.call('lpush', 'l', i) end" 0`)
		ours.ask(t, "HSET h"+fmt.Sprint(seed)+" f v g w")
		ours.ask(t, "HPEXPIRE h"+fmt.Sprint(seed)+" 1 FIELDS 1 f")
		ours.ask(t, "SET gone x PX 1")
		ours.ask(t, "CLIENT KILL TYPE replica")
	}
	for _, s := range []*asker{a, b} {
		eventually(t, "the replica has the same data", func() bool {
			return field(t, s, "master_link_status") == "up" && s.ask(t, "DEBUG DIGEST") == ours.ask(t, "DEBUG DIGEST")
		})
	}
	for _, s := range []*asker{a, b} {
		require.Equal(t, "0", field(t, s, "unexpected_error_replies"))
	}
}

package e2e

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// follower returns a client of a server of ours that replicates the server on a port, and its own
// port.
func follower(t *testing.T, port string, args ...string) (a *asker, own string) {
	options := []string{"--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes", "--replicaof",
		"127.0.0.1 " + port}
	addr, _, _ := launched(t, append(options, args...)...)
	conn, err := net.Dial("tcp", addr)
	a = newAsker(t, conn, err)
	_, own, err = net.SplitHostPort(addr)
	require.NoError(t, err)
	return a, own
}

// requireFollows waits until a replica has the data of its master, of which some may expire
// meanwhile.
func requireFollows(t *testing.T, master, replica *asker) {
	t.Helper()
	eventually(t, "the replica has the same data", func() bool {
		return field(t, replica, "master_link_status") == "up" && strings.Contains(master.ask(t, "INFO replication"),
			"state=online") && replica.ask(t, "DEBUG DIGEST") == master.ask(t, "DEBUG DIGEST")
	})
}

// realMaster returns a client of a server of a release that listens on a port.
func realMaster(t *testing.T, r reference.Release) (theirs *asker, port string) {
	server, port := listening(t, r)
	return newAsker(t, server.Dial(t), nil), port
}

// listening returns a server of a release that listens on a port.
func listening(t *testing.T, r reference.Release) (server *reference.Server, port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return r.Start(t, "--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"), port
}

// change executes random commands of all families, n of each.
func change(t *testing.T, a *asker, seed uint64, n int) {
	for i, families := range allFamilies {
		changeSome(t, a, seed+uint64(i), families, n)
	}
}

// Servers of ours follow one another in a chain: data of all types, random changes, transactions
// and scripts.
func TestFollowingAChain(t *testing.T) {
	top, port := master(t)
	stockAll(t, top)
	top.ask(t, `FUNCTION LOAD "#!lua name=lib\nredis.register_function{function_name='f', callback=function() return 7 end, flags={'no-writes'}}"`)
	middle, middlePort := follower(t, port)
	requireFollows(t, top, middle)
	require.Equal(t, int64(7), middle.count(t, "FCALL_RO f 0"))
	bottom, _ := follower(t, middlePort)
	requireFollows(t, top, bottom)
	change(t, top, 1, 100)
	top.ask(t, "SELECT 3")
	top.ask(t, `EVAL "redis.call('set', 'a', 1) redis.call('incr', 'a')" 0`)
	requireFollows(t, top, middle)
	requireFollows(t, top, bottom)
	for _, a := range []*asker{middle, bottom} {
		require.Equal(t, field(t, top, "master_repl_offset"), field(t, a, "master_repl_offset"))
		require.Equal(t, field(t, top, "master_replid"), field(t, a, "master_replid"))
		require.Contains(t, a.ask(t, "SET a b"), "READONLY")
		require.Contains(t, a.ask(t, "CLIENT LIST TYPE master"), " flags=M ")
	}
	require.Equal(t, int64(1), top.count(t, "WAIT 1 60000"))

	middle.ask(t, "CLIENT KILL TYPE master")
	top.ask(t, "SET after kill")
	requireFollows(t, top, middle)
	requireFollows(t, top, bottom)
	require.Equal(t, "1", field(t, top, "sync_partial_ok"))
}

// A replica that becomes the master goes on with the history of the old one, so that its siblings,
// and the old master, need no snapshot.
func TestPromotion(t *testing.T) {
	a, aPort := master(t)
	b, bPort := follower(t, aPort)
	c, _ := follower(t, aPort)
	a.ask(t, "SET k 1")
	requireFollows(t, a, b)
	requireFollows(t, a, c)
	require.Equal(t, "OK", b.ask(t, "REPLICAOF NO ONE"))
	b.ask(t, "SET k 2")
	require.Equal(t, field(t, a, "master_replid"), field(t, b, "master_replid2"))
	for _, s := range []*asker{a, c} {
		require.Equal(t, "OK", s.ask(t, "REPLICAOF 127.0.0.1 "+bPort))
		requireFollows(t, b, s)
		require.Equal(t, field(t, b, "master_replid"), field(t, s, "master_replid"))
	}
	require.Equal(t, "0", field(t, b, "sync_full"))
	require.Equal(t, "2", field(t, b, "sync_partial_ok"))
}

// Real masters of several releases are followed, and so are their changes, also by a real replica
// of a server of ours.
func TestFollowingRealMasters(t *testing.T) {
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Redis62, reference.Valkey81} {
		t.Run(string(r), func(t *testing.T) {
			theirs, port := realMaster(t, r)
			stockAll(t, theirs)
			theirs.ask(t, "SELECT 2")
			theirs.ask(t, "SET selected x")
			ours, own := follower(t, port, "--like", string(r))
			requireFollows(t, theirs, ours)
			below := newAsker(t, r.Start(t, "--replicaof", "127.0.0.1", own).Dial(t), nil)
			requireFollows(t, theirs, below)
			change(t, theirs, 7, 100)
			requireFollows(t, theirs, ours)
			requireFollows(t, theirs, below)
			require.Equal(t, int64(1), theirs.count(t, "WAIT 1 60000"))

			theirs.ask(t, "MULTI") // it cannot come back in between
			theirs.ask(t, "CLIENT KILL TYPE replica")
			theirs.ask(t, "SET key after")
			theirs.ask(t, "EXEC")
			requireFollows(t, theirs, ours)
			require.Equal(t, "1", field(t, theirs, "sync_partial_ok"))
			require.Equal(t, "0", field(t, ours, "unexpected_error_replies"), fmt.Sprint(r))
		})
	}
}

// FAILOVER hands the role over without a loss.
func TestFailover(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	a, aPort := master(t)
	b, _ := follower(t, aPort)
	requireFollows(t, a, b)
	a.ask(t, "SET k 1")
	require.Equal(t, "OK", a.ask(t, "FAILOVER"))
	eventually(t, "the replica is the master", func() bool { return field(t, b, "role") == "master" })
	eventually(t, "the master follows it", func() bool {
		return field(t, a, "master_failover_state") == "no-failover" && field(t, a, "master_link_status") == "up"
	})
	require.Equal(t, "OK", b.ask(t, "SET k 2"))
	requireFollows(t, b, a)
	require.Equal(t, "0", field(t, b, "sync_full"))
}

// A replica of ours has data of every type and encoding as its master has them: in the snapshot,
// and in the stream.
func TestFollowingEveryType(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	top, port := master(t)
	fill := func(seed uint64) {
		for _, c := range dataset.New(seed).Keys(200) {
			out := resp.NewWriter(2)
			out.Command(c...)
			_, err := top.Write(out.Bytes())
			require.NoError(t, err)
			v, err := top.in.Read()
			require.NoError(t, err)
			require.NotEqual(t, byte('-'), v.Kind, "%s", v.Text)
		}
	}
	fill(1)
	a, _ := follower(t, port)
	requireFollows(t, top, a)
	top.ask(t, "FLUSHALL")
	fill(2)
	requireFollows(t, top, a)
	require.Equal(t, "0", field(t, a, "unexpected_error_replies"))
}

// INFO replication of a replica has the fields of the real one in each state, and ROLE the same
// states.
func TestFollowersTellAsReal(t *testing.T) {
	names := func(a *asker) (list []string) {
		for line := range strings.Lines(a.ask(t, "INFO replication")) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			list = append(list, name)
		}
		return list
	}
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Valkey81} {
		t.Run(string(r), func(t *testing.T) {
			_, port := masterLike(t, r)
			theirs := newAsker(t, r.Start(t, "--replicaof", "127.0.0.1", "1").Dial(t), nil)
			ours, _ := follower(t, "1", "--like", string(r))
			require.Equal(t, names(theirs), names(ours), "down")
			for _, a := range []*asker{ours, theirs} {
				require.Equal(t, "OK", a.ask(t, "REPLICAOF 127.0.0.1 "+port))
				eventually(t, "it is up", func() bool { return field(t, a, "master_link_status") == "up" })
			}
			require.Equal(t, names(theirs), names(ours), "up")
			for _, command := range []string{"ROLE", "REPLICAOF NO", "REPLICAOF a b c", "REPLICAOF a b",
				"REPLICAOF 127.0.0.1 " + port, "FAILOVER", "FAILOVER ABORT",
				"WAIT 0 0", "WAITAOF 0 0 0", "SET a b", "PSYNC ? x", "FAILOVER TO a", "REPLICAOF a 70000",
				"EVAL \"return redis.call('set', 'a', 'b')\" 0",
				"EVAL \"return redis.pcall('set', 'a', 'b')\" 0", "CONFIG GET replicaof",
				"CONFIG SET replicaof \"a 1\"", "CONFIG GET slave-read-only"} {
				require.Equal(t, show(t, theirs, command), show(t, ours, command), command)
			}
			for _, a := range []*asker{ours, theirs} {
				require.Equal(t, "OK", a.ask(t, "REPLICAOF NO ONE"))
			}
			require.Equal(t, names(theirs), names(ours), "master")
		})
	}
}

// show returns all of a reply.
func show(t *testing.T, a *asker, command string) string {
	_, err := a.Write([]byte(command + "\r\n"))
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return fmt.Sprintf("%+v", v)
}

// cutter passes connections on to a server, and cuts each after some more bytes from the server
// than the one before.
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

// The connection of a replica is cut again and again, in snapshots, in commands and in
// transactions, while the master changes.
func TestFollowingThroughCuts(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
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
	requireFollows(t, ours, a)
	requireFollows(t, ours, b)
	for _, s := range []*asker{a, b} {
		require.Equal(t, "0", field(t, s, "unexpected_error_replies"))
	}
}

// A real master hands its role to a server of ours, and gets it back.
func TestFailoverToAndFromReal(t *testing.T) {
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Valkey81} {
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			theirs, port := realMaster(t, r)
			ours, own := follower(t, port, "--like", string(r))
			requireFollows(t, theirs, ours)
			for _, turn := range []struct {
				from, to *asker
				port     string
			}{{theirs, ours, own}, {ours, theirs, port}} {
				turn.from.ask(t, "SET k "+turn.port)
				before := field(t, turn.to, "sync_full")
				eventually(t, "the failover begins", func() bool {
					return turn.from.ask(t, "FAILOVER TO 127.0.0.1 "+turn.port+" TIMEOUT 20000") == "OK"
				})
				eventually(t, "the roles are exchanged", func() bool {
					return field(t, turn.to, "role") == "master" &&
						field(t, turn.from, "master_failover_state") == "no-failover"
				})
				require.Equal(t, "OK", turn.to.ask(t, "SET l "+turn.port))
				requireFollows(t, turn.to, turn.from)
				require.Equal(t, before, field(t, turn.to, "sync_full"))
			}
		})
	}
}

// A failover that no replica can complete ends at its deadline, or by hand; meanwhile writes wait.
func TestFailoverEnds(t *testing.T) {
	ours, port := master(t)
	theirs, own := follower(t, port)
	requireFollows(t, ours, theirs)
	theirs.ask(t, "CLIENT PAUSE 100000") // it acknowledges nothing new
	ours.ask(t, "SET k v")
	eventually(t, "the replica is online, and the failover begins",
		func() bool { return ours.ask(t, "FAILOVER TO 127.0.0.1 "+own+" TIMEOUT 50") == "OK" })
	require.Equal(t, "OK", ours.ask(t, "SET k w"), "when it is over")
	require.Equal(t, "no-failover", field(t, ours, "master_failover_state"))
	require.Equal(t, "OK", ours.ask(t, "FAILOVER"))
	require.Equal(t, "waiting-for-sync", field(t, ours, "master_failover_state"))
	require.Equal(t, "ERR FAILOVER already in progress.", ours.ask(t, "FAILOVER"))
	require.Equal(t, "ERR REPLICAOF not allowed while failing over.", ours.ask(t, "REPLICAOF 127.0.0.1 1"))
	require.Equal(t, "OK", ours.ask(t, "FAILOVER ABORT"))
	require.Equal(t, "OK", ours.ask(t, "SET k x"))
	require.Equal(t, "master", field(t, ours, "role"))
}

// The worlds of a test are not replicated, and on a replica clients write to them.
func TestWorldsAreNotReplicated(t *testing.T) {
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--test-kit", "yes",
		"--enable-debug-command", "yes")
	conn, err := net.Dial("tcp", addr)
	top := newAsker(t, conn, err)
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	below, _ := follower(t, port, "--test-kit", "yes")
	for _, a := range []*asker{top, below} {
		require.Equal(t, "OK", a.ask(t, "MINI.WORLD USE apart"))
		require.Equal(t, "OK", a.ask(t, "SET apart "+addr))
		require.Equal(t, addr, a.ask(t, "GET apart"))
		require.Equal(t, "OK", a.ask(t, "MINI.WORLD USE default"))
	}
	require.Equal(t, "OK", top.ask(t, "SET brief v PX 60000"))
	requireFollows(t, top, below)
	top.ask(t, "MINI.CLOCK ADVANCE 60000")
	require.Equal(t, "OK", top.ask(t, "SET k v"))
	requireFollows(t, top, below)
	require.Equal(t, []int64{1, 1}, []int64{top.count(t, "DBSIZE"), below.count(t, "DBSIZE")},
		"the master says what has expired, whatever the replica's clock shows")
}

// A node of a cluster has replicas, and is none.
func TestReplicasInCluster(t *testing.T) {
	err := run(t.Context(), []string{"--cluster-enabled", "yes", "--replicaof", "127.0.0.1 1"}, nil, io.Discard)
	require.EqualError(t, err, "replicaof directive not allowed in cluster mode")
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--cluster-enabled", "yes",
		"--enable-debug-command", "yes")
	conn, err := net.Dial("tcp", addr)
	node := newAsker(t, conn, err)
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	require.Equal(t, "ERR REPLICAOF not allowed in cluster mode.", node.ask(t, "REPLICAOF 127.0.0.1 1"))
	a, _ := follower(t, port)
	change(t, node, 3, 50)
	requireFollows(t, node, a)
}

// The journal of a replica begins anew with the data of the master, and has what the master sends.
func TestTheJournalOfAReplica(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	top, port := master(t)
	top.ask(t, "SET a 1")
	dir := t.TempDir()
	p, h := ours(t, dir, "--appendonly", "yes")
	h.ask("SET", "old", "x")
	p.Journal.Close()

	p, h = ours(t, dir, "--appendonly", "yes", "--replicaof", "127.0.0.1 "+port)
	require.Equal(t, "x", h.ask("GET", "old").Text)
	p.Engine.Tick()
	eventually(t, "it follows",
		func() bool { return strings.Contains(h.ask("INFO", "replication").Text, "master_link_status:up") })
	top.ask(t, "SET b 2")
	require.Contains(t, show(t, top, "WAITAOF 0 1 60000"), "(integer) 1")
	p.Replication.Close()
	p.Journal.Close()

	p, h = ours(t, dir, "--appendonly", "yes")
	require.Equal(t, []string{"1", "2", ""},
		[]string{h.ask("GET", "a").Text, h.ask("GET", "b").Text, h.ask("GET", "old").Text})
	p.Journal.Close()

	top.ask(t, "SET c 3")
	p, h = ours(t, dir, "--appendonly", "yes", "--replicaof", "127.0.0.1 "+port)
	require.Equal(t, "2", h.ask("GET", "b").Text, "while there is no link")
	p.Engine.Tick()
	eventually(t, "it follows again", func() bool { return h.ask("GET", "c").Text == "3" })
	require.Contains(t, show(t, top, "WAITAOF 0 1 60000"), "(integer) 1")
	p.Replication.Close()
}

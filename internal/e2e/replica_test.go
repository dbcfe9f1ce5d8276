package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// master returns a client of a server of ours, and the server's port.
func master(t *testing.T) (ours *asker, port string) { return masterLike(t, reference.Default) }

// masterLike is master for a release, which an older one may not be able to follow.
func masterLike(t *testing.T, r reference.Release) (ours *asker, port string) {
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes",
		"--like", string(r))
	conn, err := net.Dial("tcp", addr)
	ours = newAsker(t, conn, err)
	_, port, err = net.SplitHostPort(addr)
	require.NoError(t, err)
	return ours, port
}

// replica returns a client of a redis-server that replicates the server on a port.
func replica(t *testing.T, port string) *asker {
	redis := reference.Start(t, "--enable-debug-command", "yes", "--replicaof", "127.0.0.1 "+port)
	return newAsker(t, redis.Dial(t), nil)
}

// count asks for a number.
func (a *asker) count(t *testing.T, command string) int64 {
	t.Helper()
	_, err := a.Write([]byte(command + "\r\n"))
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return v.Int
}

// eventually waits for what must come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		require.True(t, time.Now().Before(end), what)
	}
}

// requireSame waits until a replica has the data of its master, which must not change meanwhile.
func requireSame(t *testing.T, ours, theirs *asker) {
	t.Helper()
	digest := ours.ask(t, "DEBUG DIGEST")
	eventually(t, "the replica has the same data", func() bool {
		return strings.Contains(theirs.ask(t, "INFO replication"), "master_link_status:up") &&
			theirs.ask(t, "DEBUG DIGEST") == digest
	})
}

// field returns a line's value in a section of INFO.
func field(t *testing.T, a *asker, name string) string {
	for line := range strings.Lines(a.ask(t, "INFO everything")) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	require.Fail(t, "INFO has no such field", name)
	return ""
}

// allFamilies are the families of commands that change data.
var allFamilies = []string{"strings", "hashes", "lists", "sets", "zsets", "streams", "keys",
	"bitmaps,geo,hyperloglogs,sort"}

// changeSome executes n random commands of some families.
func changeSome(t *testing.T, a *asker, seed uint64, families string, n int) {
	g, err := difftest.NewGenerator(seed, strings.Split(families, ","))
	require.NoError(t, err)
	leftOut := inCategories(t, a, "blocking", "transaction", "admin") // they wait, or change what later commands mean
	for _, c := range g.Take(n) {
		if leftOut[strings.ToLower(c.Args[0])] {
			continue
		}
		out := resp.NewWriter(2)
		out.Command(c.Args...)
		_, err := a.Write(out.Bytes())
		require.NoError(t, err)
		_, err = a.in.Read()
		require.NoError(t, err)
	}
}

// inCategories returns the commands of a server that are in one of the categories of ACL CAT.
func inCategories(t *testing.T, a *asker, categories ...string) map[string]bool {
	names := map[string]bool{}
	for _, category := range categories {
		_, err := a.Write([]byte("COMMAND LIST FILTERBY ACLCAT " + category + "\r\n"))
		require.NoError(t, err)
		list, err := a.in.Read()
		require.NoError(t, err)
		require.NotEmpty(t, list.Elems, category)
		for _, name := range list.Elems {
			names[name.Text] = true
		}
	}
	return names
}

// A redis-server takes over data of all types, and follows all that random commands change.
func TestRedisFollows(t *testing.T) {
	ours, port := master(t)
	stockAll(t, ours)
	ours.ask(t, `FUNCTION LOAD "#!lua name=lib\nredis.register_function('f', function() return 7 end)"`)
	theirs := replica(t, port)
	requireSame(t, ours, theirs)
	require.Equal(t, "1", field(t, ours, "sync_full"))

	for seed, families := range allFamilies {
		changeSome(t, ours, uint64(seed), families, 500)
		requireSame(t, ours, theirs)
	}
	require.Equal(t, int64(1), ours.count(t, "WAIT 1 60000"), "it confirms")
	require.Contains(t, field(t, ours, "slave0"), "ip=127.0.0.1,port=0,state=online,")
	require.Equal(t, "1", field(t, ours, "connected_slaves"))
	require.Equal(t, "1", field(t, ours, "connected_clients"))
	require.Contains(t, ours.ask(t, "CLIENT LIST TYPE replica"), " flags=S ")
}

// A redis-server of an older release follows a server that is like it.
func TestOlderRedisFollows(t *testing.T) {
	older := reference.Redis62
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--like", string(older))
	conn, err := net.Dial("tcp", addr)
	ours := newAsker(t, conn, err)
	for _, command := range []string{"XADD x 1-1 f v", "XADD x 2-2 f v", "XDEL x 1-1", "XGROUP CREATE x g 1",
		"HSET h a 1", "ZADD z 1 m", "RPUSH l a b c"} {
		ours.ask(t, command)
	}
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	theirs := newAsker(t, older.Start(t).Dial(t), nil)
	theirs.ask(t, "REPLICAOF 127.0.0.1 "+port)
	requireSame(t, ours, theirs)
	require.Equal(t, ours.ask(t, "XINFO GROUPS x"), theirs.ask(t, "XINFO GROUPS x"))
}

// A key expires on both sides, though time passes on one only. Published messages arrive on both.
func TestReplicaHearsOfTimeAndMessages(t *testing.T) {
	ours, port := master(t)
	theirs := replica(t, port)
	requireSame(t, ours, theirs)
	ours.ask(t, "SET short x PX 50")
	ours.ask(t, "SET long x")
	eventually(t, "the key is gone",
		func() bool { return theirs.count(t, "DBSIZE") == 1 && theirs.count(t, "EXISTS long") == 1 })
	theirs.ask(t, "SUBSCRIBE news")
	ours.ask(t, "PUBLISH news hello")
	v, err := theirs.in.Read()
	require.NoError(t, err)
	require.Equal(t, "hello", v.Elems[2].Text)
}

// A replica that was cut off gets the commands it missed. If it missed too many, it gets all data.
func TestReplicaComesBack(t *testing.T) {
	ours, port := master(t)
	ours.ask(t, "CONFIG SET repl-backlog-size 16384")
	theirs := replica(t, port)
	requireSame(t, ours, theirs)
	for _, want := range []struct{ value, partial, full string }{{"x", "1", "1"},
		{strings.Repeat("x", 50_000), "1", "2"}} {
		ours.ask(t, "MULTI") // it cannot come back in between
		ours.ask(t, "CLIENT KILL TYPE replica")
		ours.ask(t, "SET key "+want.value)
		ours.ask(t, "EXEC")
		requireSame(t, ours, theirs)
		require.Equal(t, want.partial, field(t, ours, "sync_partial_ok"))
		require.Equal(t, want.full, field(t, ours, "sync_full"))
	}
}

// Replicas come while much is being written, and have it all.
func TestReplicasComeUnderLoad(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	t.Parallel()
	ours, port := master(t)
	ours.ask(t, "DEBUG POPULATE "+strconv.Itoa(quick.Rounds(200000)))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return
		}
		defer conn.Close()
		in := resp.NewReader(conn)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, _ = conn.Write([]byte(strings.Repeat("EVAL \"for i = 1, 10 do redis.call('incr', 'key:' .. "+
				"math.random(1, 200000) .. 'x') end\" 0\r\nLPUSH list a\r\n", 20)))
			for range 40 {
				if _, err := in.Read(); err != nil {
					return
				}
			}
		}
	}()
	a, b := replica(t, port), replica(t, port)
	eventually(t, "both follow",
		func() bool { return strings.Count(ours.ask(t, "INFO replication"), "state=online") == 2 })
	close(stop)
	<-stopped
	require.Equal(t, int64(2), ours.count(t, "WAIT 2 60000"))
	requireSame(t, ours, a)
	requireSame(t, ours, b)
}

// WAIT counts the replicas that have acknowledged: a stopped replica has not.
func TestWaitForReplicas(t *testing.T) {
	ours, port := master(t)
	theirs := replica(t, port)
	requireSame(t, ours, theirs)
	ours.ask(t, "SET a 1")
	require.Equal(t, int64(1), ours.count(t, "WAIT 1 0"))
	require.Equal(t, int64(1), ours.count(t, "WAIT 2 20"))
	theirs.ask(t, "REPLICAOF NO ONE")
	eventually(t, "it has gone", func() bool { return field(t, ours, "connected_slaves") == "0" })
	ours.ask(t, "SET a 2")
	require.Equal(t, int64(0), ours.count(t, "WAIT 1 20"))
	theirs.ask(t, "REPLICAOF 127.0.0.1 "+port)
	require.Equal(t, int64(1), ours.count(t, "WAIT 1 0"), "one that comes meanwhile counts")
}

// redis-cli fetches snapshots, and shows what changes.
func TestRedisCLIAsReplica(t *testing.T) {
	cli := reference.Require(t, "redis-cli")
	ours, port := master(t)
	stockAll(t, ours)
	digest := ours.ask(t, "DEBUG DIGEST")
	dir := t.TempDir()
	fetch := func(option, name string) {
		out, err := exec.Command(cli, "-p", port, option, filepath.Join(dir, name)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "Transfer finished with success")
	}
	fetch("--rdb", "dump.rdb")
	redis := reference.Start(t, "--enable-debug-command", "yes")
	theirs := newAsker(t, redis.Dial(t), nil)
	content, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(redis.Dir, "dump.rdb"), content, 0o600))
	require.Equal(t, "OK", theirs.ask(t, "DEBUG RELOAD NOSAVE"))
	require.Equal(t, digest, theirs.ask(t, "DEBUG DIGEST"))

	ours.ask(t, `FUNCTION LOAD "#!lua name=lib\nredis.register_function('f', function() return 7 end)"`)
	fetch("--functions-rdb", "functions.rdb")
	content, err = os.ReadFile(filepath.Join(dir, "functions.rdb"))
	require.NoError(t, err)
	require.Contains(t, string(content), "register_function")
	require.NotContains(t, string(content), "element:")
	require.Equal(t, "0", field(t, ours, "repl_backlog_active"), "there is no replica")

	var shown bytes.Buffer
	show := exec.Command(cli, "-p", port, "--replica")
	show.Stdout = &shown
	require.NoError(t, show.Start())
	eventually(t, "it follows",
		func() bool { return strings.Contains(ours.ask(t, "CLIENT LIST TYPE replica"), " cmd=replconf ") })
	ours.ask(t, "SET a 1")
	ours.ask(t, "SPOP ints 3")
	eventually(t, "it has got everything",
		func() bool { return strings.Contains(ours.ask(t, "CLIENT LIST TYPE replica"), " omem=0 ") })
	ours.ask(t, "CLIENT KILL TYPE replica")
	_ = show.Wait() // it does not take the end well
	require.Contains(t, shown.String(), "\"SET\",\"a\",\"1\"\n\"DEL\",\"ints\"\n")
}

// Replicas that do not support snapshots without a length get one with a length, but not while
// replies wait.
func TestSnapshotOfKnownLength(t *testing.T) {
	ours, _ := master(t)
	ours.ask(t, "SET a 1")
	_, err := ours.Write([]byte("REPLCONF listening-port 7777\r\nPSYNC ? -1\r\n"))
	require.NoError(t, err)
	for _, want := range []string{"OK", "ERR SYNC and PSYNC are invalid with pending output"} {
		v, err := ours.in.Read()
		require.NoError(t, err)
		require.Equal(t, want, v.Text)
	}
	require.Regexp(t, `^FULLRESYNC [0-9a-f]{40} 1$`, ours.ask(t, "PSYNC ? -1"))
}

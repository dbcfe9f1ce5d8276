package replication

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// followed is an engine that follows a master whose side the test plays.
type followed struct {
	*engine.Engine
	t        *testing.T
	master   *Master
	saver    *snapshot.Saver
	client   *engine.Session
	listener net.Listener
	mu       sync.Mutex
	logged   strings.Builder
	stopped  sync.WaitGroup
}

// newFollowed returns one that has a key and has got REPLICAOF.
func newFollowed(t *testing.T, settings ...string) *followed {
	f := newFollower(t, new(disk.Memory))
	for _, s := range append(settings, "SET old data", "REPLICAOF 127.0.0.1 7000") {
		require.Contains(t, f.do(s), "+OK")
	}
	return f
}

// newFollower returns one without a master, whose snapshots are on a disk.
func newFollower(t *testing.T, disk disk.Disk) *followed {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &followed{t: t, listener: listener}
	f.Engine = engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 2})
	f.master = New(f.Engine, Options{
		Spawn: func(run func()) { f.stopped.Go(run) },
		Log: func(_ byte, format string, args ...any) {
			f.mu.Lock()
			defer f.mu.Unlock()
			fmt.Fprintf(&f.logged, format+"\n", args...)
		},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
		},
	})
	f.master.retryAfter = time.Millisecond
	f.saver = snapshot.New(f.Engine, snapshot.Options{Disk: disk, History: f.master.History, Resume: f.master.Resume})
	f.Join(engine.Commands(stringcmds.Family, keys.Selection, debug.Family), servercmds.Part(), shutdown.Part(f.Engine),
		configcmds.Part(f.Release), f.master.Part(), f.saver.Part(), engine.Part{Name: "loop", Host: host})
	f.Join(transactions.Part())
	f.Join(clients.Parts(f.Engine)...)
	f.client = f.NewSession(nil)
	t.Cleanup(func() {
		f.master.Close()
		listener.Close()
		f.stopped.Wait()
	})
	return f
}

func (f *followed) do(line string) string {
	return string(f.Do(f.client, [][][]byte{bytes.Fields([]byte(line))}).Out)
}

func (f *followed) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logged.String()
}

// play answers the requests on the next connection, each by its name or with +OK, up to PSYNC.
// After the last answer the connection is closed, unless stay is set.
func (f *followed) play(answers map[string]string, stay bool) net.Conn {
	conn, err := f.listener.Accept()
	require.NoError(f.t, err)
	if !stay {
		defer conn.Close()
	}
	for in, name := resp.NewReader(conn), ""; name != "PSYNC"; {
		v, err := in.Read()
		if err != nil {
			break // a refusal ended it
		}
		name = strings.ToUpper(v.Elems[0].Text)
		answer, ok := answers[name]
		if !ok {
			answer = "+OK\r\n"
		}
		_, _ = conn.Write([]byte(answer))
	}
	return conn
}

// requireState waits for a state of the link.
func (f *followed) requireState(state string) {
	require.Eventually(f.t, func() bool { return strings.Contains(f.do("ROLE"), state) }, 2*time.Minute,
		time.Millisecond, state)
}

const history = "0123456789012345678901234567890123456789"

// snapshotOf returns what a master sends whose only key is k, after the reply to PSYNC.
func snapshotOf(t *testing.T) (text string) {
	b := newBench(t)
	s := b.NewSession(nil)
	b.do(b.NewSession(nil), "SET k v")
	text = b.do(s, "PSYNC ? -1") // some of the snapshot may be there at once
	<-b.sent
	_, text, _ = strings.Cut(text+b.received(s), "\r\n")
	return text
}

// What a broken or hostile master sends never harms the data that there are, until there are new
// ones, and is told in the log.
func TestBadMasters(t *testing.T) {
	good := snapshotOf(t)
	full := "+FULLRESYNC " + history + " 7\r\n"
	for _, bad := range []struct{ name, request, answer, log string }{
		{"no server of this kind", "PING", "HTTP/1.1 400 Bad Request\r\n\r\n", "bad protocol from the master"},
		{"a wrong password", "AUTH", "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
			"Unable to AUTH to MASTER: WRONGPASS"},
		{"a master without its own master", "PSYNC", "-NOMASTERLINK Can't SYNC while not connected with my master\r\n",
			"NOMASTERLINK"},
		{"a reply to PSYNC without an id", "PSYNC", "+FULLRESYNC\r\n", "bad protocol from the master"},
		{"no history to go on with", "PSYNC", "+CONTINUE\r\n", "bad protocol from the master"},
		{"garbage in place of a snapshot", "PSYNC", full + "garbage\r\n", "where the length of a snapshot should be"},
		{"a snapshot of a later version", "PSYNC", full + "$18\r\nREDIS9999xxxxxxxxx", "format version"},
		{"half a snapshot", "PSYNC", full + good[:len(good)/2], "the data end in the middle"},
		{"a damaged snapshot", "PSYNC", full + strings.Replace(good, "used-mem", "used-mum", 1), "the checksum is"},
		{"a length beyond any memory", "PSYNC", full + "$999999999999999999\r\nREDIS0011",
			"the data end in the middle"},
		{"a value of an unknown module type", "PSYNC", full + unknownValue,
			"a value of the unknown module type hellotype (encoding version 8)"},
		{"an error in place of a snapshot", "PSYNC", full + "-ERR no disk\r\n",
			"MASTER aborted replication with an error: ERR no disk"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			f := newFollowed(t, "CONFIG SET masterauth secret unknown-module-types error")
			for range 2 { // it tries again
				f.play(map[string]string{"PING": "+PONG\r\n", bad.request: bad.answer}, false)
			}
			f.listener.Close()
			require.Eventually(t, func() bool { return strings.Count(f.log(), bad.log) == 2 }, 2*time.Minute,
				time.Millisecond, bad.log)
			require.Equal(t, "$4\r\ndata\r\n", f.do("GET old"))
			require.Contains(t, f.do("INFO replication"), "master_link_status:down")
		})
	}
}

// unknownValue is a snapshot with a value of a module type.
const unknownValue = "$33\r\nREDIS0012\xfe\x00\x07\x01k\x81\x85\xe9\x65\xa2\xdc\xa9\x78\x08\x00\xff" +
	"\x00\x00\x00\x00\x00\x00\x00\x00"

// A snapshot that cannot be loaded is asked for less and less often; one that was cut, or a master
// that is down, as often as ever.
func TestPauses(t *testing.T) {
	l := newBench(t).master.newLink("", 0)
	seconds := func(wasConnected bool, err error) float64 { return l.pause(wasConnected, err).Seconds() }
	flaw := fmt.Errorf("in the way: %w", &rdb.Error{Reason: "damage"})
	reader := rdb.NewReader(strings.NewReader("REDIS"), rdb.Options{})
	require.False(t, reader.Next())
	cut := reader.Err()
	for _, want := range []float64{1, 2, 4, 8, 16, 32, 64, 64, 64} {
		require.Equal(t, want, seconds(false, flaw))
		require.EqualValues(t, 1, seconds(false, io.EOF))
		require.EqualValues(t, 1, seconds(false, cut))
	}
	require.EqualValues(t, 1, seconds(true, io.EOF))
	require.EqualValues(t, 1, seconds(false, flaw))
}

// A stream that breaks off or breaks the protocol ends the connection; what came before counts, but
// for half a transaction. After one that breaks the protocol only a snapshot can be trusted, as in
// Redis.
func TestBrokenStreams(t *testing.T) { bothWays(t, testBrokenStreams) }

func testBrokenStreams(t *testing.T) {
	good := snapshotOf(t)
	const half = "*2\r\n$3\r\nGET\r\n"
	for _, bad := range []string{"", half, "*1\r\n$99999999999999\r\n", "SET k inline\r\n", "*-5\r\n"} {
		f := newFollowed(t)
		conn := f.play(map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + good}, true)
		f.requireState("connected")
		require.Equal(t, "$1\r\nv\r\n", f.do("GET k"))
		require.Equal(t, "$-1\r\n", f.do("GET old"))
		text := wire("SET", "k", "w") + wire("NOSUCH", "k")
		_, err := conn.Write([]byte(text + wire("MULTI") + wire("SET", "k", "x") + bad))
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		answer, request := "+CONTINUE "+history+"\r\n",
			fmt.Sprintf("Trying a partial resynchronization (request %s:%d)", history, 7+len(text)+1)
		if bad != "" && bad != half {
			answer, request = "+FULLRESYNC "+history+" 7\r\n"+good+wire("SET", "k", "w"),
				"Partial resynchronization not possible (no cached master)"
		}
		next := f.play(map[string]string{"PSYNC": answer + wire("SET", "m", "n")}, true)
		f.requireState("connected")
		require.Eventually(t, func() bool { return f.do("GET m") == "$1\r\nn\r\n" }, 2*time.Minute, time.Millisecond)
		require.Equal(t, "$1\r\nw\r\n", f.do("GET k"))
		log := f.log()
		require.Contains(t, log[strings.Index(log, "Reconnecting"):], request)
		require.Contains(t, f.log(), "This replica is sending an error to its master: 'ERR unknown command 'NOSUCH'")
		require.Contains(t, f.do("INFO stats"), "unexpected_error_replies:1\r\n")
		conn.Close()
		next.Close()
	}
}

// A master may have more databases than its replica, and have selected one of those.
func TestAMasterWithMoreDatabases(t *testing.T) { bothWays(t, testAMasterWithMoreDatabases) }

func testAMasterWithMoreDatabases(t *testing.T) {
	f := newFollowed(t)
	text := strings.Replace(snapshotOf(t), "repl-stream-db\xc0\x00", "repl-stream-db\xc0\x63", 1)
	require.Contains(t, text, "\xc0\x63")
	text = text[:len(text)-8] + strings.Repeat("\x00", 8) // no checksum
	conn := f.play(map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + text}, true)
	defer conn.Close()
	f.requireState("connected")
	_, err := conn.Write([]byte(wire("SELECT", "99") + wire("SET", "k", "w")))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return f.do("GET k") == "$1\r\nw\r\n" }, 2*time.Minute, time.Millisecond)
	require.Contains(t, f.log(), "DB index is out of range")
}

// Data that were removed for a snapshot that did not come whole are asked for again from the
// beginning.
func TestAFlushEndsTheHistory(t *testing.T) {
	f := newFollowed(t, "CONFIG SET repl-diskless-load flush-before-load")
	full := "+FULLRESYNC " + history + " 7\r\n" + snapshotOf(t)
	f.play(map[string]string{"PSYNC": full}, false)
	f.play(map[string]string{"PSYNC": full[:len(full)/2]}, false)
	conn := f.play(map[string]string{"PSYNC": "-NOMASTERLINK\r\n"}, true)
	defer conn.Close()
	const none, some = "(no cached master)", "Trying a partial resynchronization"
	require.Eventually(t, func() bool { return strings.Contains(f.log(), "NOMASTERLINK") }, 2*time.Minute,
		time.Millisecond)
	require.Equal(t, 1, strings.Count(f.log(), some), f.log())
	require.Contains(t, f.log()[strings.LastIndex(f.log(), some):], none)
	require.Contains(t, f.do("INFO replication"), "repl_backlog_active:0")
}

// A replica that has saved a snapshot goes on after a restart where that was taken.
func TestARestartedReplicaGoesOn(t *testing.T) { bothWays(t, testARestartedReplicaGoesOn) }

func testARestartedReplicaGoesOn(t *testing.T) {
	disk := new(disk.Memory)
	f := newFollower(t, disk)
	f.do("REPLICAOF 127.0.0.1 7000")
	conn := f.play(map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + snapshotOf(t)}, true)
	defer conn.Close()
	f.requireState("connected")
	text := wire("SELECT", "3") + wire("SET", "k", "w")
	_, err := conn.Write([]byte(text))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(f.do("INFO keyspace"), "db3:") }, 2*time.Minute,
		time.Millisecond)
	require.Equal(t, "+OK\r\n", f.do("SAVE"))

	g := newFollower(t, disk)
	require.NoError(t, g.Params.Named("replicaof").Set("127.0.0.1 7000"))
	require.NoError(t, g.saver.Load(false))
	require.Contains(t, g.do("SET k x"), "-READONLY")
	g.Tick()
	conn = g.play(map[string]string{"PSYNC": "+CONTINUE\r\n" + wire("APPEND", "k", "!")}, true)
	defer conn.Close()
	g.requireState("connected")
	require.Contains(t, g.log(), fmt.Sprintf("request %s:%d", history, 7+len(text)+1))
	g.do("SELECT 3")
	require.Eventually(t, func() bool { return g.do("GET k") == "$2\r\nw!\r\n" }, 2*time.Minute, time.Millisecond)
}

// A master that has saved a snapshot goes on after a restart under a new id. Its replicas go on
// with it, and remove what has expired meanwhile.
func TestARestartedMasterGoesOn(t *testing.T) {
	disk := new(disk.Memory)
	f := newFollower(t, disk)
	replica := f.NewSession(nil)
	f.Do(replica, [][][]byte{bytes.Fields([]byte("PSYNC ? -1"))})
	require.NoError(t, f.Params.Named("enable-debug-command").Set("yes"))
	for _, line := range []string{"DEBUG SET-ACTIVE-EXPIRE 0", "SET k v", "SET brief v PX 300", "SAVE"} {
		require.Equal(t, "+OK\r\n", f.do(line))
	}
	h, ok := f.master.History()
	require.True(t, ok)
	require.Eventually(t, func() bool { return f.do("GET brief") == "$-1\r\n" }, 2*time.Minute, time.Millisecond)

	g := newFollower(t, disk)
	require.NoError(t, g.saver.Load(false))
	replica = g.NewSession(nil)
	next := h.Offset + 1
	out := string(g.Do(replica, [][][]byte{bytes.Fields(fmt.Appendf(nil, "REPLCONF capa psync2"))}).Out)
	require.Equal(t, "+OK\r\n", out)
	out = string(g.Do(replica, [][][]byte{bytes.Fields(fmt.Appendf(nil, "PSYNC %s %d", h.ID, next))}).Out)
	require.Regexp(t, `^\+CONTINUE [0-9a-f]{40}\r\n$`, out)
	require.NotContains(t, out, h.ID)
	g.Tick()
	require.Contains(t, string(g.NextShared(replica)), wire("SELECT", "0")+wire("DEL", "brief"))
	require.Contains(t, g.do("INFO replication"), fmt.Sprintf("second_repl_offset:%d\r\n", next))
}

// A link that waits for a connection ends at once.
func TestALinkEndsWhileItConnects(t *testing.T) {
	f := newFollower(t, new(disk.Memory))
	dialing := make(chan struct{})
	f.master.opts.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		close(dialing)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.do("REPLICAOF 127.0.0.1 7000")
	<-dialing
	f.do("REPLICAOF NO ONE")
	f.stopped.Wait()
	require.NotContains(t, f.log(), "Error condition")
}

// What a replica's stream is made of does not matter: it is executed, or ends with an error, and
// offsets never go back.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{wire("SET", "k", "v"), wire("MULTI") + wire("SET", "a", "b") + wire("EXEC"),
		"*1\r\n$-1\r\n", "\n\n",
		wire("REPLICAOF", "NO", "ONE"), wire("SHUTDOWN"), wire("EXEC"), wire("DISCARD"), wire("SUBSCRIBE", "c"),
		wire("REPLCONF", "GETACK", "*"),
		wire("CLIENT", "KILL", "TYPE", "master"), wire("RESET"), wire("QUIT"), wire("MONITOR"),
		wire("PSYNC", "?", "-1"), wire("WAIT", "1", "0")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := newFollower(t, new(disk.Memory))
		r.With(func() {
			l := r.master.newLink("127.0.0.1", 1)
			l.state = connected
			r.master.link, r.master.started = l, true
			r.master.stream.restart(history, 7, 0, 1<<14)
			r.master.setRole()
		})
		l := r.master.link
		l.session = r.ConnectMaster(l, engine.Endpoint{})
		f := &follower{link: l, session: l.session}
		stream := resp.NewScanner(bytes.NewReader(text), 7)
		stream.Between, stream.MaxArg = "\n", 1<<20
		for offset := int64(7); ; {
			list, err := stream.Next()
			if err != nil {
				break
			}
			if _, err = f.execute(list); err != nil {
				break
			}
			r.With(func() {
				require.GreaterOrEqual(t, r.master.stream.offset, offset)
				offset = r.master.stream.offset
			})
		}
	})
}

package replication

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// bench is an engine with a master, and a clock that is set by hand.
type bench struct {
	*engine.Engine
	t      *testing.T
	master *Master
	clock  int64
	sent   chan struct{} // a transfer has ended
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, clock: 1_700_000_000_000_000, sent: make(chan struct{}, 10)}
	b.Engine = engine.New(engine.Options{Clock: func() int64 { return b.clock }, Seed: 1})
	b.master = New(b.Engine, Options{Spawn: func(run func()) {
		go func() {
			run()
			b.sent <- struct{}{}
		}()
	}})
	saver := snapshot.New(b.Engine, snapshot.Options{Disk: new(disk.Memory)})
	b.Join(engine.Commands(stringcmds.Family, servercmds.Family, debug.Family), configcmds.Part(b.Release),
		shutdown.Part(b.Engine), pubsub.Part(), b.master.Part(), saver.Part())
	b.Join(clients.Parts(b.Engine)...)
	return b
}

// do runs commands for a session and returns what was written to it.
func (b *bench) do(s *engine.Session, lines ...string) string {
	var out bytes.Buffer
	for _, line := range lines {
		out.Write(b.Do(s, [][][]byte{bytes.Fields([]byte(line))}).Out)
		out.WriteString(b.shared(s))
	}
	return out.String()
}

// received returns what was written to a session since.
func (b *bench) received(s *engine.Session) string { return string(b.Collect(s).Out) + b.shared(s) }

// shared returns what a replica's connection takes of what the replicas share.
func (b *bench) shared(s *engine.Session) string {
	var out bytes.Buffer
	for piece := b.NextShared(s); len(piece) > 0; piece = b.NextShared(s) {
		out.Write(piece)
	}
	return out.String()
}

// pass moves the clock.
func (b *bench) pass(seconds int64) {
	b.clock += seconds * 1e6
	b.Tick()
}

// synced returns a session that has received a snapshot and acknowledged it.
func (b *bench) synced() *engine.Session { return b.syncedTo(nil) }

// syncedTo is synced for a session with a connection.
func (b *bench) syncedTo(peer engine.Peer) *engine.Session {
	s := b.NewSession(peer)
	b.do(s, "REPLCONF capa eof", "PSYNC ? -1")
	<-b.sent
	b.do(s, "REPLCONF ACK 1")
	return s
}

// wire is a command as the stream has it.
func wire(words ...string) string {
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	return text
}

func TestTheStreamIsHeldBackUntilTheSnapshotIsAcknowledged(t *testing.T) {
	b := newBench(t)
	client, s := b.NewSession(nil), b.NewSession(nil)
	b.do(client, "SET before x")
	require.Equal(t, "+OK\r\n", b.do(s, "REPLCONF capa eof"))
	first := b.do(s, "PSYNC ? -1")
	require.True(t, strings.HasPrefix(first, "+FULLRESYNC "+b.RunID+" 1\r\n"), first)
	<-b.sent
	got := first + b.received(s)
	require.Contains(t, got, "\r\n$EOF:")
	require.Contains(t, got, "before")
	require.Contains(t, b.do(client, "INFO replication"), "state=online")

	b.do(client, "SET after y", "PUBLISH news hello")
	require.Empty(t, b.received(s))
	want := wire("SELECT", "0") + wire("SET", "after", "y") + wire("PUBLISH", "news", "hello")
	require.Equal(t, want, b.do(s, "REPLCONF ACK 1"))
	b.do(client, "SET after z")
	require.Equal(t, wire("SET", "after", "z"), b.received(s))
}

// As in Redis a replica is online for FAILOVER when its snapshot is sent, whether it has
// acknowledged it, with an offset or with garbage.
func TestFailoverToAReplicaThatHasNotAcknowledgedItsSnapshot(t *testing.T) {
	for _, ack := range []string{"PING", "REPLCONF ACK x"} {
		b := newBench(t)
		client, s := b.NewSession(nil), b.NewSession(nil)
		b.do(s, "REPLCONF listening-port 7000 ip-address 10.0.0.1 capa eof")
		const start = "FAILOVER TO 10.0.0.1 7000"
		require.Equal(t, "-ERR FAILOVER requires connected replicas.\r\n", b.do(client, start))
		b.do(s, "PSYNC ? -1")
		<-b.sent
		b.received(s)
		b.do(s, ack)
		require.Equal(t, "+OK\r\n", b.do(client, start), ack)
		require.Contains(t, b.do(client, "INFO replication"), "master_failover_state:waiting-for-sync\r\n")
		require.Equal(t, "+OK\r\n", b.do(client, "FAILOVER ABORT"))
		b.do(s, "REPLCONF ACK 1")
		require.Equal(t, "+OK\r\n", b.do(client, start))
	}
}

func TestAReplicaGoesOnFromTheBacklog(t *testing.T) {
	b := newBench(t)
	client, s := b.NewSession(nil), b.synced()
	b.do(client, "SET a 1")
	offset := b.master.stream.offset
	b.Close(s)
	b.do(client, "SET b 2")

	s = b.NewSession(nil)
	want := fmt.Sprintf("+CONTINUE %s\r\n", b.RunID) + wire("SET", "b", "2")
	require.Equal(t, "+OK\r\n"+want, b.do(s, "REPLCONF capa psync2",
		fmt.Sprintf("PSYNC %s %d", strings.ToUpper(b.RunID), offset+1)), "ids are compared without case")
	b.do(client, "SET c 3")
	require.Equal(t, wire("SET", "c", "3"), b.received(s))

	other := b.NewSession(nil)
	require.Contains(t, b.do(other, fmt.Sprintf("PSYNC %s %d", strings.Repeat("0", 40), offset+1)), "+FULLRESYNC ")
	<-b.sent
	require.Contains(t, b.do(client, "INFO stats"), "sync_full:2\r\nsync_partial_ok:1\r\nsync_partial_err:1\r\n")
	b.do(client, "CONFIG RESETSTAT")
	require.Contains(t, b.do(client, "INFO stats"), "sync_full:0\r\nsync_partial_ok:0\r\nsync_partial_err:0\r\n"+
		"total_net_repl_input_bytes:0\r\ntotal_net_repl_output_bytes:0\r\n")
}

func TestWaitEndsWhenReplicasAcknowledge(t *testing.T) {
	b := newBench(t)
	client, s := b.NewSession(nil), b.synced()
	b.do(client, "SET a 1")
	offset := b.master.stream.offset
	require.Empty(t, b.do(client, "WAIT 1 0"))
	require.Contains(t, b.received(s), wire("REPLCONF", "GETACK", "*"))
	b.do(s, fmt.Sprintf("REPLCONF ACK %d", offset-1))
	require.Empty(t, b.received(client))
	b.do(s, fmt.Sprintf("REPLCONF ACK %d", offset))
	require.Equal(t, ":1\r\n", b.received(client))

	require.Empty(t, b.do(client, "WAIT 2 1500"))
	b.pass(2)
	require.Equal(t, ":1\r\n", b.received(client), "the deadline has passed")
	require.Empty(t, b.master.waitsLeft())
}

// waitsLeft returns the waits that are not over.
func (m *Master) waitsLeft() []*wait {
	m.engine.With(m.endWaits)
	return m.waits
}

// SHUTDOWN waits until the replicas have everything, but not for ever; writes wait meanwhile.
func TestShutdownWaitsForReplicas(t *testing.T) {
	b := newBench(t)
	exits := 0
	b.Join(engine.Part{Host: engine.Host{Exit: func() { exits++ }}})
	client, other, replica := b.NewSession(nil), b.NewSession(nil), b.synced()
	b.do(client, "SET k v")
	written := b.master.stream.changed
	require.Equal(t, "-ERR No shutdown in progress.\r\n", b.do(other, "SHUTDOWN ABORT"))
	require.Empty(t, b.do(client, "SHUTDOWN"))
	require.True(t, b.Do(b.NewSession(nil), [][][]byte{bytes.Fields([]byte("SET k w"))}).Blocked)
	require.Equal(t, "+OK\r\n", b.do(other, "SHUTDOWN ABORT"))
	require.Equal(t, string(engine.ErrShutdown), strings.Trim(b.received(client), "-\r\n"))

	require.Empty(t, b.do(client, "SHUTDOWN"))
	b.Tick()
	require.Zero(t, exits)
	require.Contains(t, b.received(replica), wire("REPLCONF", "GETACK", "*"))
	b.do(replica, fmt.Sprintf("REPLCONF ACK %d", written))
	b.Tick()
	b.Tick()
	require.Equal(t, 1, exits)
}

// A replica that does not answer delays SHUTDOWN for shutdown-timeout; NOW does not wait.
func TestShutdownDoesNotWaitForEver(t *testing.T) {
	b := newBench(t)
	exits := 0
	b.Join(engine.Part{Host: engine.Host{Exit: func() { exits++ }}})
	client := b.NewSession(nil)
	b.synced()
	b.do(client, "SET k v", "SHUTDOWN")
	b.pass(9)
	require.Zero(t, exits)
	require.Contains(t, b.do(b.NewSession(nil), "INFO server"), "shutdown_in_milliseconds:1000\r\n")
	b.pass(2)
	require.Equal(t, 1, exits)
	b.do(b.NewSession(nil), "SHUTDOWN NOW")
	require.Equal(t, 2, exits)
}

func TestSilentAndSlowReplicasAreDisconnected(t *testing.T) {
	b := newBench(t)
	client, silent := b.NewSession(nil), b.synced()
	b.pass(61)
	require.True(t, silent.Closing())

	slow := b.synced()
	b.Config.OutputLimits[engine.ClassReplica] = 1000
	b.do(client, "CONFIG SET repl-backlog-size 16kb", "SET a "+strings.Repeat("x", 2000))
	require.False(t, slow.Closing(), "as in Redis, the backlog bounds the limit from below")
	b.do(client, "SET a "+strings.Repeat("x", 20_000))
	require.True(t, slow.Closing())
	require.Contains(t, b.do(client, "INFO replication"), "connected_slaves:0\r\n")
}

// What is held back for a replica while it gets its snapshot may pass the soft limit for some time.
func TestTheSoftLimitOfWhatIsHeldBack(t *testing.T) {
	b := newBench(t)
	b.Config.SoftLimits[engine.ClassReplica] = engine.SoftLimit{Bytes: 1000, Seconds: 30}
	client, replica := b.NewSession(nil), b.NewSession(nil)
	b.do(replica, "REPLCONF capa eof", "PSYNC ? -1")
	<-b.sent
	set := "SET a " + strings.Repeat("x", 2000)
	for _, seconds := range []int64{0, 29, 1} {
		b.pass(seconds)
		b.do(client, set)
		require.False(t, replica.Closing())
	}
	b.pass(1)
	b.do(client, set)
	require.True(t, replica.Closing())
}

// As in Redis a replica beyond its limits is also disconnected while nothing is written.
func TestLimitsHoldWithoutWrites(t *testing.T) {
	for name, limit := range map[string]func(*engine.Config){
		"hard": func(c *engine.Config) { c.OutputLimits[engine.ClassReplica] = 20_000 },
		"soft": func(c *engine.Config) {
			c.SoftLimits[engine.ClassReplica] = engine.SoftLimit{
				Bytes: 1000, Seconds: 3,
			}
		},
	} {
		b := newBench(t)
		client, replica := b.NewSession(nil), b.synced()
		b.do(client, "CONFIG SET repl-backlog-size 16kb", "SET a "+strings.Repeat("x", 30_000))
		require.False(t, replica.Closing())
		limit(b.Config)
		b.pass(1)
		b.pass(4)
		require.True(t, replica.Closing(), name)
	}
}

func TestTheStreamEndsAfterTheLastReplica(t *testing.T) {
	b := newBench(t)
	client, s := b.NewSession(nil), b.synced()
	id := b.master.stream.id
	b.Close(s)
	b.pass(3599)
	require.Contains(t, b.do(client, "INFO replication"), "repl_backlog_active:1\r\n")
	b.pass(2)
	require.Contains(t, b.do(client, "INFO replication"), "repl_backlog_active:0\r\n")
	require.NotEqual(t, id, b.master.stream.id, "what changes from now on has no offset")
}

// The backlog and what replicas have not received are memory in use. What replicas have not
// received evicts no keys, because evicting sends them even more.
func TestWhatReplicasHaveNotReceivedEvictsNoKeys(t *testing.T) {
	b := newBench(t)
	s := b.NewSession(nil)
	b.do(s, "SET k v", "CONFIG SET repl-backlog-size 1mb", "CONFIG SET maxmemory 10mb",
		"CONFIG SET maxmemory-policy allkeys-lru")
	empty := b.Home().MemoryUsage()
	require.Zero(t, empty.Replicas+empty.Uncounted)
	replica := b.synced()
	b.pass(6) // the buffers of its replies are freed
	online := b.Home().MemoryUsage()
	require.InDelta(t, empty.Used, online.Used, 5_000, "the backlog counts as far as it is filled")
	require.Contains(t, b.do(s, "INFO memory"), "\r\nmem_replication_backlog:0\r\n")

	for range 40 {
		b.do(s, "PUBLISH news "+strings.Repeat("x", 1<<20))
	}
	b.do(s, "SET other v")
	require.Equal(t, "$1\r\nv\r\n", b.do(s, "GET k"))
	full := b.Home().MemoryUsage()
	require.InDelta(t, online.Replicas+39<<20, full.Replicas, 200_000)
	require.InDelta(t, 39<<20, full.Uncounted, 200_000)
	require.Regexp(t, `mem_not_counted_for_evict:4[01]\d{6}\r\nmem_clients_slaves:4[01]\d{6}\r\n`, b.do(s, "INFO memory"))
	require.Regexp(t, `mem_replication_backlog:1048576\r\nmem_total_replication_buffers:4[12]\d{6}\r\n`, b.do(s, "INFO memory"))

	b.Close(replica)
	after := b.Home().MemoryUsage()
	require.Zero(t, after.Replicas+after.Uncounted)
}

// The stream that waits for replicas is in memory once, whether they are online or still receive
// their snapshots. It goes with the last of them.
func TestReplicasShareTheStream(t *testing.T) {
	b := newBench(t)
	client := b.NewSession(nil)
	b.do(client, "CONFIG SET repl-backlog-size 16kb")
	online, half, last := b.synced(), b.NewSession(nil), b.NewSession(nil)
	for _, s := range []*engine.Session{half, last} {
		b.do(s, "REPLCONF capa eof", "PSYNC ? -1")
		<-b.sent
	}
	before := b.Home().MemoryUsage()
	value := strings.Repeat("x", 1<<20)
	for range 8 {
		b.do(client, "PUBLISH news "+value)
	}
	require.InDelta(t, before.Replicas+8<<20, b.Home().MemoryUsage().Replicas, 200_000)
	require.InDelta(t, before.Used+8<<20, b.Home().MemoryUsage().Used, 200_000)
	require.Len(t, regexp.MustCompile(`flags=S .* oll=\d+ omem=83\d{5} tot-mem=83\d{5} `).FindAllString(b.do(client, "CLIENT LIST"), -1), 3)

	stream := strings.Repeat(wire("PUBLISH", "news", value), 8)
	require.True(t, strings.HasSuffix(b.received(online), stream))
	require.True(t, strings.HasSuffix(b.do(half, "REPLCONF ACK 0"), stream))
	require.InDelta(t, before.Replicas+8<<20, b.Home().MemoryUsage().Replicas, 200_000, "the last one needs it")
	b.Close(last)
	require.InDelta(t, before.Replicas, b.Home().MemoryUsage().Replicas, 40_000)
	require.Less(t, b.master.stream.buffer.room, 32<<10)
}

// A snapshot whose length must precede it is in memory once as well.
func TestReplicasShareASnapshot(t *testing.T) {
	b := newBench(t)
	client := b.NewSession(nil)
	b.do(client, "CONFIG SET rdbcompression no", "SET k "+strings.Repeat("x", 1<<20))
	before := b.Home().MemoryUsage().Used
	var sessions []*engine.Session
	for range 20 {
		sessions = append(sessions, b.NewSession(nil))
	}
	b.master.engine.With(func() {
		for _, s := range sessions {
			r := b.master.replica(s)
			r.attach(waitBgsaveStart)
		}
		b.master.startTransfer()
	})
	<-b.sent
	require.InDelta(t, before+1<<20, b.Home().MemoryUsage().Used, 200_000)
}

// patient is the connection of a replica. It counts how often it was woken.
type patient struct{ now, soon int }

func (p *patient) Wake()     { p.now++ }
func (p *patient) WakeSoon() { p.soon++ }

func TestChangesWaitForOthersAndQuestionsDoNot(t *testing.T) {
	b := newBench(t)
	p := &patient{}
	replica, client := b.syncedTo(p), b.NewSession(nil)
	b.received(replica)
	*p = patient{}
	b.do(client, "SET a 1", "SET b 2")
	require.Equal(t, patient{soon: 1}, *p, "until the connection takes both")
	require.Equal(t, wire("SELECT", "0")+wire("SET", "a", "1")+wire("SET", "b", "2"), b.received(replica))
	b.do(client, "SET c 3")
	require.Equal(t, patient{soon: 2}, *p)

	waiting := b.NewSession(nil)
	b.do(waiting, "WAIT 1 0")
	require.Equal(t, patient{now: 1, soon: 2}, *p, "the client waits for the replica's answer")
	require.Equal(t, wire("SET", "c", "3")+wire("REPLCONF", "GETACK", "*"), b.received(replica))
}

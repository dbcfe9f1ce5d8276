package journal

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/latency"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/sketches"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	txcmds "github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/replication"
	"github.com/miniserver-go/miniserver/persistence/payload"
)

// store is an engine with a journal on a disk, and a session to talk to it.
type store struct {
	t       testing.TB
	engine  *engine.Engine
	journal *Journal
	session *engine.Session
	clock   atomic.Int64 // microseconds
	log     strings.Builder
}

// begin returns a store with parameters. It is not loaded.
func begin(t testing.TB, disk Disk, params ...string) *store {
	s := &store{t: t}
	s.clock.Store(1_700_000_000_000_000)
	s.engine = engine.New(engine.Options{Clock: s.clock.Load, Seed: 1})
	s.engine.Join(engine.Commands(stringcmds.Family, hashes.Family, lists.Family, sets.Family, zsets.Family,
		keys.Family, keys.Databases, keys.Selection, servercmds.Family, debug.Family,
		streams.Family), payload.Part(), sketches.Bloom(), configcmds.Part(s.engine.Release), txcmds.Part(),
		engine.Part{Types: []engine.Type{stringcmds.Type, lists.Type, sets.Type, zsets.Type, hashes.Type, streams.Type,
			sketches.Filter}})
	s.engine.Join(clients.Parts(s.engine)...)
	var master *replication.Master
	s.journal = New(s.engine,
		Options{Disk: disk, Stream: func() Stream { return master }, Log: func(mark byte, format string, args ...any) {
			fmt.Fprintf(&s.log, "%c "+format+"\n", append([]any{mark}, args...)...)
		}})
	master = replication.New(s.engine, replication.Options{Journal: s.journal})
	s.engine.Join(master.Part(), s.journal.Part(), s.journal.BackupPart(), latency.New(s.engine).Part())
	for i := 0; i < len(params); i += 2 {
		require.NoError(t, s.engine.Params.Named(params[i]).Set(params[i+1]), params[i])
	}
	s.session = s.engine.NewSession(nil)
	return s
}

// start returns a store with appendonly yes that is loaded.
func start(t testing.TB, disk Disk, params ...string) *store {
	t.Helper()
	s := begin(t, disk, append([]string{"appendonly", "yes"}, params...)...)
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	return s
}

// do runs a command and returns its raw reply.
func (s *store) do(words ...string) string {
	s.t.Helper()
	var args [][]byte
	for _, w := range words {
		args = append(args, []byte(w))
	}
	o := s.engine.Do(s.session, [][][]byte{args})
	return string(o.Out)
}

// run runs commands, one per line and without quotes. All must succeed.
func (s *store) run(commands string) {
	s.t.Helper()
	for line := range strings.Lines(commands) {
		if words := strings.Fields(line); len(words) > 0 {
			require.NotEqual(s.t, "-", s.do(words...)[:1], line)
		}
	}
}

func (s *store) digest() (d string) {
	s.engine.With(func() { d = s.engine.Home().Keyspace.Digest().String() })
	return d
}

func (s *store) info(field string) string {
	_, rest, _ := strings.Cut(s.do("INFO", "persistence"), "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

// idle reports whether no rewrite is under way, nor scheduled.
func (s *store) idle() bool {
	return s.info("aof_rewrite_in_progress") == "0" && s.info("aof_rewrite_scheduled") == "0"
}

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), what)
	}
}

const everyType = `
SET s some
SET n 12
SET t until PX 100000
RPUSH l a b c
SADD ints 1 2 3
SADD set a b c
ZADD z 1.5 a 2 b inf c
HSET h f v g w
XADD x 1700000000000 f v g w
XADD x 1700000000001 f v
XADD x 1700000000002 f v
XGROUP CREATE x readers 0
XREADGROUP GROUP readers me COUNT 2 STREAMS x >
XACK x readers 1700000000000
XDEL x 1700000000002
SELECT 3
SET s other
BF.ADD f x
INCR n
SELECT 0
APPEND s thing
`

func TestWhatIsKeptComesBack(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		for _, stamped := range []string{"yes", "no"} {
			disk := newFaultyDisk()
			s := start(t, disk, "aof-use-rdb-preamble", preamble, "aof-timestamp-enabled", stamped)
			s.run(everyType)
			s.journal.Close()
			again := start(t, disk, "aof-use-rdb-preamble", preamble)
			require.Equal(t, s.digest(), again.digest(), disk.dump())
			require.Equal(t, stamped == "yes", strings.Contains(disk.dump(), "#TS:1700000000\r\n"))
			again.run("SET more 1\nBGREWRITEAOF")
			await(t, "rewritten", again.idle)
			require.Equal(t, "ok", again.info("aof_last_bgrewrite_status"), again.log.String())
			again.run("SET evenmore 1\nSELECT 2\nSET x y")
			again.journal.Close()
			third := start(t, disk)
			require.Equal(t, again.digest(), third.digest(), disk.dump())
			require.Len(t, disk.names(), 3, "a base, commands, a manifest")
		}
	}
}

// A rewrite keeps the deadlines of elements.
func TestDeadlinesOfElements(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		disk := newFaultyDisk()
		s := start(t, disk, "aof-use-rdb-preamble", preamble)
		s.run(everyType + `
HPEXPIREAT h 1800000000000 FIELDS 1 f
SPEXPIREAT set 1800000000000 MEMBERS 2 a c
ZPEXPIREAT z 1800000000000 MEMBERS 1 b
RPUSH l a
LPEXPIREAT l 1800000000000 INDEXES 1 3`)
		s.journal.rewriteNow()
		s.journal.Close()
		require.Equal(t, s.digest(), start(t, disk).digest(), disk.dump())
		again := start(t, disk)
		again.clock.Store(1_800_000_000_000_000)
		for key, left := range map[string]string{"h": "HLEN", "set": "SCARD", "z": "ZCARD", "l": "LLEN"} {
			require.Equal(t, map[string]string{"h": ":1", "set": ":1", "z": ":2", "l": ":3"}[key]+"\r\n",
				again.do(left, key), key)
		}
	}
}

// The reply to CONFIG SET appendonly no, and to what the same pipeline wrote before, waits until
// that is written.
func TestTurnedOffAfterAChange(t *testing.T) {
	for _, policy := range []string{always, everysec, never} {
		disk := newFaultyDisk()
		s := start(t, disk, "appendfsync", policy)
		s.run("SET a 1\nCONFIG SET appendonly no")
		for s.journal.Behind() {
			require.True(t, s.journal.Commit())
		}
		require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), policy)
	}
}

func TestTurnedOnAndOff(t *testing.T) {
	disk := newFaultyDisk()
	s := begin(t, disk)
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	s.run("SET a 1\nCONFIG SET appendonly yes\nSET b 2")
	await(t, "on", s.idle)
	s.run("SET c 3\nCONFIG SET appendonly no\nSET d 4\nCONFIG SET appendonly yes\nSET e 5")
	await(t, "on again", s.idle)
	s.run("SET f 6")
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk).digest(), disk.dump())
	require.Len(t, disk.names(), 3)
}

func TestWaitAOF(t *testing.T) {
	for _, policy := range []string{always, everysec, never} {
		s := start(t, newFaultyDisk(), "appendfsync", policy)
		s.run("SET a 1")
		require.Empty(t, s.do("WAITAOF", "1", "0", "0"), policy)
		if policy == never { // nothing is synced for who waits, as in Redis
			s.journal.tick(time.Now().Add(time.Hour))
			require.Empty(t, s.engine.Collect(s.session).Out)
			s.engine.With(func() { require.NoError(t, s.engine.Params.Named("appendfsync").Set(everysec)) })
		}
		var out []byte
		await(t, "synced", func() bool {
			out = append(out, s.engine.Collect(s.session).Out...)
			return len(out) > 0
		})
		require.Equal(t, "*2\r\n:1\r\n:0\r\n", string(out), policy)
		require.Equal(t, "*2\r\n:1\r\n:0\r\n", s.do("WAITAOF", "1", "0", "0"), "nothing was written since")
	}
}

// What waits to be written is memory in use, but evicts no keys: evicting adds to it.
func TestTheBufferCountsButEvictsNoKeys(t *testing.T) {
	s := start(t, newFaultyDisk(), "maxmemory", "3mb", "maxmemory-policy", "allkeys-lru")
	s.journal.files.Lock() // nothing is written
	for range 8 {
		s.do("SET", "k", strings.Repeat("x", 1<<20))
	}
	s.do("SET", "other", "v")
	s.engine.Tick()
	s.do("SET", "last", "v")
	require.Equal(t, ":3\r\n", s.do("DBSIZE"))
	require.Regexp(t, `mem_aof_buffer:8\d{6}\r\n`, s.do("INFO", "memory"))
	require.Greater(t, s.engine.Home().MemoryUsage().Uncounted, 8<<20)
	s.journal.files.Unlock()
	require.True(t, s.journal.Commit())
	require.Less(t, s.engine.Home().MemoryUsage().Uncounted, 2<<20)
}

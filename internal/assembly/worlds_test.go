package assembly_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// steered is a clock that tests set, in milliseconds.
type steered int64

func (s *steered) Now() int64               { return int64(*s) * 1000 }
func (s *steered) Wait(int64) time.Duration { return math.MaxInt64 }

// worlds is an engine with all parts, and the time of its worlds in milliseconds.
type worlds struct {
	t     *testing.T
	e     *engine.Engine
	home  int64
	own   steered
	other *engine.World
	sent  []string // what reaches the journal
}

func newWorlds(t *testing.T) *worlds {
	w := &worlds{t: t, home: 1_700_000_000_000, own: 1_000_000}
	w.e = engine.New(engine.Options{Clock: func() int64 { return w.home * 1000 }, Seed: 1})
	assembly.Join(w.e, assembly.Options{Disk: new(disk.Memory)})
	w.e.Join(engine.Part{Name: "witness",
		Propagate: func(_ int, args [][]byte) { w.sent = append(w.sent, string(args[0])) }})
	w.e.With(func() {
		w.other = w.e.NewWorld(2)
		w.other.Steer(&w.own)
	})
	return w
}

// client returns a session in the home world or in the other one.
func (w *worlds) client(in *engine.World) *engine.Session {
	s := w.e.NewSession(nil)
	if in != w.e.Home() {
		w.e.With(func() { s.MoveTo(in) })
	}
	return s
}

// do returns the reply to a command in RESP2.
func (w *worlds) do(s *engine.Session, line string) string {
	var args [][]byte
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(strings.ReplaceAll(word, "_", " ")))
	}
	return string(w.e.Do(s, [][][]byte{args}).Out)
}

// received returns what was sent to a session since the last call.
func (w *worlds) received(s *engine.Session) string { return string(w.e.Collect(s).Out) }

func TestWorldsHaveTheirOwnData(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	require.Equal(t, "+OK\r\n", w.do(a, "SET k home"))
	require.Equal(t, "$-1\r\n", w.do(b, "GET k"))
	require.Equal(t, "+OK\r\n", w.do(b, "SET k other"))
	require.Equal(t, "+OK\r\n", w.do(b, "FLUSHALL"))
	require.Equal(t, "$4\r\nhome\r\n", w.do(a, "GET k"))
	require.Equal(t, []string{"SET"}, w.sent, "only the home world has a journal")
	require.NotContains(t, w.do(b, "INFO keyspace"), "db0")
	require.Equal(t, ":0\r\n", w.do(b, "DBSIZE"))
}

func TestWorldsHaveTheirOwnClocks(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	w.do(a, "SET k v PX 100")
	w.do(b, "SET k v PX 100")
	w.own += 100
	require.Equal(t, ":100\r\n", w.do(a, "PTTL k"))
	require.Equal(t, ":-2\r\n", w.do(b, "PTTL k"))
	require.Equal(t, "*2\r\n$4\r\n1000\r\n$6\r\n100000\r\n", w.do(b, "TIME"))

	w.do(b, "SET later v PX 50")
	require.Equal(t, w.home+100, w.e.Tick(), "the home world's")
	w.do(b, "BLPOP list 1")
	w.own += 1000
	w.e.Tick()
	require.Equal(t, "*-1\r\n", w.received(b))
}

func TestWorldsDoNotHearEachOther(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	in, out := w.client(w.e.Home()), w.client(w.other)

	require.Empty(t, w.do(b, "BLPOP list 0"))
	require.Equal(t, ":1\r\n", w.do(in, "RPUSH list x"))
	require.Empty(t, w.received(b))
	require.Equal(t, ":1\r\n", w.do(out, "RPUSH list y"))
	require.Equal(t, "*2\r\n$4\r\nlist\r\n$1\r\ny\r\n", w.received(b))

	w.do(a, "SUBSCRIBE news")
	require.Equal(t, ":0\r\n", w.do(out, "PUBLISH news x"))
	require.Equal(t, ":1\r\n", w.do(in, "PUBLISH news x"))

	w.do(b, "WATCH k")
	w.do(in, "SET k v")
	w.do(b, "MULTI")
	require.Equal(t, "*0\r\n", w.do(b, "EXEC"))

	w.do(b, "MONITOR")
	w.do(in, "SET k v")
	require.Empty(t, w.received(b))
}

func TestWorldsHaveTheirOwnScripts(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	sha := strings.Split(w.do(a, "SCRIPT LOAD return_1"), "\r\n")[1]
	require.Equal(t, ":1\r\n", w.do(a, "EVALSHA "+sha+" 0"))
	require.Contains(t, w.do(b, "EVALSHA "+sha+" 0"), "NOSCRIPT")
	w.do(b, "EVAL return_redis.call('set','k','script') 0")
	require.Equal(t, "$-1\r\n", w.do(a, "GET k"))
	require.Equal(t, "$6\r\nscript\r\n", w.do(b, "GET k"))
}

func TestWorldsHaveTheirOwnClients(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	require.Equal(t, 1, strings.Count(w.do(b, "CLIENT LIST"), "id="))
	w.do(b, "BLPOP list 0")
	require.Equal(t, ":0\r\n", w.do(a, "CLIENT UNBLOCK 2"))
	w.e.Close(b)
	require.Empty(t, w.other.Clients())
	w.e.With(func() { w.e.RemoveWorld(w.other) })
	require.Equal(t, []*engine.World{w.e.Home()}, w.e.Worlds())
}

func TestOnlyTheHomeWorldHasFiles(t *testing.T) {
	w := newWorlds(t)
	a, b := w.client(w.e.Home()), w.client(w.other)
	require.NoError(t, w.e.Params.Named("enable-debug-command").Set("yes"))
	for _, line := range []string{"SAVE", "BGSAVE", "BGREWRITEAOF", "PSYNC ? -1", "REPLICAOF NO ONE", "DEBUG RELOAD",
		"DEBUG LOADAOF"} {
		require.Equal(t, "-"+string(engine.ErrNotHome)+"\r\n", w.do(b, line), line)
	}
	w.do(b, "SET k v")
	require.Contains(t, w.do(a, "INFO persistence"), "rdb_changes_since_last_save:0")
	require.Equal(t, "+OK\r\n", w.do(a, "SAVE"))
}

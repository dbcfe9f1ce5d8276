package assembly_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/server"
	"github.com/stretchr/testify/require"
)

// library is a server with shelves.
type library struct {
	*engine.Engine
	disk    disk.Disk
	parts   assembly.Parts
	session *engine.Session
	now     int64
	sent    [][][]byte
}

func newLibrary(t *testing.T, d disk.Disk, params ...string) *library {
	return newLibraryWith(t, assembly.Options{Disk: d}, params...)
}

func newLibraryWith(t *testing.T, o assembly.Options, params ...string) *library {
	return newLibraryLike(t, &release.Default, o, params...)
}

func newLibraryLike(t *testing.T, like *release.Release, o assembly.Options, params ...string) *library {
	l := &library{now: 1_700_000_000_000, disk: o.Disk}
	l.Engine = engine.New(engine.Options{Clock: func() int64 { return l.now * 1000 }, Seed: 1, Release: like})
	l.parts = assembly.Join(l.Engine, o)
	l.Join(shelves, engine.Part{Name: "witness", Propagate: func(_ int, args [][]byte) {
		var copied [][]byte
		for _, a := range args {
			copied = append(copied, slices.Clone(a))
		}
		l.sent = append(l.sent, copied)
	}})
	for i := 0; i < len(params); i += 2 {
		require.NoError(t, l.Params.Named(params[i]).Set(params[i+1]), params[i])
	}
	require.NoError(t, l.parts.Load())
	l.session = l.NewSession(nil)
	return l
}

func (l *library) do(line string) string {
	var args [][]byte
	for word := range strings.FieldsSeq(line) {
		args = append(args, []byte(word))
	}
	return string(l.Do(l.session, [][][]byte{args}).Out)
}

// ask executes a command, and returns its reply as it is sent.
func (l *library) ask(args ...string) string {
	words := make([][]byte, len(args))
	for i, a := range args {
		words[i] = []byte(a)
	}
	return string(l.Do(l.session, [][][]byte{words}).Out)
}

// text executes a command whose reply is a text.
func (l *library) text(args ...string) string {
	_, text, _ := strings.Cut(strings.TrimSuffix(l.ask(args...), "\r\n"), "\r\n")
	return text
}

// TestTypeOfAPart adds a type, and does with it what is done with those of the server.
func TestTypeOfAPart(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibrary(t, memory, "enable-debug-command", "yes")
	require.Equal(t, ":2\r\n", l.do("SHELF.PUT k a b"))
	require.Equal(t, "+shelf\r\n", l.do("TYPE k"))
	require.Equal(t, "$5\r\nplank\r\n", l.do("OBJECT ENCODING k"))
	require.Contains(t, l.do("GET k"), "WRONGTYPE")
	require.Contains(t, l.do("SCAN 0 TYPE shelf"), "$1\r\nk\r\n")
	require.Contains(t, l.do("MEMORY EXPLAIN k"), "+first              a  (on the left)")
	require.NotContains(t, l.do("DEBUG DIGEST-VALUE k"), strings.Repeat("0", 40))
	require.NotEqual(t, l.do("MEMORY USAGE k"), l.do("MEMORY USAGE none"))
	require.Contains(t, l.do("SORT k"), "WRONGTYPE")
	require.Equal(t, "+OK\r\n", l.do("RENAME k other"))
	require.Equal(t, "+OK\r\n", l.do("RENAME other k"))

	require.Equal(t, ":1\r\n", l.do("COPY k c"))
	l.do("SHELF.PUT c z")
	require.Equal(t, "$3\r\na,b\r\n", l.do("SHELF.GET k"))
	require.Equal(t, "$5\r\na,b,z\r\n", l.do("SHELF.GET c"))
	require.Equal(t, ":1\r\n", l.do("PEXPIRE c 1000"))
	l.now += 1000
	require.Equal(t, "$-1\r\n", l.do("SHELF.GET c"))

	digest := l.Home().Keyspace.Digest()
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, newLibrary(t, memory).Home().Keyspace.Digest(), "loaded at the start")
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())

	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	require.Equal(t, digest, replica.Home().Keyspace.Digest(), "from the commands that replicas get")
}

// TestTypeOfAPartIsFrozen: a snapshot has a large value as it was at the start.
func TestTypeOfAPartIsFrozen(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	for i := range 2000 {
		l.do(fmt.Sprintf("SHELF.PUT k %040d", i))
	}
	ks := l.Home().Keyspace
	var got value.Value
	s := ks.Snapshot(func(r *keyspace.Record, p *keyspace.Pace) {
		for range 100 {
			p.Yield(1000)
		}
		got = r.Value.Clone()
	})
	for s.Step(1) {
		l.do("SHELF.PUT k more")
	}
	require.Equal(t, 2000, got.Len())
	v, _ := ks.DB(0).Peek([]byte("k"))
	require.Greater(t, v.Len(), 2010)
}

// TestTypeOfAPartIsRewritten: the journal has the commands of the type.
func TestTypeOfAPartIsRewritten(t *testing.T) {
	dir := t.TempDir()
	params := []string{"dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", "no"}
	l := newLibrary(t, new(disk.Memory), params...)
	l.do("SHELF.PUT k a b")
	require.Contains(t, l.do("BGREWRITEAOF"), "started")
	base := l.rewritten(t, dir, "*.2.base.aof")
	text, err := os.ReadFile(base)
	require.NoError(t, err)
	require.Contains(t, string(text), "*4\r\n$9\r\nSHELF.PUT\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\nb\r\n")
	require.Equal(t, l.Home().Keyspace.Digest(), newLibrary(t, new(disk.Memory), params...).Home().Keyspace.Digest())
}

// TestElementsOfAPartExpire: the texts of a shelf have the commands that set deadlines, and go at
// them.
func TestElementsOfAPartExpire(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.do("SHELF.PUT k a b c")
	require.Equal(t, "*2\r\n:1\r\n:-2\r\n", l.do("SHELF.PEXPIRE k 1000 TEXTS 2 a z"))
	require.Equal(t, ":1\r\n", l.do("EXPIREMEMBER k b 2"))
	require.Equal(t, "*3\r\n:1000\r\n:2000\r\n:-1\r\n", l.do("SHELF.PTTL k TEXTS 3 a b c"))
	require.Contains(t, l.do("MEMORY EXPLAIN k"), "+  elements  2  (that have one)")
	require.Contains(t, l.do("INFO keyspace"), "subexpiry=1")
	l.now += 1000
	require.Equal(t, "$3\r\nb,c\r\n", l.do("SHELF.GET k"))
	require.Equal(t, "SHELF.TAKE k a", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	l.now += 1000
	require.Equal(t, "$1\r\nc\r\n", l.do("SHELF.GET k"))
}

// TestTypeOfAPartInFiles: who reads files without a server knows the type by the list that it is
// given.
func TestTypeOfAPartInFiles(t *testing.T) {
	memory, dir := new(disk.Memory), t.TempDir()
	l := newLibrary(t, memory, "dir", dir, "appendonly", "yes")
	l.do("SHELF.PUT k a b")
	l.do("SHELF.PEXPIRE k 1000 TEXTS 1 a")
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	types, digest := l.Parts.Types, l.Home().Keyspace.Digest()

	src, size, err := memory.Open(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	var lines bytes.Buffer
	scratch := payload.Scratch(16, types).Home()
	r := rdb.NewReader(src, payload.Options(scratch, size, false))
	require.NoError(t, snapshot.Each(r, scratch.Keyspace, jsonlines.NewWriter(&lines, types)))
	require.Equal(t, `{"db":0,"key":"k","type":"shelf","value":["a","b"],"deadlines":[{"element":"a","deadline":1700000001000}]}`+"\n", lines.String())
	back := new(disk.Memory)
	made, err := back.Create(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, jsonlines.Snapshot(&lines, made, 16, types))
	require.NoError(t, made.Commit())
	require.Equal(t, digest, newLibrary(t, back, "dir", dir).Home().Keyspace.Digest(), "by way of JSON")

	require.Contains(t, l.do("BGREWRITEAOF"), "started")
	base := l.rewritten(t, dir, "*.2.base.rdb")
	check := journal.Check{Disk: journal.OS{}, Types: types, Progress: func(done, total int64) {}}
	report, err := check.File(base, 1<<20)
	require.NoError(t, err)
	require.Equal(t, 1, report.Keys)
	check.Types = nil
	report, err = check.File(base, 1<<20)
	require.NoError(t, err)
	require.Zero(t, report.Keys)
	require.Equal(t, []string{"1 value of toy-shelf (encoding version 1)"}, report.Skipped.ByType())
}

// rewritten waits for the end of a rewrite of the journal, and returns the base that it made.
func (l *library) rewritten(t *testing.T, dir, pattern string) string {
	var base []string
	require.Eventually(t, func() bool {
		base, _ = filepath.Glob(filepath.Join(dir, "appendonlydir", pattern))
		return len(base) == 1 && strings.Contains(l.do("INFO persistence"), "aof_rewrite_in_progress:0")
	}, time.Minute, time.Millisecond)
	return base[0]
}

// TestTypeOfAPartIsDumped: the test kit shows its values, and keeps a world with them.
func TestTypeOfAPartIsDumped(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l.do("SHELF.PUT k a b")
	require.Equal(t, "*4\r\n+database 0\r\n+\"k\" shelf\r\n+  a\r\n+  b\r\n", l.do("MINI.DUMP"))
	require.Contains(t, l.do("MINI.WORLD SNAPSHOT before"), "OK")
	l.do("SHELF.PUT k c")
	require.Equal(t, "*3\r\n+database 0\r\n+ \"k\" shelf\r\n+-  c\r\n", l.do("MINI.DIFF default before"))
}

// TestTypeOfAPartIsDefragmented: its keys move when most of those around them have gone.
func TestTypeOfAPartIsDefragmented(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	const keys = 20_000
	for i := range keys {
		l.do(fmt.Sprintf("SHELF.PUT key:%d text", i))
	}
	for i := range keys {
		if i%10 != 0 {
			l.do(fmt.Sprintf("DEL key:%d", i))
		}
	}
	ks := l.Home().Keyspace
	digest := ks.Digest()
	require.Equal(t, "+OK\r\n", l.do("MEMORY PURGE"))
	require.Eventually(t, func() bool {
		l.now += 100
		l.Tick()
		return !strings.Contains(l.do("INFO stats"), "active_defrag_hits:0")
	}, time.Minute, time.Millisecond)
	require.NoError(t, ks.Check())
	require.Equal(t, digest, ks.Digest())
}

// TestTypeOfAPartIsReplicated: a replica gets its values in a snapshot, and what follows as
// commands.
func TestTypeOfAPartIsReplicated(t *testing.T) {
	master, port := serveShelves(t)
	replica, _ := serveShelves(t)
	master("SHELF.PUT", "k", "a", "b")
	master("SHELF.EXPIRE", "k", "1000", "TEXTS", "1", "b")
	require.Equal(t, "+OK\r\n", replica("REPLICAOF", "127.0.0.1", port))
	require.Eventually(t, func() bool { return replica("SHELF.GET", "k") == "$3\r\na,b\r\n" }, time.Minute,
		10*time.Millisecond)
	require.NotEqual(t, "*1\r\n:-1\r\n", replica("SHELF.TTL", "k", "TEXTS", "1", "b"))
	master("SHELF.PUT", "k", "c")
	require.Eventually(t, func() bool { return replica("SHELF.GET", "k") == "$5\r\na,b,c\r\n" }, time.Minute,
		10*time.Millisecond)
	require.Equal(t, master("DEBUG", "DIGEST-VALUE", "k"), replica("DEBUG", "DIGEST-VALUE", "k"))
}

// serveShelves runs a server with shelves until the test ends, and returns what runs a command
// there, and its port.
func serveShelves(t *testing.T) (do func(args ...string) string, port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ready := make(chan struct{})
	a := assembly.New(assembly.Options{Disk: new(disk.Memory), Server: &server.Options{Listeners: []net.Listener{l},
		Port: -1, Ready: func() error { close(ready); return nil }}})
	a.Engine.Join(shelves)
	require.NoError(t, a.Engine.Params.Named("enable-debug-command").Set("yes"))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	<-ready
	session := a.Engine.NewSession(nil)
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return func(args ...string) string {
		command := make([][]byte, len(args))
		for i, arg := range args {
			command[i] = []byte(arg)
		}
		return string(a.Engine.Do(session, [][][]byte{command}).Out)
	}, port
}

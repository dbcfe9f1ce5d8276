package assembly_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

var sketches = flag.Int("sketches", 300, "random sketches to exchange with Redis Stack")

// makeSketches makes random sketches in both servers, and returns their payloads, which are equal:
// ours is set to compress as thoroughly as Redis.
func makeSketches(t *testing.T, l *library, s *stack, n int) (payloads []string) {
	t.Helper()
	g := dataset.New(7)
	for i := range n {
		for _, c := range g.Sketch(key(i)) {
			l.ask(c...)
			s.ask(c...)
		}
		payloads = append(payloads, s.ask("DUMP", key(i)))
		same(t, payloads[i], l.text("DUMP", key(i)), "made here")
	}
	return payloads
}

// TestSketchesAreExchanged: Redis Stack and we make the same payloads, byte for byte, and read each
// other's payloads and snapshots.
func TestSketchesAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	l := newLibrary(t, nil, "encodings", "listpack", "dir", dir)
	want := makeSketches(t, l, s, *sketches)
	both := func(what string, l *library) {
		t.Helper()
		for i := range want {
			same(t, want[i], l.text("DUMP", key(i)), what+", here")
			same(t, want[i], s.ask("DUMP", key(i)), what+", there")
		}
	}
	l.do("FLUSHALL")
	s.ask("FLUSHALL")
	for i := range want {
		require.Equal(t, "+OK\r\n", l.ask("RESTORE", key(i), "0", want[i]))
		s.ask("RESTORE", key(i), "0", want[i])
	}
	both("payloads", l)

	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	s.ask("SAVE")
	ourDump, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	theirDump, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.rdb"), theirDump, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "dump.rdb"), ourDump, 0o644))
	s.ask("FLUSHALL")
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	both("snapshots", newLibrary(t, nil, "encodings", "listpack", "dir", dir))
}

// TestJournalsOfSketchesAreExchanged: a journal with a snapshot and commands goes both ways; ours
// goes without a snapshot, too.
func TestJournalsOfSketchesAreExchanged(t *testing.T) {
	theirs := newStack(t, "--appendonly", "yes", "--appendfsync", "always")
	dir := t.TempDir()
	l := newLibrary(t, nil, "encodings", "listpack", "dir", dir)
	want := makeSketches(t, l, theirs, 60)
	theirs.ask("BGREWRITEAOF")
	theirs.await("aof_rewrite_in_progress:0")
	theirs.ask("CF.ADD", "later", "a")
	theirs.ask("CF.INSERT", "later", "ITEMS", "a", "b")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "appendonlydir"),
		os.DirFS(filepath.Join(theirs.dir, "appendonlydir"))))
	loaded := newLibrary(t, nil, "encodings", "listpack", "dir", dir, "appendonly", "yes")
	for i := range want {
		same(t, want[i], loaded.text("DUMP", key(i)), "from their journal")
	}
	require.Equal(t, ":2\r\n", loaded.do("CF.COUNT later a"))

	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		ours := newLibrary(t, nil, "encodings", "listpack", "dir", dir, "appendonly", "yes",
			"aof-use-rdb-preamble", preamble)
		for i := range want {
			ours.ask("RESTORE", key(i), "0", want[i])
		}
		require.Contains(t, ours.do("BGREWRITEAOF"), "started")
		ours.rewritten(t, dir, "*.2.base.*")
		ours.do("CF.ADD later a")
		s := newStack(t, "--dir", dir, "--appendonly", "yes")
		require.Eventually(t, func() bool { return s.reply("PING").Text == "PONG" }, time.Minute, time.Millisecond)
		for i := range want {
			same(t, want[i], s.ask("DUMP", key(i)), "preamble "+preamble)
		}
		require.EqualValues(t, 1, s.reply("CF.COUNT", "later", "a").Int)
	}
}

// TestSketches does with sketches all that is done with keys.
func TestSketches(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibrary(t, memory, "enable-debug-command", "yes")
	g := dataset.New(1)
	for i := range 30 {
		for _, c := range g.Sketch(key(i)) {
			l.ask(c...)
		}
	}
	l.do("CONFIG SET cf-initial-size 20 cf-bucket-size 4 cf-expansion-factor 2")
	for _, c := range []string{"CF.ADD f a", "CF.INSERT f ITEMS b c d", "CF.DEL f b", "CMS.INITBYDIM s 10 3",
		"CMS.INCRBY s a 5", "CMS.MERGE s 1 s WEIGHTS 2", "COPY f f2", "CF.ADD f2 z", "RENAME f2 f3", "MOVE f3 3"} {
		require.NotContains(t, l.do(c), "-ERR", c)
	}
	l.do("CF.RESERVE full 4")
	for range 20 {
		l.do("CF.INSERT full ITEMS 1 2 3 4 5 6")
	}
	l.do("CF.DEL full 1")
	l.do("CF.COMPACT full")
	require.Contains(t, l.do("SCAN 0 COUNT 1000 TYPE MBbloomCF"), "$1\r\nf\r\n")
	require.Contains(t, l.do("SCAN 0 COUNT 1000 TYPE CMSk-TYPE"), "$1\r\ns\r\n")
	for _, c := range []string{"GET f", "BF.ADD f x", "CMS.QUERY f x", "CF.ADD s x", "HGETALL s"} {
		require.Contains(t, l.do(c), "WRONGTYPE", c)
	}

	digest := l.Home().Keyspace.Digest()
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, newLibrary(t, memory).Home().Keyspace.Digest(), "loaded at the start")
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())
	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	require.Equal(t, digest, replica.Home().Keyspace.Digest(), "from the commands that replicas get")

	require.Equal(t, ":1\r\n", l.do("PEXPIRE f 1000"))
	l.do("CF.ADD f e")
	require.Equal(t, ":1000\r\n", l.do("PTTL f"), "the deadline stays")
	l.now += 1000
	require.Equal(t, ":0\r\n", l.do("CF.EXISTS f e"))
	require.Equal(t, "DEL f", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	require.Equal(t, ":1\r\n", l.do("UNLINK full"))
	l.Tick()
	require.NoError(t, l.Home().Keyspace.Check())
}

// TestSketchesThatMemoryLacks: what maxmemory does not leave room for is refused, and not made for
// replicas, which have more.
func TestSketchesThatMemoryLacks(t *testing.T) {
	l := newLibrary(t, new(disk.Memory), "maxmemory", "20mb")
	for _, c := range []string{"CF.RESERVE f 1000000000", "CMS.INITBYDIM f 10000000 10", "BF.RESERVE f 0.001 100000000",
		"CF.INSERT f CAPACITY 1000000000 ITEMS a"} {
		require.Contains(t, l.do(c), "OOM", c)
	}
	require.Contains(t, l.do("CMS.INITBYDIM f 1000000000000 3"), "-CMS: Insufficient memory to create the key")
	require.Equal(t, ":0\r\n", l.do("EXISTS f"))
	require.Empty(t, l.sent)

	require.Equal(t, "+OK\r\n", l.do("CF.RESERVE f 4 EXPANSION 32768 BUCKETSIZE 1"))
	require.Equal(t, "*6\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n", l.do("CF.INSERT f ITEMS a b c d e f"))
	for l.do("CF.INSERT f CAPACITY 5 ITEMS a") == "*1\r\n:1\r\n" {
	}
	require.Equal(t, "*3\r\n:-1\r\n:1\r\n:-1\r\n", l.do("CF.INSERT f CAPACITY 5 ITEMS a new a"))
	require.Equal(t, "CF.INSERT f CAPACITY 5 ITEMS new", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	require.Equal(t, "-ERR Insufficient memory\r\n", l.do("CF.ADD f a"))
}

package assembly_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/stretchr/testify/require"
)

var digests = flag.Int("digests", 200, "random Top-K sketches and t-digests to exchange with Redis Stack")

// joined returns the texts of a reply, with blanks between.
func joined(v resp.Value) string {
	var b strings.Builder
	for _, e := range v.Elems {
		b.WriteString(e.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// replyOf returns the reply of ours as a value.
func replyOf(t *testing.T, l *library, args ...string) resp.Value {
	v, err := resp.NewReader(strings.NewReader(l.ask(args...))).Read()
	require.NoError(t, err)
	return v
}

// sameSketch requires a sketch to be the same in both servers.
func sameSketch(t *testing.T, l *library, s *stack, key, when string) {
	t.Helper()
	if l.ask("TYPE", key) == "+TDIS-TYPE\r\n" {
		same(t, s.ask("DUMP", key), l.text("DUMP", key), key+" "+when)
		return
	}
	for _, question := range [][]string{{"TOPK.INFO", key}, {"TOPK.LIST", key, "WITHCOUNT"},
		{"TOPK.COUNT", key, "text1", "a", "é0\"<\u2028\\"}} {
		same(t, joined(s.reply(question...)), joined(replyOf(t, l, question...)), key+" "+when)
	}
}

// fill makes random sketches in Redis Stack, and here by RESTORE.
func fill(t *testing.T, l *library, s *stack, n int) {
	t.Helper()
	g := dataset.New(11)
	for i := range n {
		makeOne := g.TopK
		if i%2 == 0 {
			makeOne = g.Digest
		}
		for _, c := range makeOne(key(i)) {
			for j := range c {
				c[j] = strings.ReplaceAll(c[j], "\x00", "0") // where RedisBloom cuts an item
			}
			s.reply(c...)
			if i%2 == 0 {
				l.ask(c...)
			}
		}
		if i%2 == 0 {
			sameSketch(t, l, s, key(i), "made here")
		}
		require.Equal(t, "+OK\r\n", l.ask("RESTORE", key(i), "0", s.ask("DUMP", key(i)), "REPLACE"))
		sameSketch(t, l, s, key(i), "their payload")
		s.ask("RESTORE", key(i), "0", l.text("DUMP", key(i)), "REPLACE")
		sameSketch(t, l, s, key(i), "our payload")
	}
}

// TestDigestsAreExchanged: Redis Stack and we read each other's payloads and snapshots of Top-K
// sketches and t-digests. Those of t-digests are equal byte for byte.
func TestDigestsAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	l := newLibrary(t, nil, "encodings", "listpack", "dir", dir)
	fill(t, l, s, *digests)
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	s.ask("SAVE")
	ours, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	theirs, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.rdb"), theirs, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "dump.rdb"), ours, 0o644))
	s.ask("FLUSHALL")
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	loaded := newLibrary(t, nil, "encodings", "listpack", "dir", dir)
	for i := range *digests {
		sameSketch(t, loaded, s, key(i), "snapshots")
	}
}

// TestJournalsOfDigestsAreExchanged: a journal with a snapshot and commands goes both ways.
func TestJournalsOfDigestsAreExchanged(t *testing.T) {
	theirs := newStack(t, "--appendonly", "yes", "--appendfsync", "always")
	dir := t.TempDir()
	l := newLibrary(t, nil, "encodings", "listpack", "dir", dir)
	fill(t, l, theirs, 40)
	theirs.ask("BGREWRITEAOF")
	theirs.await("aof_rewrite_in_progress:0")
	later := [][]string{{"TOPK.RESERVE", "later", "3", "50", "3", "1"}, {"TOPK.ADD", "later", "a", "b", "a"},
		{"TDIGEST.CREATE", "times"}, {"TDIGEST.ADD", "times", "1", "2", "3"}, {"TDIGEST.MERGE", "all", "1", "times"}}
	for _, c := range later {
		theirs.reply(c...)
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "appendonlydir"),
		os.DirFS(filepath.Join(theirs.dir, "appendonlydir"))))
	loaded := newLibrary(t, nil, "encodings", "listpack", "dir", dir, "appendonly", "yes")
	for i := range 40 {
		sameSketch(t, loaded, theirs, key(i), "from their journal")
	}
	sameSketch(t, loaded, theirs, "later", "from their journal")
	sameSketch(t, loaded, theirs, "all", "from their journal")

	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		ours := newLibrary(t, nil, "encodings", "listpack", "dir", dir, "appendonly", "yes", "aof-use-rdb-preamble",
			preamble)
		for i := range 40 {
			ours.ask("RESTORE", key(i), "0", l.text("DUMP", key(i)))
		}
		for _, c := range later {
			ours.ask(c...)
		}
		require.Contains(t, ours.do("BGREWRITEAOF"), "started")
		ours.rewritten(t, dir, "*.2.base.*")
		s := newStack(t, "--dir", dir, "--appendonly", "yes")
		require.Eventually(t, func() bool { return s.reply("PING").Text == "PONG" }, time.Minute, time.Millisecond)
		for i := range 40 {
			sameSketch(t, ours, s, key(i), "preamble "+preamble)
		}
		for _, name := range []string{"later", "times", "all"} {
			sameSketch(t, ours, s, name, "preamble "+preamble)
		}
	}
}

// TestDigests does with Top-K sketches and t-digests what is done with all keys.
func TestDigests(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibrary(t, memory, "enable-debug-command", "yes")
	for _, c := range []string{"TOPK.RESERVE k 3 2 2 0.9", "TDIGEST.CREATE d COMPRESSION 5", "TDIGEST.CREATE one",
		"TDIGEST.ADD one 7"} {
		require.NotContains(t, l.do(c), "-", c)
	}
	for range 100 {
		l.do("TOPK.ADD k a b c d e f g a b c")
		l.do("TDIGEST.ADD d 1 2 3 5 8 13 21")
		l.do("TDIGEST.CDF d 4")
	}
	l.do("COPY k k2")
	l.do("COPY d d2")
	l.do("TDIGEST.ADD d2 1 1 1")
	digest := l.Home().Keyspace.Digest()
	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	require.Equal(t, digest, replica.Home().Keyspace.Digest(), "from the commands that replicas get")
	for _, question := range []string{"TDIGEST.INFO d", "TDIGEST.INFO d2", "TOPK.LIST k2 WITHCOUNT"} {
		require.Equal(t, l.do(question), replica.do(question))
	}
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, newLibrary(t, memory).Home().Keyspace.Digest(), "loaded at the start")
	require.Equal(t, "$1\r\n7\r\n", l.do("TDIGEST.MIN one"))
	require.Contains(t, l.do("MEMORY EXPLAIN k"), "cells-used")
	require.Contains(t, l.do("MEMORY EXPLAIN d"), "capacity")
	require.Contains(t, l.do("SCAN 0 TYPE TopK-TYPE"), "$2\r\nk2\r\n")
}

// TestDigestsNeedRoom: what memory does not leave room for is refused, and changes nothing.
func TestDigestsNeedRoom(t *testing.T) {
	l := newLibrary(t, new(disk.Memory), "maxmemory", "20mb")
	l.do("SET other x")
	for _, c := range []string{"TOPK.RESERVE k 1 1000000 5 0.9", "TOPK.RESERVE k 1000000",
		"TDIGEST.CREATE d COMPRESSION 1000000", "TOPK.RESERVE k 1 2000000000 1 0.9",
		"TDIGEST.CREATE d COMPRESSION 357913939"} {
		require.Contains(t, l.do(c), "-OOM", c)
	}
	for c, want := range map[string]string{"TOPK.RESERVE k 1 4294967295 4294967295 0.9": "Insufficient memory",
		"TOPK.RESERVE k 4294967295": "Insufficient memory", "TOPK.RESERVE k 9223372036854775807": "invalid k",
		"TDIGEST.CREATE d COMPRESSION 357913940": "allocation failed"} {
		require.Contains(t, l.do(c), want, c)
	}
	l.do("TDIGEST.CREATE small")
	require.Contains(t, l.do("TDIGEST.MERGE d 1 small COMPRESSION 1000000"), "-OOM")
	require.Equal(t, ":2\r\n", l.do("DBSIZE"))
}

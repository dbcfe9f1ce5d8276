package assembly_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/stretchr/testify/require"
)

// TestSeries does with time series all that is done with keys. The rules of a series stay in force
// where both ends are taken along.
func TestSeries(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibrary(t, memory, "enable-debug-command", "yes")
	for _, c := range []string{"TS.CREATE k CHUNK_SIZE 128 DUPLICATE_POLICY LAST LABELS a b", "TS.CREATE sums",
		"TS.CREATERULE k sums AGGREGATION SUM 10"} {
		require.Equal(t, "+OK\r\n", l.do(c))
	}
	for i := range 1000 {
		l.do(fmt.Sprintf("TS.ADD k %d %d.5", i*3, i%7))
	}
	require.Equal(t, "+TSDB-TYPE\r\n", l.do("TYPE k"))
	require.Equal(t, "$3\r\nraw\r\n", l.do("OBJECT ENCODING k"))
	require.Contains(t, l.do("SCAN 0 TYPE TSDB-TYPE"), "$1\r\nk\r\n")
	for _, c := range []string{"GET k", "SORT k", "HGETALL k", "APPEND k x", "JSON.SET k $ 1"} {
		require.Contains(t, l.do(c), "wrong", c)
	}
	require.Equal(t, ":1\r\n", l.do("COPY k c"))
	l.do("TS.ADD c 100000 1")
	require.Equal(t, "*2\r\n:2997\r\n+5.5\r\n", l.do("TS.GET k"))
	require.Equal(t, ":1\r\n", l.do("MOVE c 3"))
	require.Equal(t, "+OK\r\n", l.do("RENAME sums totals"))

	digest, rules := l.Home().Keyspace.Digest(), "$6\r\ntotals\r\n:10\r\n+SUM\r\n:0\r\n"
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())
	require.Contains(t, l.do("TS.INFO k"), rules)
	loaded := newLibrary(t, memory)
	require.Equal(t, digest, loaded.Home().Keyspace.Digest(), "loaded at the start")
	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	for _, one := range []*library{l, loaded, replica} {
		require.Equal(t, digest, one.Home().Keyspace.Digest())
		one.do("TS.MADD k 3005 100 k 4000 1")
		require.Equal(t, "*2\r\n:3000\r\n+100\r\n", one.do("TS.GET totals"))
		require.Contains(t, one.do("TS.INFO k"), rules)
		require.NoError(t, one.Home().Keyspace.Check())
	}

	require.Equal(t, ":1\r\n", l.do("PEXPIRE totals 1000"))
	l.now += 1000
	require.NotContains(t, l.do("TS.INFO k"), "totals")
	require.Equal(t, "DEL totals", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	require.Equal(t, ":1\r\n", l.do("UNLINK k"))
	l.Tick()
	require.NoError(t, l.Home().Keyspace.Check())
}

// TestSeriesByTheServersClock: the time of a sample is that of the server, which a test moves, and
// it is what replicas and journals get.
func TestSeriesByTheServersClock(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	day := int64(24 * time.Hour / time.Millisecond)
	first := l.do("TS.ADD k * 1")
	l.now += day
	l.do("TS.ADD k * 2")
	l.now += day
	l.do("TS.INCRBY k 5 LABELS a b")
	l.now += day
	l.do("TS.MADD k * 1 none * 1")
	var start int64
	fmt.Sscanf(first, ":%d", &start)
	var sent []string
	for _, args := range l.sent {
		if line := string(bytes.Join(args, []byte(" "))); line != "SELECT 0" {
			sent = append(sent, line)
		}
	}
	require.Equal(t, []string{fmt.Sprintf("TS.ADD k %d 1", start), fmt.Sprintf("TS.ADD k %d 2", start+day),
		fmt.Sprintf("TS.INCRBY k 5 TIMESTAMP %d LABELS a b", start+2*day),
		fmt.Sprintf("TS.MADD k %d 1", start+3*day)}, sent)
}

// TestWorldsHaveSeriesOfTheirOwn: a copy of a world is another one, and equal until it changes.
func TestWorldsHaveSeriesOfTheirOwn(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l.do("TS.CREATE k LABELS a b")
	for i := range 500 {
		l.do(fmt.Sprintf("TS.ADD k %d %d", i, i*i))
	}
	require.Contains(t, l.do("MINI.WORLD FORK default copy"), "OK")
	require.Equal(t, "*0\r\n", l.do("MINI.DIFF default copy"))
	l.do("TS.ADD k 1000 1")
	require.NotEqual(t, "*0\r\n", l.do("MINI.DIFF default copy"))
	require.Contains(t, l.do("MINI.WORLD USE copy"), "OK")
	require.Equal(t, "*2\r\n:499\r\n+249001\r\n", l.do("TS.GET k"))
}

// seriesOf returns what both servers say of time series.
func seriesOf(ask func(args ...string) string, keys []string) (all []string) {
	for _, k := range keys {
		all = append(all, ask("TS.RANGE", k, "-", "+")+ask("TS.GET", k, "LATEST"))
	}
	return all
}

// fillSeries gives both servers random time series, and returns the keys.
func fillSeries(t *testing.T, l *library, s *stack, n int) (keys []string) {
	g := dataset.New(11)
	for i := range n {
		for _, c := range g.Series(key(i)) {
			ours := l.ask(c...)
			require.NotContains(t, ours, "ERR ", "%.200q", c)
			require.False(t, s.reply(c...).IsError(), "%.200q", c)
		}
		keys = append(keys, key(i), key(i)+":sums")
	}
	return keys
}

// value returns a function that asks the library, and shows all that it replies.
func (l *library) value(t *testing.T) func(args ...string) string {
	return func(args ...string) string {
		v, err := resp.NewReader(strings.NewReader(l.ask(args...))).Read()
		require.NoError(t, err)
		return fmt.Sprint(v)
	}
}

// plain asks a stack, and shows all that it replies.
func (s *stack) plain(args ...string) string { return fmt.Sprint(s.reply(args...)) }

// TestSeriesAreExchanged: Redis Stack and we make the same payloads, byte for byte, read each
// other's, and each other's snapshots and journals, with the rules.
func TestSeriesAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	l := newLibrary(t, nil, "dir", dir)
	keys := fillSeries(t, l, s, *exchanged/10)
	here := func(l *library) []string { return seriesOf(l.value(t), keys) }
	want := here(l)
	require.Equal(t, want, seriesOf(s.plain, keys))

	theirs, ours := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		theirs[i], ours[i] = s.ask("DUMP", k), l.text("DUMP", k)
	}
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	s.ask("SAVE")
	swapFiles(t, filepath.Join(dir, "dump.rdb"), filepath.Join(s.dir, "dump.rdb"))
	s.ask("FLUSHALL")
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	loaded := newLibrary(t, nil, "dir", dir)
	require.Equal(t, want, here(loaded))
	require.Equal(t, want, seriesOf(s.plain, keys))
	for i := range *exchanged / 10 {
		c := []string{"TS.ADD", key(i), "3000000000000", "1"}
		require.Equal(t, ":3000000000000\r\n", loaded.ask(c...))
		s.ask(c...)
	}
	require.NotEqual(t, want, here(loaded), "the rules are in force")
	require.Equal(t, here(loaded), seriesOf(s.plain, keys))

	l.do("FLUSHALL")
	s.ask("FLUSHALL")
	for i, k := range keys {
		require.Equal(t, "+OK\r\n", l.ask("RESTORE", k, "0", theirs[i]))
		s.ask("RESTORE", k, "0", ours[i])
		if strings.HasSuffix(k, ":sums") { // they may have another last sample than their chunks, see differences
			continue
		}
		if info := s.plain("TS.INFO", k); !strings.Contains(info, "uncompressed") { // else it has what lay in memory
			require.True(t, theirs[i] == s.ask("DUMP", k), "the payload of %s is another one", k)
		}
	}
	require.Equal(t, seriesOf(s.plain, keys), here(l))
}

// swapFiles exchanges the contents of two files.
func swapFiles(t *testing.T, a, b string) {
	one, err := os.ReadFile(a)
	require.NoError(t, err)
	other, err := os.ReadFile(b)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(a, other, 0o644))
	require.NoError(t, os.WriteFile(b, one, 0o644))
}

// TestJournalsOfSeriesAreExchanged: a journal goes both ways, with a snapshot and without.
func TestJournalsOfSeriesAreExchanged(t *testing.T) {
	theirs := newStack(t, "--appendonly", "yes", "--appendfsync", "always")
	dir := t.TempDir()
	l := newLibrary(t, nil, "dir", dir)
	keys := fillSeries(t, l, theirs, 20)
	want := seriesOf(theirs.plain, keys)
	const journal = "appendonlydir"
	require.NoError(t, os.CopyFS(filepath.Join(dir, journal), os.DirFS(filepath.Join(theirs.dir, journal))))
	loaded := newLibrary(t, nil, "dir", dir, "appendonly", "yes")
	require.Equal(t, want, seriesOf(loaded.value(t), keys))

	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		ours := newLibrary(t, nil, "dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", preamble)
		g := dataset.New(11)
		for i := range 20 {
			for _, c := range g.Series(key(i)) {
				ours.ask(c...)
			}
		}
		require.Contains(t, ours.do("BGREWRITEAOF"), "started")
		ours.rewritten(t, dir, "*.2.base.*")
		s := newStack(t, "--dir", dir, "--appendonly", "yes")
		require.Eventually(t, func() bool { return s.reply("PING").Text == "PONG" }, time.Minute, time.Millisecond)
		for _, k := range keys {
			require.Equal(t, seriesOf(ours.value(t), []string{k}), seriesOf(s.plain, []string{k}))
		}
	}
}

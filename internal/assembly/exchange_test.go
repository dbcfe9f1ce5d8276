package assembly_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

var exchanged = flag.Int("exchanged", 50, "random values of each type to exchange with Redis Stack")

// exchange is a type that Redis Stack knows, or Redis.
type exchange struct {
	name   string                          // as TYPE replies it
	with   reference.Release               // that knows it; "" for Redis Stack
	later  []string                        // commands that make or change the key later
	chance bool                            // what a value holds is left to chance
	exact  func(s *stack, key string) bool // whether both servers make the same payload
}

// exchanges has all types of dataset.Types that one of them knows.
var exchanges = []exchange{
	{name: "MBbloom--", later: []string{"BF.ADD later a", "BF.INSERT later ITEMS a b"}, exact: always},
	{name: "MBbloomCF", later: []string{"CF.ADD later a", "CF.INSERT later ITEMS a b"}, exact: always},
	{name: "CMSk-TYPE", later: []string{"CMS.INITBYDIM later 10 2", "CMS.INCRBY later a 3"}, exact: always},
	{name: "TopK-TYPE", later: []string{"TOPK.RESERVE later 3 50 3 1", "TOPK.ADD later a b a"}, chance: true},
	{name: "TDIS-TYPE", exact: always, later: []string{"TDIGEST.CREATE times", "TDIGEST.ADD times 1 2 3",
		"TDIGEST.MERGE later 1 times"}},
	{name: "ReJSON-RL", later: []string{`JSON.SET later $ [{"a":1}]`, "JSON.ARRAPPEND later $ 2 3"}},
	{name: "trietype0", later: []string{"FT.SUGADD later a 1", "FT.SUGADD later ab 2 INCR", "FT.SUGDEL later a"}},
	{name: "TSDB-TYPE", later: []string{"TS.ADD later 5 1", "TS.ADD k0 3000000000000 1"}, exact: uncompressed},
	{name: "vectorset", with: reference.Default, later: []string{"VADD later VALUES 2 1 2 text1",
		"VADD later VALUES 2 2 1 text2", "VSETATTR later text1 {}", "VREM later text2"}},
}

func always(*stack, string) bool { return true }

// uncompressed returns whether a time series is compressed and not made by a rule: Redis Stack
// saves what lay in the memory of others, and has another last sample in them than their chunks.
func uncompressed(s *stack, key string) bool {
	return !strings.HasSuffix(key, ":sums") && !strings.Contains(s.reply("TS.INFO", key).String(), "uncompressed")
}

// stack is a connection to a Redis Stack.
type stack struct {
	t   *testing.T
	do  func(b []byte)
	in  *resp.Reader
	dir string
}

func newStack(t *testing.T, args ...string) *stack {
	return newServer(t, reference.RedisStack74, args...)
}

// newServer is newStack for another release.
func newServer(t *testing.T, r reference.Release, args ...string) *stack {
	server := r.Start(t, append([]string{"--dbfilename", "dump.rdb"}, args...)...)
	conn := server.Dial(t)
	return &stack{t, func(b []byte) {
		_, err := conn.Write(b)
		require.NoError(t, err)
	}, resp.NewReader(conn), server.Dir}
}

// reply executes a command and returns its reply.
func (s *stack) reply(args ...string) resp.Value {
	s.t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	s.do(b.Bytes())
	v, err := s.in.Read()
	require.NoError(s.t, err)
	return v
}

// ask executes a command, which must not fail, and returns the text of its reply.
func (s *stack) ask(args ...string) string {
	s.t.Helper()
	v := s.reply(args...)
	require.False(s.t, v.IsError(), "%.60q: %s", args, v.Text)
	return v.Text
}

// await waits until a background save or rewrite has ended.
func (s *stack) await(field string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return strings.Contains(s.ask("INFO", "persistence"), field) },
		time.Minute, time.Millisecond)
}

// loaded waits until a server that starts has loaded its files.
func (s *stack) loaded() *stack {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.reply("PING").Text == "PONG" }, time.Minute, time.Millisecond)
	return s
}

// reply executes a command and returns its reply as a value.
func (l *library) reply(args ...string) resp.Value {
	v, err := resp.NewReader(strings.NewReader(l.ask(args...))).Read()
	if err != nil {
		panic(err)
	}
	return v
}

// same fails if two texts differ, and shows where.
func same(t *testing.T, want, got, when string) {
	t.Helper()
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	if from := max(at-40, 0); want != got {
		require.Equal(t, fmt.Sprintf("%.100s", want[from:]), fmt.Sprintf("%.100s", got[from:]), when)
	}
}

func key(i int) string { return fmt.Sprint("k", i) }

// trade is the exchange of random values with a Redis Stack.
type trade struct {
	exchange
	dataset.Type
	t *testing.T
	l *library
	s *stack
	n int
}

// likeStack returns an engine that behaves as Redis Stack, down to the payloads.
func likeStack(t *testing.T, params ...string) *library {
	return likeRelease(t, reference.RedisStack74, params...)
}

// likeRelease is likeStack for another release.
func likeRelease(t *testing.T, r reference.Release, params ...string) *library {
	like, err := release.Find(string(r))
	require.NoError(t, err)
	return newLibraryLike(t, like, assembly.Options{}, params...)
}

// eachExchange makes random values of each type in both servers, with which do goes on.
func eachExchange(t *testing.T, n int, do func(x *trade, dir string), args ...string) {
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			at := slices.IndexFunc(dataset.Types, func(known dataset.Type) bool { return known.Name == e.name })
			e.with = cmp.Or(e.with, reference.RedisStack74)
			own := slices.Clone(args)
			if e.with != reference.RedisStack74 {
				own = append(own, "--enable-debug-command", "yes")
			}
			s, dir := newServer(t, e.with, own...), t.TempDir()
			x := &trade{e, dataset.Types[at], t, likeRelease(t, e.with, "dir", dir), s, n}
			x.fill()
			do(x, dir)
		})
	}
}

// fill makes random values. Where their contents are left to chance, both get those of one server.
func (x *trade) fill() {
	g := dataset.New(7)
	for i := range x.n {
		for _, c := range x.Make(g, key(i)) {
			if x.chance {
				spellTopK(c)
			}
			theirs := x.s.reply(c...)
			if !x.chance {
				require.Equal(x.t, theirs.IsError(), x.l.reply(c...).IsError(), "%.200q", c)
			}
		}
		if x.chance {
			require.Equal(x.t, "+OK\r\n", x.l.ask("RESTORE", key(i), "0", x.s.ask("DUMP", key(i))))
		}
	}
	x.compare("made", x.l, x.s)
}

// spellTopK changes the items of a command that RedisBloom does not keep in a Top-K sketch: it ends
// an item at a null byte, and loads an empty one as nil.
func spellTopK(c dataset.Command) {
	for i := range c {
		c[i] = cmp.Or(strings.ReplaceAll(c[i], "\x00", "0"), "empty")
	}
}

// compare requires both servers to have the same values.
func (x *trade) compare(when string, l *library, s *stack) {
	x.t.Helper()
	for i := range x.n {
		x.compareKey(key(i), when, l, s)
	}
	for _, k := range x.keys() {
		if x.exact != nil && x.exact(s, k) {
			same(x.t, s.ask("DUMP", k), l.text("DUMP", k), k+" "+when)
		}
	}
}

func (x *trade) compareKey(key, when string, l *library, s *stack) {
	x.t.Helper()
	for _, question := range x.Ask(key) {
		same(x.t, s.reply(question...).String(), l.reply(question...).String(), key+" "+when)
	}
}

// keys returns the names of all keys.
func (x *trade) keys() []string {
	keys := x.l.reply("KEYS", "*").Strings()
	slices.Sort(keys)
	return keys
}

// TestTypesAreExchanged: Redis Stack and we read each other's payloads and snapshots, and have the
// same values then. They change in the same way.
func TestTypesAreExchanged(t *testing.T) {
	eachExchange(t, *exchanged, func(x *trade, dir string) {
		keys := x.keys()
		theirs, ours := make([]string, len(keys)), make([]string, len(keys))
		for i, k := range keys {
			theirs[i], ours[i] = x.s.ask("DUMP", k), x.l.text("DUMP", k)
		}
		require.Equal(t, "+OK\r\n", x.l.do("SAVE"))
		x.s.ask("SAVE")
		swapFiles(t, filepath.Join(dir, "dump.rdb"), filepath.Join(x.s.dir, "dump.rdb"))
		x.s.ask("FLUSHALL")
		x.s.ask("DEBUG", "RELOAD", "NOSAVE")
		loaded := likeRelease(t, x.with, "dir", dir)
		x.compare("snapshots", loaded, x.s)
		for _, c := range x.later {
			loaded.all(c)
			x.s.ask(strings.Fields(c)...)
		}
		x.compare("later", loaded, x.s)
		x.compareKey("later", "later", loaded, x.s)

		x.l.do("FLUSHALL")
		x.s.ask("FLUSHALL")
		for i, k := range keys {
			require.Equal(t, "+OK\r\n", x.l.ask("RESTORE", k, "0", theirs[i]))
			x.s.ask("RESTORE", k, "0", ours[i])
		}
		x.compare("payloads", x.l, x.s)
	})
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

// TestJournalsOfTypesAreExchanged: a journal with a snapshot and commands goes both ways; ours goes
// without a snapshot, too, which Redis Stack cannot write.
func TestJournalsOfTypesAreExchanged(t *testing.T) {
	const journal = "appendonlydir"
	eachExchange(t, *exchanged/5, func(x *trade, dir string) {
		x.s.ask("BGREWRITEAOF")
		x.s.await("aof_rewrite_in_progress:0")
		for _, c := range x.later {
			x.s.ask(strings.Fields(c)...)
		}
		require.NoError(t, os.CopyFS(filepath.Join(dir, journal), os.DirFS(filepath.Join(x.s.dir, journal))))
		loaded := likeRelease(t, x.with, "dir", dir, "appendonly", "yes")
		x.compare("their journal", loaded, x.s)
		x.compareKey("later", "their journal", loaded, x.s)

		for _, preamble := range []string{"yes", "no"} {
			dir := t.TempDir()
			ours := likeRelease(t, x.with, "dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", preamble)
			for _, k := range x.keys() {
				require.Equal(t, "+OK\r\n", ours.ask("RESTORE", k, "0", x.l.text("DUMP", k)))
			}
			require.Contains(t, ours.do("BGREWRITEAOF"), "started")
			ours.rewritten(t, dir, "*.2.base.*")
			ours.all(x.later...)
			ours.parts.Journal.Close() // writes all of it
			s := newServer(t, x.with, "--dir", dir, "--appendonly", "yes").loaded()
			x.compare("our journal, preamble "+preamble, ours, s)
			x.compareKey("later", "our journal, preamble "+preamble, ours, s)
		}
	}, "--appendonly", "yes", "--appendfsync", "always")
}

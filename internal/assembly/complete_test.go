package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// A replier answers commands: a Redis Stack, or a library.
type replier interface {
	reply(args ...string) resp.Value
}

// fillDatabases makes random keys of all types and encodings in 16 databases. What Redis Stack does
// not know fails there, and leaves the key as it is.
func fillDatabases(s *stack, g *dataset.Generator) {
	for _, c := range g.Keys(*exchanged * 3) {
		switch {
		case c[0] == "TOPK.RESERVE":
			c = append(c[:3:3], "50", "3", "1") // a decay of 1 leaves nothing to chance
		case c[0] == "TS.CREATE": // in other databases Redis Stack's rules do not find their series
			s.ask("SELECT", "0")
		case strings.HasPrefix(c[0], "TOPK."):
			spellTopK(c)
		case c[0] == "TDIGEST.QUANTILE": // merges the digest, of which a journal does not learn
			continue
		}
		s.reply(c...)
	}
	s.ask("SELECT", "0")
	s.ask("FUNCTION", "LOAD", "REPLACE", "#!lua name=l\nredis.register_function('f', function() return 7 end)")
}

// reading has commands that read all of a value of a core type.
var reading = map[string]func(key string) []dataset.Command{
	"string": func(key string) []dataset.Command { return []dataset.Command{{"GET", key}} },
	"list":   func(key string) []dataset.Command { return []dataset.Command{{"LRANGE", key, "0", "-1"}} },
	"set":    func(key string) []dataset.Command { return []dataset.Command{{"SMEMBERS", key}} },
	"zset": func(key string) []dataset.Command {
		return []dataset.Command{{"ZRANGE", key, "0", "-1", "WITHSCORES"}}
	},
	"hash": func(key string) []dataset.Command {
		return []dataset.Command{{"HGETALL", key}, {"HPEXPIRETIME", key, "FIELDS", "1", "dated"}}
	},
	"stream": func(key string) []dataset.Command {
		return []dataset.Command{{"XRANGE", key, "-", "+"}, {"XINFO", "STREAM", key}, {"XINFO", "GROUPS", key},
			{"XPENDING", key, "g1"}, {"XPENDING", key, "group\xff"}}
	},
}

// questionsTo returns commands that tell all of a key of a type.
func questionsTo(kind, key string) []dataset.Command {
	general := []dataset.Command{{"TYPE", key}, {"PEXPIRETIME", key}, {"OBJECT", "ENCODING", key}}
	if ask := reading[kind]; ask != nil {
		return append(general, ask(key)...)
	}
	at := slices.IndexFunc(dataset.Types, func(known dataset.Type) bool { return known.Name == kind })
	general = append(general, dataset.Types[at].Ask(key)...)
	if kind == "TSDB-TYPE" {
		general = append(general, dataset.Command{"TS.INFO", key})
	}
	return general
}

// answers returns what a server replies to all questions about its data, and how many keys of each
// type it has.
func answers(s replier) (list []string, types map[string]int) {
	types = map[string]int{}
	for db := range 16 {
		s.reply("SELECT", fmt.Sprint(db))
		keys := s.reply("KEYS", "*").Strings()
		slices.Sort(keys)
		for _, key := range keys {
			kind := s.reply("TYPE", key).Text
			types[kind]++
			for _, question := range questionsTo(kind, key) {
				list = append(list, answer(s, question...))
			}
		}
		list = append(list, answer(s, "TS.QUERYINDEX", "name!="))
	}
	return append(list, answer(s, "FUNCTION", "LIST", "WITHCODE")), types
}

// unordered has, for commands whose replies are in no order, how many elements of them belong
// together.
var unordered = map[string]int{"SMEMBERS": 1, "HGETALL": 2, "TS.QUERYINDEX": 1}

// answer returns the question and the text of the reply: in an order if it has none, and without
// the memory that a series takes and the time of its last sample, of which Redis Stack forgets a
// late one that comes from a rule.
func answer(s replier, question ...string) string {
	v := s.reply(question...)
	if n := unordered[question[0]]; n > 0 {
		var elements []string
		for e := range slices.Chunk(v.Strings(), n) {
			elements = append(elements, fmt.Sprintf("%q", e))
		}
		slices.Sort(elements)
		return fmt.Sprintf("%q: %s", question, elements)
	}
	if question[0] == "TS.INFO" {
		v.Elems = slices.Concat(v.Elems[:2], v.Elems[4:6], v.Elems[8:])
	}
	return fmt.Sprintf("%q: %s", question, v)
}

// requireAnswers requires the same replies of two servers to all questions about their data.
func requireAnswers(t *testing.T, a, b replier, when string) {
	t.Helper()
	want, types := answers(a)
	got, _ := answers(b)
	others := 0
	for _, e := range exchanges {
		if e.with == "" {
			others++
		}
	}
	require.Len(t, types, len(reading)+others, "there are keys of all types that Redis Stack knows")
	for i := range min(len(want), len(got)) {
		same(t, want[i], got[i], when)
	}
	require.Len(t, got, len(want), when)
}

// TestCompleteSnapshots: the file of a Redis Stack with keys of all types is loaded here, and ours
// there, without a difference that a command sees.
func TestCompleteSnapshots(t *testing.T) {
	s, dir, g := newStack(t), t.TempDir(), dataset.New(1)
	fillDatabases(s, g)
	s.ask("DEBUG", "RELOAD") // as it merges t-digests, and encodes what was appended to
	s.ask("SAVE")
	require.NoError(t, os.Rename(filepath.Join(s.dir, "dump.rdb"), filepath.Join(dir, "dump.rdb")))
	l := likeStack(t, "dir", dir)
	requireAnswers(t, s, l, "their snapshot")

	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	again := newStack(t, "--dir", dir).loaded()
	requireAnswers(t, l, again, "our snapshot")
}

// TestCompleteJournals: the same with append-only files, of a snapshot and of what came later.
func TestCompleteJournals(t *testing.T) {
	const journal = "appendonlydir"
	s, dir, g := newStack(t, "--appendonly", "yes"), t.TempDir(), dataset.New(2)
	fillDatabases(s, g)
	s.ask("DEBUG", "RELOAD")
	s.ask("BGREWRITEAOF")
	s.await("aof_rewrite_in_progress:0")
	fillDatabases(s, g)
	s.ask("DEBUG", "LOADAOF")
	require.NoError(t, os.CopyFS(filepath.Join(dir, journal), os.DirFS(filepath.Join(s.dir, journal))))
	l := likeStack(t, "dir", dir, "appendonly", "yes", "enable-debug-command", "yes")
	requireAnswers(t, s, l, "their journal")

	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Contains(t, l.do("BGREWRITEAOF"), "started")
	l.rewritten(t, dir, "*.base.*")
	l.parts.Journal.Close()
	again := newStack(t, "--dir", dir, "--appendonly", "yes").loaded()
	requireAnswers(t, l, again, "our journal")
}

package assembly_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	_ "github.com/miniserver-go/miniserver/search" // suggestions
)

// typeCase is a type that redis-server 7.0 does not know.
type typeCase struct {
	name     string           // as TYPE replies it
	encoding string           // of k, "raw" if empty
	build    func(l *library) // makes the values k and large, and others
	change   string           // changes k in a way that is the same each time
	ask      string           // a question about k, whose reply the change changes
	explain  string           // stands in MEMORY EXPLAIN of k
	dump     string           // stands in MINI.DUMP
	event    string           // that the change publishes; RedisBloom publishes none
}

// typeCases has all types of dataset.Types.
var typeCases = []typeCase{
	{name: "MBbloom--", change: "BF.MADD k x y z", ask: "BF.CARD k", explain: "layers:", dump: `"k" bloom, `,
		build: func(l *library) {
			l.all("BF.RESERVE k 0.01 10", "BF.MADD k "+numbers(40), "BF.RESERVE large 0.001 100000",
				"BF.MADD large "+numbers(100))
		}},
	{name: "MBbloomCF", change: "CF.ADD k e", ask: "CF.COUNT k e", explain: "items", dump: `"k" cuckoo, `,
		build: func(l *library) {
			l.all("CONFIG SET cf-initial-size 20 cf-bucket-size 4 cf-expansion-factor 2", "CF.ADD k a",
				"CF.INSERT k ITEMS b c d", "CF.DEL k b", "CF.RESERVE large 4 BUCKETSIZE 2")
			for range 20 {
				l.do("CF.INSERT large ITEMS 1 2 3 4 5 6")
			}
			l.all("CF.DEL large 1", "CF.COMPACT large")
		}},
	{name: "CMSk-TYPE", change: "CMS.INCRBY k a 5", ask: "CMS.QUERY k a", explain: "rows", dump: `"k" countmin, `,
		build: func(l *library) {
			l.all("CMS.INITBYDIM k 10 3", "CMS.INCRBY k a 5", "CMS.MERGE k 1 k WEIGHTS 2",
				"CMS.INITBYDIM large 20000 5", "CMS.INCRBY large a 1 b 2")
		}},
	{name: "TopK-TYPE", change: "TOPK.INCRBY k a 1000", ask: "TOPK.LIST k WITHCOUNT", explain: "cells-used",
		dump: `"k" topk, `, build: func(l *library) {
			l.all("TOPK.RESERVE k 3 2 2 0.9", "TOPK.RESERVE large 500 1000 7 0.9")
			for range 100 {
				l.all("TOPK.ADD k a b c d e f g a b c", "TOPK.ADD large "+numbers(30))
			}
		}},
	{name: "TDIS-TYPE", change: "TDIGEST.ADD k 1000", ask: "TDIGEST.MAX k", explain: "capacity", dump: `"k" tdigest, `,
		build: func(l *library) {
			l.all("TDIGEST.CREATE k COMPRESSION 5", "TDIGEST.CREATE one", "TDIGEST.ADD one 7",
				"TDIGEST.CREATE large COMPRESSION 1000", "TDIGEST.ADD large "+numbers(3000))
			for range 100 {
				l.all("TDIGEST.ADD k 1 2 3 5 8 13 21", "TDIGEST.CDF k 4")
			}
		}},
	{name: "ReJSON-RL", change: "JSON.SET k $.a 0", ask: "JSON.GET k", explain: "levels", dump: "2.5,",
		event: "json.set", build: func(l *library) {
			l.all(`JSON.SET k $ {"a":[1,2.5,{"b":"c"}],"n":null}`)
			l.ask("JSON.SET", "large", "$", records(2000))
			l.all(`JSON.SET large $[5].name "other"`)
			deepen(l, "deep", 300)
		}},
	{name: "TSDB-TYPE", change: "TS.ADD k 100000 1", ask: "TS.GET k", explain: "chunks",
		dump: `"k" timeseries, policy last`, event: "ts.add",
		build: func(l *library) {
			l.all("TS.CREATE k CHUNK_SIZE 128 DUPLICATE_POLICY LAST LABELS a b", "TS.CREATE sums", "TS.CREATE large",
				"TS.CREATERULE k sums AGGREGATION SUM 10")
			for i := range 1000 {
				l.all(fmt.Sprintf("TS.ADD k %d %d.5", i*3, i%7), fmt.Sprintf("TS.ADD large %d %d", i*i, i%9))
			}
		}},
	{name: "trietype0", change: "FT.SUGADD k hello 7", ask: "FT.SUGGET k h WITHSCORES", explain: "suggestions",
		dump: `"hello-world" 2 "greeting"`, build: func(l *library) {
			l.all("FT.SUGADD k hello 1", "FT.SUGADD k help 3.5", "FT.SUGADD k hello-world 2 PAYLOAD greeting",
				"FT.SUGADD k gone 1", "FT.SUGDEL k gone")
			for i := range 500 {
				l.all(fmt.Sprintf("FT.SUGADD large text-%d %d", i*i, i%9+1))
			}
		}},
	{name: "array", encoding: "sliced-array", change: "ARSET k 7 x", ask: "ARGET k 7",
		explain: `18446744073709551614  "1.5"`, event: "arset", dump: `18446744073709551614 "1.5"`,
		build: func(l *library) {
			l.all("ARMSET k 0 a 5 12345 18446744073709551614 1.5", "ARSEEK k 18446744073709551615")
			for i := range 500 {
				l.all(fmt.Sprintf("ARMSET large %d text-%d %d %d", i, i, i<<20, i))
			}
			for range 7 {
				l.all("ARRING ring 5 x yy zzz")
			}
		}},
	{name: "vectorset", change: "VADD k VALUES 2 3 4 x", ask: "VSIM k VALUES 2 3 4 TRUTH WITHSCORES COUNT 3",
		explain: "graph-bytes", dump: `"k" vectorset, int8, dim 2, M 16`, build: func(l *library) {
			l.all("VADD k VALUES 2 1 2 x", "VADD k VALUES 2 2 1 y SETATTR {}", "VADD k VALUES 2 2 -1 z")
			for i := range 300 {
				l.all(fmt.Sprintf("VADD large REDUCE 3 VALUES 5 %d %d %d %d %d e%d NOQUANT M 5", i%7, i%11, i%13, i%17,
					i*i%19, i))
			}
		}},
}

// all executes commands that succeed.
func (l *library) all(lines ...string) {
	for _, line := range lines {
		if reply := l.do(line); strings.HasPrefix(reply, "-") || strings.Contains(reply, "\n-") {
			panic(fmt.Sprintf("%.100s: %.100s", line, reply))
		}
	}
}

// about returns a command about another key than k.
func about(key, command string) string { return strings.Replace(command, " k", " "+key, 1) }

// eachType runs a test of each type, with a library that has values of it, and random ones.
func eachType(t *testing.T, do func(t *testing.T, c typeCase, l *library), params ...string) {
	for i, c := range typeCases {
		require.Equal(t, dataset.Types[i].Name, c.name)
		t.Run(c.name, func(t *testing.T) {
			o := assembly.Options{Disk: new(disk.Memory), TestKit: true}
			l := newLibraryWith(t, o, append(params, "enable-debug-command", "yes")...)
			c.build(l)
			g := dataset.New(1)
			for i := range 20 {
				for _, c := range dataset.Types[i%len(dataset.Types)].Make(g, key(i)) {
					l.ask(c...)
				}
			}
			do(t, c, l)
		})
	}
	require.Len(t, typeCases, len(dataset.Types))
}

// TestTypesAsKeys does with each type what is done with keys.
func TestTypesAsKeys(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, l *library) {
		encoding := cmp.Or(c.encoding, "raw")
		require.Equal(t, "+"+c.name+"\r\n", l.do("TYPE k"))
		require.Equal(t, encoding, l.text("OBJECT", "ENCODING", "k"))
		require.Contains(t, l.do("SCAN 0 COUNT 1000 TYPE "+c.name), "$1\r\nk\r\n")
		require.NotContains(t, l.do("SCAN 0 COUNT 1000 TYPE hash"), "$1\r\nk\r\n")
		require.Contains(t, l.do("MEMORY EXPLAIN k"), c.explain)
		for _, wrong := range []string{"GET k", "SORT k", "HGETALL k", "APPEND k x", "LPUSH k x"} {
			require.Contains(t, l.do(wrong), "WRONGTYPE", wrong)
		}
		for _, other := range typeCases {
			if other.name != c.name {
				require.Regexp(t, "^-.*(wrong|WRONGTYPE|not a TSDB)", l.do(other.change))
			}
		}

		before := l.do(c.ask)
		require.Equal(t, ":1\r\n", l.do("COPY k c"))
		require.Equal(t, l.do("DEBUG DIGEST-VALUE k"), l.do("DEBUG DIGEST-VALUE c"))
		l.all(c.change)
		require.NotEqual(t, before, l.do(c.ask))
		require.Equal(t, before, l.do(about("c", c.ask)))
		require.NotEqual(t, l.do("DEBUG DIGEST-VALUE k"), l.do("DEBUG DIGEST-VALUE c"))
		require.Equal(t, "+OK\r\n", l.do("RENAME c other"))
		require.Equal(t, before, l.do(about("other", c.ask)))
		require.Equal(t, ":1\r\n", l.do("MOVE other 3"))

		require.Equal(t, ":1\r\n", l.do("PEXPIRE k 1000"))
		l.all(c.change)
		require.Equal(t, ":1000\r\n", l.do("PTTL k"), "the deadline stays")
		l.now += 1000
		require.Equal(t, l.do(about("none", c.ask)), l.do(c.ask))
		require.Equal(t, "DEL k", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
		require.Equal(t, ":1\r\n", l.do("UNLINK large"))
		l.Tick()
		require.NoError(t, l.Home().Keyspace.Check())
	})
}

// TestTypesAreKept: the values of each type are the same in a snapshot, a copy, a journal with
// commands and without, lines of JSON, and in who gets the commands that replicas get. They are
// changed in the same way there.
func TestTypesAreKept(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, l *library) {
		l.all("COPY large copy", "MOVE copy 3")
		want := l.Home().Keyspace.Digest()
		require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
		require.Equal(t, want, l.Home().Keyspace.Digest())
		require.Equal(t, want, l.Home().Keyspace.Clone().Digest())
		replica := newLibrary(t, new(disk.Memory))
		replica.follow(l)
		others := map[string]*library{"a snapshot": newLibrary(t, l.disk), "a replica": replica,
			"lines": newLibrary(t, madeOf(t, l.lines(t), l)), "a journal": journaled(t, l),
			"a rewritten journal":               journaled(t, l, "BGREWRITEAOF"),
			"a rewritten journal with commands": journaled(t, l, "CONFIG SET aof-use-rdb-preamble no", "BGREWRITEAOF")}
		for name, other := range others {
			require.Equal(t, want, other.Home().Keyspace.Digest(), name)
		}
		l.all(c.change)
		for name, other := range others {
			other.all(c.change)
			require.Equal(t, l.Home().Keyspace.Digest(), other.Home().Keyspace.Digest(), name)
			require.NoError(t, other.Home().Keyspace.Check())
		}
	})
}

// follow executes what the replicas of another library got.
func (l *library) follow(master *library) {
	for _, args := range master.sent {
		l.Do(l.session, [][][]byte{args})
	}
}

// journaled returns a library that loaded the journal of one that executed what the replicas of l
// got, and further commands.
func journaled(t *testing.T, l *library, further ...string) *library {
	params := []string{"dir", t.TempDir(), "appendonly", "yes"}
	writer := newLibrary(t, new(disk.Memory), params...)
	writer.follow(l)
	if writer.all(further...); len(further) > 0 {
		writer.rewritten(t, params[1], "*.2.base.*")
	}
	writer.parts.Journal.Close()
	return newLibrary(t, new(disk.Memory), params...)
}

// lines returns all keys as lines of JSON.
func (l *library) lines(t *testing.T) string {
	var lines bytes.Buffer
	w := jsonlines.NewWriter(&lines, l.Parts.Types)
	l.Home().Keyspace.Records(func(r *keyspace.Record) bool {
		require.NoError(t, w.Key(r))
		return true
	})
	return lines.String()
}

// TestTypesInWorlds: the test kit shows the values of each type, keeps and compares worlds with
// them, and lets their commands fail.
func TestTypesInWorlds(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, l *library) {
		digest, dump, before := l.do("DEBUG DIGEST"), l.do("MINI.DUMP"), l.do(c.ask)
		require.Contains(t, dump, c.dump)
		require.Contains(t, l.do("MINI.WORLD SNAPSHOT before"), "OK")
		require.Contains(t, l.do("MINI.WORLD FORK default copy"), "OK")
		require.Equal(t, "*0\r\n", l.do("MINI.DIFF default copy"))

		name, _, _ := strings.Cut(c.change, " ")
		require.Equal(t, "+OK\r\n", l.do("MINI.FAULT ADD f ON COMMAND "+strings.ToLower(name)+" DO ERROR BUSY"))
		require.Equal(t, "-BUSY\r\n", l.do(c.change))
		require.Equal(t, digest, l.do("DEBUG DIGEST"))
		require.Contains(t, l.do("MINI.FAULT CLEAR"), "OK")
		l.all(c.change)
		require.Contains(t, l.do("MINI.DIFF default before"), `"k"`)
		require.Contains(t, l.do("MINI.DIFF default copy"), `"k"`)
		require.Contains(t, l.do("MINI.WORLD USE copy"), "OK")
		require.Equal(t, before, l.do(c.ask))
		l.all(c.change)
		require.Contains(t, l.do("MINI.WORLD RESTORE before"), "OK")
		require.Equal(t, digest, l.do("DEBUG DIGEST"))
		require.Equal(t, dump, l.do("MINI.DUMP"))
	})
}

// others are further clients of a library.
func (l *library) others(n int) (list []*engine.Session) {
	for range n {
		list = append(list, l.NewSession(nil))
	}
	return list
}

// as executes a command of another client.
func (l *library) as(s *engine.Session, line string) string {
	return string(l.Do(s, [][][]byte{bytes.Fields([]byte(line))}).Out)
}

// TestTypesBesideOthers changes a value of each type while other clients use MONITOR, tracking,
// WATCH and keyspace events. All of them notice the change, and INFO counts it.
func TestTypesBesideOthers(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, l *library) {
		clients := l.others(4)
		monitor, tracking, watching, subscribed := clients[0], clients[1], clients[2], clients[3]
		l.as(tracking, "HELLO 3")
		l.as(tracking, "CLIENT TRACKING ON")
		l.as(tracking, c.ask)
		l.as(watching, "WATCH k")
		l.as(subscribed, "SUBSCRIBE __keyspace@0__:k")
		l.as(monitor, "MONITOR")
		l.all("CONFIG RESETSTAT", c.change)

		words := strings.Fields(c.change)
		require.Contains(t, string(l.Collect(monitor).Out), `"`+strings.Join(words[:2], `" "`)+`"`)
		require.Contains(t, string(l.Collect(tracking).Out), "$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n")
		told := strings.Fields(string(l.Collect(subscribed).Out))
		require.Equal(t, c.event, append([]string{""}, told...)[len(told)])
		l.as(watching, "MULTI")
		l.as(watching, "DEL k")
		require.Equal(t, "*-1\r\n", l.as(watching, "EXEC"))
		require.Regexp(t, "(?i)cmdstat_"+words[0]+":calls=1,", l.do("INFO commandstats"))
		require.Regexp(t, `db0:keys=\d+,`, l.do("INFO keyspace"))
		for _, s := range clients {
			l.Close(s)
		}
	}, "notify-keyspace-events", "KEA")
}

// TestTypesInScripts: transactions, scripts and functions change the values of each type as the
// command itself does. A function that only reads may not.
func TestTypesInScripts(t *testing.T) {
	const source = "#!lua name=types\nredis.register_function('run', function(keys, args) " +
		"return redis.call(unpack(args)) end)"
	eachType(t, func(t *testing.T, c typeCase, l *library) {
		l.all("COPY k a", "COPY k b", "COPY k c")
		require.Equal(t, "$5\r\ntypes\r\n", l.ask("FUNCTION", "LOAD", source))
		before := l.do("DEBUG DIGEST-VALUE k")
		l.all("MULTI", c.change, "DISCARD")
		words := strings.Fields(c.change)
		read := l.ask(append([]string{"EVAL_RO", "return redis.call(unpack(ARGV))", "1", "k"}, words...)...)
		require.Contains(t, read, "Write commands are not allowed from read-only scripts")
		require.Contains(t, l.ask(append([]string{"FCALL_RO", "run", "1", "k"}, words...)...), "write flag")
		require.Equal(t, before, l.do("DEBUG DIGEST-VALUE k"))

		l.all(c.change)
		l.all("MULTI", about("a", c.change), "EXEC")
		for key, run := range map[string][]string{"b": {"EVAL", "return redis.call(unpack(ARGV))", "1", "b"},
			"c": {"FCALL", "run", "1", "c"}} {
			require.NotContains(t, l.ask(append(run, strings.Fields(about(key, c.change))...)...), "ERR")
		}
		changed := strings.Fields(l.do("DEBUG DIGEST-VALUE k a b c"))
		require.Equal(t, []string{changed[1], changed[1], changed[1]}, changed[2:5])
		require.NotContains(t, before, changed[1])
		replica := newLibrary(t, new(disk.Memory))
		replica.follow(l)
		require.Equal(t, l.Home().Keyspace.Digest(), replica.Home().Keyspace.Digest())
	})
}

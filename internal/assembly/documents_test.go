package assembly_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/stretchr/testify/require"
)

// records is the text of a document of n records.
func records(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"name":"name %d","tags":["a","b"],"price":%d.5}`, i, i, i)
	}
	return "[" + b.String()[1:] + "]"
}

// TestEqualDocuments: documents with equal texts have equal digests and equal dumps, whatever
// happened to them, small ones and large.
func TestEqualDocuments(t *testing.T) {
	for _, n := range []int{3, 3000} {
		l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true}, "enable-debug-command", "yes")
		l.ask("JSON.SET", "k", "$", `{"list": `+records(n)+`}`)
		require.Contains(t, l.do("MINI.WORLD SNAPSHOT before"), "OK")
		digest, dump := l.do("DEBUG DIGEST"), l.do("MINI.DUMP")

		l.ask("JSON.SET", "k", "$", records(2*n))
		l.do("JSON.SET k $ {}")
		l.do("JSON.SET k $.gone {\"name\":[]}")
		l.do("JSON.SET k $.list []")
		for i := range n {
			l.ask("JSON.ARRAPPEND", "k", "$.list",
				fmt.Sprintf(`{"id":%d,"name":"","tags":["a"],"price":%d}`, i, i))
		}
		l.do("JSON.NUMINCRBY k $.list[*].price 0.5")
		l.do("JSON.ARRAPPEND k $.list[*].tags \"b\"")
		for i := range n {
			l.ask("JSON.SET", "k", fmt.Sprintf("$.list[%d].name", i), fmt.Sprintf(`"name %d"`, i))
		}
		require.NotEqual(t, digest, l.do("DEBUG DIGEST"))
		l.do("JSON.DEL k $.gone")
		require.Equal(t, digest, l.do("DEBUG DIGEST"))
		require.Equal(t, dump, l.do("MINI.DUMP"))
		require.Equal(t, "*0\r\n", l.do("MINI.DIFF default before"))
		l.do("JSON.SET k $.list[1].id 7.0")
		diff := l.do("MINI.DIFF default before")
		require.Contains(t, diff, `+-        "id": 7.0,`)
		require.Contains(t, diff, `++        "id": 1,`)
		require.Contains(t, l.do("MINI.WORLD FORK default copy"), "OK")
		require.Equal(t, "*0\r\n", l.do("MINI.DIFF default copy"))
		require.Contains(t, l.do("MINI.WORLD USE copy"), "OK")
		require.Contains(t, l.do("MINI.WORLD RESTORE before"), "OK")
		require.Equal(t, digest, l.do("DEBUG DIGEST"))
	}
}

// TestExplainDocuments: MEMORY EXPLAIN counts the values of each kind, and its parts are no more
// than the document.
func TestExplainDocuments(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.ask("JSON.SET", "k", "$", records(2))
	for _, line := range []string{"form         packed", "levels       3", "number        2      6", "array         3 ",
		"object        2 ", "names        4  (each once)"} {
		require.Contains(t, l.do("MEMORY EXPLAIN k"), line)
	}
	l.ask("JSON.SET", "k", "$", records(2000))
	for _, line := range []string{"form         tree", "string     6000 ", "object     2000 ",
		"names        4  (each once)",
		"containers   1  (with pages of their own)"} {
		require.Contains(t, l.do("MEMORY EXPLAIN k"), line)
	}
	v, _ := l.Home().Keyspace.DB(0).Peek([]byte("k"))
	d := v.(*json.Doc)
	layout, sum := d.Layout(), 0
	for _, kind := range layout.Kinds {
		sum += kind.Bytes
	}
	require.LessOrEqual(t, layout.Tree.Used, layout.Tree.Held)
	require.Equal(t, layout.Tree.Used, sum+layout.Members)
	require.Equal(t, d.Bytes()+d.Type().Size, layout.Tree.Held+layout.Tree.Structure+layout.NamesBytes)
}

// TestDocumentsAreRewritten: the journal has JSON.SET, or RESTORE for a document that JSON.SET
// would refuse.
func TestDocumentsAreRewritten(t *testing.T) {
	dir := t.TempDir()
	params := []string{"dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", "no"}
	l := newLibrary(t, new(disk.Memory), params...)
	l.do("JSON.SET k $ {\"a\":1.0}")
	l.ask("JSON.SET", "large", "$", records(2000))
	deepen(l, "deep", 300)
	l.do("JSON.SET large $[5].name \"other\"")
	require.Contains(t, l.do("BGREWRITEAOF"), "started")
	text, err := os.ReadFile(l.rewritten(t, dir, "*.2.base.aof"))
	require.NoError(t, err)
	require.Contains(t, string(text), "*4\r\n$8\r\nJSON.SET\r\n$1\r\nk\r\n$1\r\n$\r\n$9\r\n{\"a\":1.0}\r\n")
	require.Contains(t, string(text), "*4\r\n$7\r\nRESTORE\r\n$4\r\ndeep\r\n")
	digest := l.Home().Keyspace.Digest()
	require.Equal(t, digest, newLibrary(t, new(disk.Memory), params...).Home().Keyspace.Digest())
}

// deepen makes a document of nested arrays, with as many levels as JSON.SET gives it. It returns
// the last reply.
func deepen(l *library, key string, levels int) (last string) {
	const step = 100
	fresh := strings.Repeat("[", step) + "1" + strings.Repeat("]", step)
	for path := "$"; levels > 0 && !strings.HasPrefix(last, "-"); levels -= step {
		last = l.ask("JSON.SET", key, path, fresh)
		path += strings.Repeat("[0]", step)
	}
	return last
}

// TestDocumentsOfManyLevels: what commands make is saved and loaded again, and no document has so
// many levels that a walk through it ends the server.
func TestDocumentsOfManyLevels(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true}, "enable-debug-command", "yes")
	require.Equal(t, "+OK\r\n", deepen(l, "k", 3000))
	require.Equal(t, "-ERR recursion limit exceeded\r\n", deepen(l, "too", 20_000))
	digest := l.Home().Keyspace.Digest()
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	for _, key := range []string{"k", "too"} {
		require.Equal(t, "+OK\r\n", l.ask("RESTORE", key+"2", "0", l.text("DUMP", key)))
		require.Equal(t, l.text("JSON.GET", key), l.text("JSON.GET", key+"2"))
	}
	require.Less(t, len(l.do("MINI.DUMP")), 100_000)

	other := newLibrary(t, madeOf(t, l.lines(t), l))
	require.Equal(t, l.Home().Keyspace.Digest(), other.Home().Keyspace.Digest())
}

// madeOf returns a disk with the snapshot that lines of JSON make.
func madeOf(t *testing.T, lines string, l *library) disk.Disk {
	memory := new(disk.Memory)
	made, err := memory.Create(filepath.Join(l.Params.Named("dir").Get(), "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, jsonlines.Snapshot(strings.NewReader(lines), made, 16, l.Parts.Types))
	require.NoError(t, made.Commit())
	return memory
}

// TestDocumentsInLines: a document stands in its line as it is, also as somebody writes it.
func TestDocumentsInLines(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	made := newLibrary(t, madeOf(t, `{"db":0,"key":"user","type":"json","value":{"name":"Ann", "n":18446744073709551615,
		"a":[1.0, -0.0, {"x":null}], "a<b":"é\u00e9"}}
{"key":"none","type":"json","value":null}
{"key":"other","type":"ReJSON-RL","value":[1,2],"deadline":1700000001000}`, l))
	require.Equal(t, `{"name":"Ann","n":18446744073709551615,"a":[1.0,-0.0,{"x":null}],"a<b":"éé"}`,
		made.text("JSON.GET", "user"))
	require.Equal(t, "null", made.text("JSON.GET", "none"))
	require.Equal(t, ":1000\r\n", made.do("PTTL other"))

	memory := new(disk.Memory)
	l = newLibrary(t, memory)
	l.ask("JSON.SET", "k", "$", `{"a": [1.0, {"b": null}]}`)
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	src, size, err := memory.Open(filepath.Join(l.Params.Named("dir").Get(), "dump.rdb"))
	require.NoError(t, err)
	var lines bytes.Buffer
	scratch := payload.Scratch(16, l.Parts.Types).Home()
	r := rdb.NewReader(src, payload.Options(scratch, size, false))
	require.NoError(t, snapshot.Each(r, scratch.Keyspace, jsonlines.NewWriter(&lines, l.Parts.Types)))
	require.Equal(t, `{"db":0,"key":"k","type":"json","value":{"a":[1.0,{"b":null}]}}`+"\n", lines.String())

	for bad, message := range map[string]string{
		`{"key":"k","type":"json"}`:                `the value of "k", a json, must be JSON`,
		`{"key":"k","type":"json","value":1e999}`:  "number out of range",
		`{"key":"k","type":"json","value":"\xff"}`: "",
	} {
		out, err := new(disk.Memory).Create("x")
		require.NoError(t, err)
		require.ErrorContains(t, jsonlines.Snapshot(strings.NewReader(bad), out, 16, l.Parts.Types), message)
	}
}

// TestLargeDocumentInASnapshot: a snapshot saves a large document in many steps, and has it as it
// was at the start even if it changes in between.
func TestLargeDocumentInASnapshot(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.ask("JSON.SET", "k", "$", records(10_000))
	want, got := l.text("DUMP", "k"), ""
	for _, change := range []int{-1, 0, 7, 1000} {
		var e rdb.Encoder
		s := l.Home().Keyspace.Snapshot(func(r *keyspace.Record, p *keyspace.Pace) {
			v, err := rdb.ReadPayload(e.PayloadAt(p, nil, r.Value), payload.Options(l.Home(), 0, false))
			require.NoError(t, err)
			got = string(json.AppendText(nil, v.(*json.Doc).Root()))
		})
		steps := 0
		for ; s.Step(1); steps++ {
			if steps == change {
				l.do("JSON.SET k $[77].name \"changed\"")
			}
		}
		require.True(t, got == records(10_000), "changed in step %d", change)
		if change < 0 || change > 100 {
			require.Greater(t, steps, 100)
		}
		l.ask("RESTORE", "k", "0", want, "REPLACE")
	}
}

// TestDocumentsAreDefragmented: the cells of large documents move when most of those around them
// have gone.
func TestDocumentsAreDefragmented(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	const documents, elements = 100, 150
	for i := range documents * elements {
		key := fmt.Sprint("k", i%documents)
		if i < documents {
			l.ask("JSON.SET", key, "$", "[]")
		}
		l.ask("JSON.ARRAPPEND", key, "$", `"`+strings.Repeat("text", 40)+`"`)
	}
	for i := range documents {
		if i%10 != 0 {
			l.do(fmt.Sprint("DEL k", i))
		}
	}
	ks := l.Home().Keyspace
	digest := ks.Digest()
	_, before := ks.CellBytes()
	require.True(t, ks.StartCompaction(false))
	for more := true; more; {
		_, more = ks.Compact(100)
		l.do("JSON.NUMINCRBY k10 $..* 0")
	}
	ks.Begin()
	_, held := ks.CellBytes()
	require.Less(t, held, before/2)
	require.NoError(t, ks.Check())
	require.Equal(t, digest, ks.Digest())
	for i := 0; i < documents; i += 10 {
		v, _ := ks.DB(0).Peek([]byte(fmt.Sprint("k", i)))
		require.NoError(t, v.(*json.Doc).Check())
		require.Equal(t, "+OK\r\n", l.do(fmt.Sprintf("JSON.SET k%d $[3] 4", i)))
	}
	require.NoError(t, ks.Check())
}

// TestDocumentsAreEvicted: documents count, and go when there is no room.
func TestDocumentsAreEvicted(t *testing.T) {
	l := newLibrary(t, new(disk.Memory), "maxmemory", "3mb", "maxmemory-policy", "allkeys-lru")
	for i := range 200 {
		require.Equal(t, "+OK\r\n", l.ask("JSON.SET", fmt.Sprint("k", i), "$", records(1000)))
	}
	n := l.Home().Keyspace.DB(0).Len()
	require.Less(t, n, 150)
	require.NotZero(t, n)
	require.NoError(t, l.Home().Keyspace.Check())

	l = newLibrary(t, new(disk.Memory), "maxmemory", "2mb", "maxmemory-policy", "noeviction")
	refused := 0
	for i := range 200 {
		if strings.HasPrefix(l.ask("JSON.SET", fmt.Sprint("k", i), "$", records(1000)), "-OOM") {
			refused++
		}
	}
	require.NotZero(t, refused)
	require.Contains(t, l.do("JSON.ARRAPPEND k0 $ 1"), "-OOM")
	require.Equal(t, ":1\r\n", l.do("JSON.DEL k0 $[0]"))
}

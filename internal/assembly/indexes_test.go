package assembly_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// indexed makes indexes and documents.
var indexed = []string{
	`FT.CREATE i PREFIX 1 d: FILTER @n>0 LANGUAGE german SCORE 0.5 SCORE_FIELD sc STOPWORDS 2 foo bar SCHEMA ` +
		`t TEXT WEIGHT 2 SORTABLE n NUMERIC g TAG SEPARATOR ; CASESENSITIVE v VECTOR FLAT 6 TYPE FLOAT32 DIM 2 ` +
		`DISTANCE_METRIC L2 h VECTOR HNSW 8 TYPE FLOAT16 DIM 2 DISTANCE_METRIC IP M 5 s GEOSHAPE FLAT`,
	`FT.CREATE j ON JSON SCHEMA $.a AS a TEXT PHONETIC dm:en NOSTEM $.b[*] AS b TAG INDEXMISSING`,
	`FT.ALIASADD other i`, `FT.SYNUPDATE i cars auto wagen`,
	`HSET d:1 t wagen n 1 g A;B`, `HSET d:2 t auto n 0`, `HSET d:3 t haus n 3`,
}

// definitionsOf returns what FT.INFO says of the definition of an index.
func definitionsOf(info string) string {
	before, _, _ := strings.Cut(info, "num_docs")
	return before
}

// TestIndexesAreExchanged: Redis Stack and we load each other's indexes, which are made anew of the
// keys.
func TestIndexesAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	ours := likeStack(t, "dir", dir)
	ours.all(indexed...)
	for _, c := range indexed {
		s.ask(strings.Fields(c)...)
	}
	require.Equal(t, "+OK\r\n", ours.do("SAVE"))
	s.ask("SAVE")
	names := []string{"i", "j", "other"}
	var want []string
	for _, name := range names {
		want = append(want, definitionsOf(s.reply("FT.INFO", name).String()))
	}
	swapFiles(t, filepath.Join(dir, "dump.rdb"), filepath.Join(s.dir, "dump.rdb"))
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	loaded := likeStack(t, "dir", dir)
	for i, name := range names {
		require.Equal(t, want[i], definitionsOf(ours.reply("FT.INFO", name).String()), name)
		require.Equal(t, want[i], definitionsOf(loaded.reply("FT.INFO", name).String()), name)
		require.Equal(t, want[i], definitionsOf(s.reply("FT.INFO", name).String()), name)
	}
	require.Equal(t, ours.do("FT.SEARCH i auto NOCONTENT"), loaded.do("FT.SEARCH i auto NOCONTENT"))
	require.Equal(t, "*2\r\n:1\r\n$3\r\nd:1\r\n", loaded.do("FT.SEARCH other auto NOCONTENT"))
}

// TestIndexesOfWorlds: a world that is forked or restored has the indexes of the other one, and a
// reset one has none.
func TestIndexesOfWorlds(t *testing.T) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1 }, Seed: 1})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l := &library{Engine: e, session: e.NewSession(nil)}
	const found, one = "*2\r\n:1\r\n$3\r\nd:1\r\n", "FT.SEARCH i auto NOCONTENT"
	l.all(indexed...)
	require.Equal(t, found, l.do(one))
	require.Equal(t, "+OK\r\n", l.do("MINI.WORLD SNAPSHOT before"))
	require.Equal(t, "+OK\r\n", l.do("MINI.WORLD FORK default other"))
	l.do("DEL d:1")
	l.do("FT.DROPINDEX i")
	require.Contains(t, l.do(one), "no such index")
	require.Equal(t, "+OK\r\n", l.do("MINI.WORLD USE other"))
	require.Equal(t, found, l.do(one))
	l.do("MINI.WORLD RESET")
	require.Contains(t, l.do(one), "no such index")
}

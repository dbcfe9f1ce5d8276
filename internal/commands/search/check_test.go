package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/invariants"
)

// newEngine returns an engine with hashes and indexes, and a function that runs a command in it and
// returns the reply.
func newEngine() (e *engine.Engine, do func(line string) string) {
	return newEngineAt(func() int64 { return 1e15 })
}

// newEngineAt is newEngine with a clock.
func newEngineAt(clock func() int64) (e *engine.Engine, do func(line string) string) {
	e = engine.New(engine.Options{Clock: clock})
	e.Join(engine.Part{Types: append([]engine.Type{hashes.Type}, Types...)})
	e.Join(engine.Commands(hashes.Family), Part())
	s := e.NewSession(nil)
	return e, func(line string) string {
		var args [][]byte
		for _, word := range strings.Fields(line) {
			args = append(args, []byte(word))
		}
		return string(e.Do(s, [][][]byte{args}).Out)
	}
}

// TestCheckComparesWithTheKeys: what the index was not told of is found.
func TestCheckComparesWithTheKeys(t *testing.T) {
	if invariants.Enabled {
		t.Skip("an index that differs ends the program before a command can tell")
	}
	e, do := newEngine()
	do("FT.CREATE i SCHEMA t TEXT")
	do("HSET d1 t red")
	do("HSET d2 t blue")
	require.Equal(t, "+OK\r\n", do("FT.INDEX CHECK i"))
	x := of(e.Home()).indexes["i"]
	x.Rename("d1", "other")
	require.Equal(t, "-ERR the index differs from a fresh one: key \"d1\" is not in the index\r\n",
		do("FT.INDEX CHECK i"))
	x.Rename("other", "d1")
	require.Equal(t, "+OK\r\n", do("FT.INDEX CHECK i"))
	x.SetDeadline("d2", 2e15)
	require.Contains(t, do("FT.INDEX CHECK i"), "the document of key \"d2\" is known as")
}

// TestLoadedIndexesReadNothingYet: when definitions are loaded the keys may not be there.
func TestLoadedIndexesReadNothingYet(t *testing.T) {
	e, do := newEngine()
	do("FT.CREATE i SCHEMA t TEXT")
	do("FT.CREATE j SCHEMA t TEXT")
	require.Equal(t, "+OK\r\n", do("FT.INDEX CHECK i"))
	require.NoError(t, e.Home().ReplaceAuxiliary(e.Home().SaveAuxiliary()))
	for name, loaded := range of(e.Home()).indexes {
		require.True(t, loaded.stale, name)
	}
}

// TestPlan: each part tells what it was expected to have, and what it gave.
func TestPlan(t *testing.T) {
	_, do := newEngine()
	do("FT.CREATE i SCHEMA t TEXT NOSTEM n NUMERIC")
	for n := range 10 {
		do(fmt.Sprintf("HSET d%d t %s n %d", n, []string{"red", "blue"}[n/8], n))
	}
	require.Equal(t, "*4\r\n+2 documents, 0.000 ms\r\n+  INTERSECT: expected 4, gave 2, 0.000 ms\r\n"+
		"+    NUMERIC 6 - +Inf: expected 4, gave 3, 0.000 ms\r\n+    TEXT red: expected 8, gave 2, 0.000 ms\r\n",
		do("FT.INDEX PLAN i red@n:[6,inf]"))
	require.Contains(t, do("FT.INDEX PLAN j x"), "no such index")
}

// TestDefinitionsAreCounted: the texts of definitions, aliases and synonyms are part of the memory
// of a world, and no longer when they are gone.
func TestDefinitionsAreCounted(t *testing.T) {
	e, do := newEngine()
	cat := of(e.Home())
	long := strings.Repeat("x", 10_000)
	do("FT.CREATE i SCHEMA n NUMERIC")
	for _, line := range []string{"FT.CREATE " + long + " SCHEMA t TEXT",
		"FT.CREATE p PREFIX 1 " + long + " SCHEMA t TEXT", "FT.ALTER i SKIPINITIALSCAN SCHEMA ADD " + long + " TAG",
		"FT.ALIASADD " + long + "a i", "FT.SYNUPDATE i g SKIPINITIALSCAN " + long} {
		before := cat.kept
		require.Equal(t, "+OK\r\n", do(line))
		require.InDelta(t, before+len(long), cat.kept, 2000, line[:20])
	}
	before := cat.kept
	do("FT.ALIASUPDATE " + long + "a p")
	require.Equal(t, before, cat.kept)
	do("FT.ALIASDEL " + long + "a")
	require.Less(t, cat.kept, before-len(long))
	for _, name := range []string{"i", "p", long} {
		do("FT.DROPINDEX " + name)
	}
	require.Zero(t, cat.kept)
}

package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// turnsOf has an engine leave its turns to the test, and returns a function that has the next one
// done and reports whether there are more.
func turnsOf(e *engine.Engine) (next func() (more bool)) {
	var work []engine.Turn
	e.Parts.Host.InTurns = func(w engine.Work) bool {
		work = append(work, w.Turn)
		return true
	}
	return func() bool {
		if len(work) > 0 && !work[0](0) {
			work = work[1:]
		}
		return len(work) > 0
	}
}

// TestScansAreSliced: an index reads the first keys at once, and the others in turns, while keys
// come, change, go and are renamed. Then it is as one that is made anew, also after a field came.
func TestScansAreSliced(t *testing.T) {
	const n = 3 * firstKeys
	e, do := newEngine()
	e.Join(engine.Commands(keys.Family, keys.Databases))
	next, dice := turnsOf(e), rand.New(rand.NewPCG(1, 1))
	for i := range n {
		do(fmt.Sprintf("HSET k%d t red n %d", i, i))
		do(fmt.Sprintf("HSET other%d t red", i))
	}
	change := func() {
		key := fmt.Sprint("k", dice.IntN(2*n))
		switch dice.IntN(4) {
		case 0:
			do("DEL " + key)
		case 1:
			do("RENAME " + key + fmt.Sprint(" k", dice.IntN(2*n)))
		default:
			do("HSET " + key + " t blue")
		}
		if dice.IntN(9) == 0 {
			do("FT.SEARCH i blue")
		}
	}
	for _, line := range []string{"FT.CREATE i PREFIX 1 k SCHEMA t TEXT", "FT.ALTER i SCHEMA ADD n NUMERIC SORTABLE"} {
		require.Equal(t, "+OK\r\n", do(line))
		x := of(e.Home()).indexes["i"]
		require.Less(t, x.progress(), 1.0, line)
		require.Contains(t, do("FT.INFO i"), "+indexing\r\n:1\r\n", line)
		before := x.progress()
		for turns := 0; next(); turns++ {
			if turns < firstKeys {
				change()
			}
			require.GreaterOrEqual(t, x.progress(), before, line)
			before = x.progress()
		}
		require.EqualValues(t, 1, x.progress(), line)
		require.Contains(t, do("FT.INFO i"), "+indexing\r\n:0\r\n", line)
		require.Equal(t, "+OK\r\n", do("FT.INDEX CHECK i"), line)
		require.Greater(t, x.Len(), n/2)
	}
}

// TestChecksEndScans: FT.INDEX CHECK compares all keys, also if the index has not read them yet.
func TestChecksEndScans(t *testing.T) {
	e, do := newEngine()
	turnsOf(e)
	for i := range 2 * firstKeys {
		do(fmt.Sprintf("HSET k%d t red", i))
	}
	do("FT.CREATE i SCHEMA t TEXT")
	x := of(e.Home()).indexes["i"]
	require.Equal(t, firstKeys, x.Len())
	require.Equal(t, "+OK\r\n", do("FT.INDEX CHECK i"))
	require.Equal(t, 2*firstKeys, x.Len())
}

// TestLoadedIndexesBeginToRead: no command need ask for them.
func TestLoadedIndexesBeginToRead(t *testing.T) {
	e, do := newEngine()
	do("HSET k t red")
	do("FT.CREATE i SCHEMA t TEXT")
	require.NoError(t, e.Home().ReplaceAuxiliary(e.Home().SaveAuxiliary()))
	x := of(e.Home()).indexes["i"]
	require.Zero(t, x.Len())
	e.Tick()
	require.Equal(t, 1, x.Len())
}

// TestScansBeginAfterCleaning: an index that is to read all keys begins to before a command goes on
// that asks, also if another one is being cleaned.
func TestScansBeginAfterCleaning(t *testing.T) {
	e, do := newEngine()
	e.Join(engine.Commands(keys.Family, keys.Databases))
	turnsOf(e)
	cat := of(e.Home())
	for _, name := range []string{"a", "b", "c"} {
		do("FT.CREATE " + name + " SCHEMA t TEXT")
	}
	do("HSET k t red")
	for _, x := range cat.indexes {
		x.stale = true
	}
	steps := 3
	cat.cleaning = func() (more bool) {
		steps--
		return steps > 0
	}
	require.Contains(t, do("FT.SEARCH a red"), "k")
	require.Zero(t, steps)
	require.Nil(t, cat.stale())
}

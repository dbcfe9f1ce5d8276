package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTimeouts: each command ends when its time is over. The clock moves on by a millisecond
// whenever it is read.
func TestTimeouts(t *testing.T) {
	now, tick := int64(1e15), int64(0)
	_, do := newEngineAt(func() int64 { now += tick; return now })
	do("FT.CREATE i SCHEMA n NUMERIC SORTABLE t TEXT NOSTEM")
	for n := range 3000 {
		do(fmt.Sprintf("HSET d%d n %d t word%d", n, n, n))
	}
	tick = 1000
	late := "-Timeout limit was reached\r\n"
	long := strings.Repeat("a|", 10_000) + "a"
	steps := "FT.AGGREGATE i * LOAD 1 @n TIMEOUT "
	cursor := " WITHCURSOR COUNT 1000"

	rows := func(reply string) (n int) {
		for {
			n += strings.Count(reply, "$1\r\nn\r\n")
			id := reply[strings.LastIndex(reply, ":")+1 : len(reply)-2]
			if id == "0" {
				return n
			}
			reply = do("FT.CURSOR READ i " + id)
		}
	}

	t.Run("each reading of a cursor has its time", func(t *testing.T) {
		require.Equal(t, 3000, rows(do(steps+"9"+cursor)))
		require.Less(t, rows(do(steps+"9 WITHCURSOR COUNT 2900")), 2900)
	})
	t.Run("RETURN", func(t *testing.T) {
		require.Less(t, rows(do(steps+"3"+cursor)), 1000)
		require.Equal(t, 10, rows(do(steps+"3 SORTBY 1 @n"+cursor)))
		require.Equal(t, late, do("FT.AGGREGATE i * TIMEOUT 3 GROUPBY 1 @n"+cursor))
	})
	t.Run("FAIL", func(t *testing.T) {
		do("FT.CONFIG SET ON_TIMEOUT FAIL")
		require.Equal(t, late, do(steps+"3"+cursor))
		require.Equal(t, 3000, rows(do(steps+"9"+cursor)))
	})
	t.Run("queries that are too long", func(t *testing.T) {
		for _, dialect := range []string{"1", "2"} {
			require.Equal(t, late, do("FT.SEARCH i "+long+" TIMEOUT 5 DIALECT "+dialect))
			require.NotEqual(t, late, do("FT.SEARCH i "+long+" TIMEOUT 0 DIALECT "+dialect))
		}
	})
	t.Run("FT.SPELLCHECK", func(t *testing.T) {
		require.Contains(t, do("FT.SPELLCHECK i wrd7"), "word7")
		do("FT.CONFIG SET TIMEOUT 5")
		require.Equal(t, late, do("FT.SPELLCHECK i wrd7 DISTANCE 4"))
	})
	t.Run("TIMEOUT may be any number", func(t *testing.T) {
		require.NotEqual(t, late, do("FT.SEARCH i * TIMEOUT 9223372036854775807"))
	})
}

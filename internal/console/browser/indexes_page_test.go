package browser

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/miniserver-go/miniserver/search" // FT.*
)

// TestIndexes: what indexes hold, what a query finds, its plan and the remarks on it, and which
// vectors are near to each other.
func TestIndexes(t *testing.T) {
	t.Parallel()
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("FT.CREATE", "books", "PREFIX", "1", "book:", "SCHEMA", "title", "TEXT", "genre", "TAG", "year", "NUMERIC",
		"SORTABLE", "look", "VECTOR", "HNSW", "6", "TYPE", "FLOAT32", "DIM", "2", "DISTANCE_METRIC", "L2")
	v.Do("FT.CREATE", "empty", "PREFIX", "1", "none:", "SCHEMA", "title", "TEXT")
	for i := range 40 {
		v.Do("HSET", fmt.Sprint("book:", i), "title", fmt.Sprintf("<b>Machine</b> %d of time", i), "genre", "novel",
			"year", fmt.Sprint(1880+i), "look", fmt.Sprintf("aa%caaaaa", 'A'+i))
		angle := float64(i) / 6
		v.Do("VADD", "films", "VALUES", "3", fmt.Sprint(math.Cos(angle)), fmt.Sprint(math.Sin(angle)),
			fmt.Sprint(0.2*float64(i%5)), fmt.Sprint("film ", i))
	}
	b := p.browse("indexes")
	b.see(".indexes h2", "2 indexes")
	b.see(".indexes", "Memory of books")
	b.see(".bar-name", "look VECTOR")
	b.fill("form input.mono", `FT.SEARCH books "machine @genr:{x} | @year:[1880 1890]" DIALECT 2 LIMIT 0 5000`)
	b.clickText("form button", "Run")
	b.see(".remarks", "did you mean @genre?")
	b.see(".remarks mark", "@genr:{x}")
	b.see("[aria-label=Results]", "11 found, 11 shown")
	b.see("[aria-label=Results] td", "<b>Machine</b> 3 of time")
	b.see("[aria-label=Plan]", "NUMERIC 1880 - 1890")
	require.Equal(t, 0, eval[int](b, "document.querySelectorAll('main b').length"))
	b.shot("indexes")

	b.fill("form input.mono", `FT.AGGREGATE books "@year:[1880 1890]" GROUPBY 1 @genre REDUCE COUNT 0 AS n`)
	b.clickText("form button", "Run")
	b.see("[aria-label=Results]", "1 found, 1 shown")
	b.see("[aria-label=Results] td", "11")
	b.fill("form input.mono", `FT.AGGREGATE books * WITHCURSOR`)
	b.clickText("form button", "Run")
	b.see("[aria-label=Results]", "40 shown")
	for query, told := range map[string]string{"DEL book:1": "The terminal runs all commands", `FT.SEARCH "books`: "quotes",
		"FT.SEARCH books (": "Syntax error", "FT.SEARCH none x": "no such index"} {
		b.fill("form input.mono", query)
		b.clickText("form button", "Run")
		b.see(".answers .error", told)
	}

	b.clickText("[aria-label=Neighbourhood] button", "Draw")
	b.wait("document.querySelectorAll('.plane .point').length == 25")
	b.see(".neighbours th", "distance")
	b.choose("[aria-label=Neighbourhood] select", "")
	b.fill("[aria-label=Neighbourhood] .grow:nth-of-type(2) input", "films")
	b.fill("[aria-label=Neighbourhood] .grow:nth-of-type(3) input", "film 20")
	b.clickText("[aria-label=Neighbourhood] button", "Draw")
	b.see(".neighbours th", "similarity")
	b.see(".plane .centre text", "film 20")
	b.wait("document.querySelectorAll('.plane .link').length > 20")
	eval[bool](b, "(document.querySelector('.neighbours').scrollIntoView(), true)")
	b.shot("indexes-neighbours")
	b.clickText(".neighbours .cell", "film 14")
	b.see(".plane .centre text", "film 14")
	b.wait("location.hash.includes('element=film+14')")
	b.fill("[aria-label=Neighbourhood] .grow:nth-of-type(2) input", "nothing")
	b.clickText("[aria-label=Neighbourhood] button", "Draw")
	b.see(".neighbours .error", "no such vector set")
}

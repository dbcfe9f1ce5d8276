package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// TestQueriesEndInTime: a query ends with its time while it looks for a document or for words, and
// while it is made.
func TestQueriesEndInTime(t *testing.T) {
	x := shop()
	for i := range 600 {
		colour := []string{"red", "blue"}[i%2]
		x.Put(fmt.Sprint("p:", i), document(map[string]string{"t": fmt.Sprint("w", i, " ", colour)}), 0)
	}
	for _, text := range []string{"red blue", "*none*", "w'w*none'", "red|" + strings.Repeat("w1|", 300) + "w2",
		"%%%none%%%", strings.Repeat("@n:[1 2] ", 300)} {
		root, err := query.Parse(x.Schema(), query.Request{Text: text, Dialect: 2, Slop: -1})
		require.NoError(t, err)
		asked := 0
		r, err := x.Search(&index.Search{Limit: 1, Query: index.Query{Root: root, Fields: query.AllFields, Slop: -1,
			Limits: index.Limits{Prefix: 2, Expansions: 200}, Late: func() bool { asked++; return true }}})
		require.NoError(t, err)
		require.True(t, r.Ended, text)
		require.Equal(t, 1, asked, text)
		require.Less(t, r.Total, 300, text)
	}
}

// TestWorkTakesTime: the time is looked at the sooner, the more is done with a document.
func TestWorkTakesTime(t *testing.T) {
	x := shop()
	for i := range 600 {
		x.Put(fmt.Sprint("p:", i), document(map[string]string{"t": "red"}), 0)
	}
	root, err := query.Parse(x.Schema(), query.Request{Text: "*", Dialect: 2, Slop: -1})
	require.NoError(t, err)
	for work, want := range map[int]int{0: 2, 127: 300, 1000: 601} {
		asked := 0
		w, err := x.Walk(&index.Search{Work: work, Query: index.Query{Root: root, Slop: -1,
			Late: func() bool { asked++; return false }}})
		require.NoError(t, err)
		for w.Next() {
		}
		require.Equal(t, want, asked, work)
	}
}

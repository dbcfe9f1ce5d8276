package index

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// everyKind returns an index over fields of all kinds, in which documents have changed.
func everyKind(keys ...int) *Index {
	d := Definition{Name: "i", Prefixes: []string{""}, Score: 1, Stops: text.DefaultStopWords}
	for _, kind := range []Kind{Text, Tag, Numeric, Geo, Shape, Vector} {
		name := kind.String()
		d.Fields = append(d.Fields, NewField(&d, name, name, kind))
	}
	d.Fields[1].IndexMissing, d.Fields[2].Sortable = true, true
	d.Fields[5].Space = Space{Dimensions: 2}
	x := New(d)
	for _, i := range keys {
		x.Put(fmt.Sprint("k", i), sample(i), int64(1000*(i+1)))
	}
	return x
}

// sample returns a document.
func sample(i int) *hash.Hash {
	h := new(hash.Hash)
	limits := hash.Limits{MaxEntries: 100, MaxValue: 100}
	set := func(k Kind, value string) { h.Set([]byte(k.String()), []byte(value), limits) }
	set(Text, fmt.Sprintf("red house number%d", i))
	set(Numeric, fmt.Sprint(i))
	set(Geo, fmt.Sprintf("%d,%d", i, i))
	set(Shape, fmt.Sprintf("POINT(%d 0)", i))
	set(Vector, fmt.Sprintf("\x00\x00\x00\x00\x00\x00%c\x00", i))
	if i%2 == 0 {
		set(Tag, "even,all")
	}
	return h
}

// breaks are ways in which an index may be wrong.
var breaks = map[string]func(x *Index){
	"key \"k1\" is not in the index":                   func(x *Index) { x.Remove("k1") },
	"key \"k9\" is in the index, and is no document":   func(x *Index) { x.Put("k9", sample(9), 0) },
	"the document of key \"k1\" is known as":           func(x *Index) { x.docs.standings[0].score = 2 },
	"document 1 of key \"k1\" is not where it belongs": func(x *Index) { x.docs.find("k1").id = 3 },
	"are counted as 4, 2, 0 and 0":                     func(x *Index) { x.docs.words, x.docs.gone = 0, 2 },
	"an element of key \"k1\" is due, and is not":      func(x *Index) { x.docs.find("k1").due = 1 },
	"the words: \"new\" is in order": func(x *Index) {
		x.words.order.ReplaceOrInsert(&word{text: "new"})
	},
	"the words: there is no \"red\"": func(x *Index) {
		x.words.bytes -= len("red")
		x.words.order.Delete(x.words.find("red"))
		delete(x.words.of, "red")
		x.words.sums = x.words.recount()
	},
	"the words: {entries:":                        func(x *Index) { x.words.sums.positions++ },
	"the documents' texts have 8 bytes, those of": func(x *Index) { x.docs.texts++ },
	"the words: 7 of 41 bytes are counted":        func(x *Index) { x.words.bytes++ },
	"the words: \"red\": number 5 follows on 4":   func(x *Index) { x.words.enter("red", &posting{id: 5}) },
	"the words: \"red\": number 0 follows on 4":   func(x *Index) { x.words.enter("red", &posting{id: 0}) },
	"the words: \"even\": document 2 does not have it": func(x *Index) {
		x.words.enter("even", &posting{id: 2, fields: query.Only(0)})
	},
	"the words: \"red\": 4 entries in [1 0] are counted as 5": func(x *Index) {
		x.words.find("red").count++
	},
	"the tags of TAG: \"all\": document 2 is not there": func(x *Index) {
		tags := &x.Fields[1].lists.tags
		tags.find("all").postings = postings{bare: true}
		tags.sums = tags.recount()
	},
	"the documents without TAG: document": func(x *Index) { x.Fields[1].lists.missing = postings{bare: true} },
	"the numbers of NUMERIC: 7 of document 2 should not be there": func(x *Index) {
		x.Fields[2].lists.numbers.runs[0].values[0] = 7
	},
	"the numbers of GEO: 3.377822707026402e+15 of document 1 should": func(x *Index) {
		r := &x.Fields[3].lists.numbers.runs[0]
		r.values[0], r.values[1], r.ids[0], r.ids[1] = r.values[1], r.values[0], r.ids[1], r.ids[0]
	},
	"the numbers of GEO: 0 are missing, and 4 are counted as 5": func(x *Index) {
		x.Fields[3].lists.numbers.count++
	},
	"the shapes of GEOSHAPE: that of document 2 is another one": func(x *Index) {
		x.Fields[4].lists.shapes.list[1].rings[0][0].x = 7
	},
	"the vectors of VECTOR: that of document 2 is another one": func(x *Index) {
		x.Fields[5].lists.vectors.single.at(1)[1]++
	},
}

// TestCheckFindsWhatIsWrong: an index is as a fresh one until something in it is broken.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	indexes := func() (x, fresh *Index) {
		x = everyKind(2, 1, 0, 3, 4)
		x.Put("k2", sample(2), 3000)
		x.Remove("k4")
		x.Put("late", sample(4), 10)
		return x, everyKind(1, 0, 3, 2)
	}
	x, fresh := indexes()
	require.NoError(t, x.Check(fresh, 10))
	x.Clean(func() {})
	require.NoError(t, x.Check(fresh, 10))
	require.ErrorContains(t, x.Check(fresh, 9), `key "late" is in the index, and is no document`)
	fresh.Put("late", sample(4), 10) // as while a journal is loaded
	require.NoError(t, x.Check(fresh, 10))
	for want, breakIt := range breaks {
		x, fresh := indexes()
		x.Remove("late")
		x.Tidy()
		breakIt(x)
		require.ErrorContains(t, x.Check(fresh, 10), want)
	}
}

// TestFreshIsEmpty: a fresh index has the fields and the synonyms, and no documents.
func TestFreshIsEmpty(t *testing.T) {
	x := everyKind(1, 2)
	x.AddSynonyms("g", []string{"red"})
	fresh := x.Fresh()
	require.Zero(t, fresh.Len())
	require.Equal(t, x.synonyms, fresh.synonyms)
	fresh.Put("k1", sample(1), 2000)
	fresh.Put("k2", sample(2), 3000)
	require.Equal(t, x.Holds(), everyKind(1, 2).Holds())
}

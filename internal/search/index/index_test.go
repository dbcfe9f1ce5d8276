package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// limits let a small hash be a table.
var limits = hash.Limits{MaxEntries: 8, MaxValue: 64, Seed: 1}

func document(fields map[string]string) *hash.Hash {
	h := new(hash.Hash)
	for name, v := range fields {
		h.Set([]byte(name), []byte(v), limits)
	}
	return h
}

// shop returns an index over all kinds of fields but vectors.
func shop() *index.Index {
	d := index.Definition{Name: "shop", Prefixes: []string{"p:"}, Score: 1, Stops: text.DefaultStopWords}
	for _, f := range []struct {
		name string
		kind index.Kind
	}{{"t", index.Text}, {"u", index.Text}, {"n", index.Numeric}, {"g", index.Tag}, {"at", index.Geo},
		{"s", index.Shape}} {
		d.Fields = append(d.Fields, index.NewField(&d, f.name, f.name, f.kind))
	}
	d.Fields[2].Sortable, d.Fields[2].IndexMissing = true, true
	return index.New(d)
}

// found returns the keys that a query finds, in the order of keys, with their scores.
func found(t *testing.T, x *index.Index, text string) (lines []string) {
	t.Helper()
	root, err := query.Parse(x.Schema(), query.Request{Text: text, Dialect: 2, Slop: -1,
		Params: map[string]string{"box": "POLYGON((0 0,0 5,5 5,5 0,0 0))"}})
	require.NoError(t, err, text)
	r, err := x.Search(&index.Search{Limit: 1000, Scores: true, Query: index.Query{Root: root,
		Fields: query.AllFields, Slop: -1, Limits: index.Limits{Prefix: 2, Expansions: 200}}})
	require.NoError(t, err, text)
	require.Len(t, r.Documents, r.Total, text)
	for i := range r.Documents {
		lines = append(lines, fmt.Sprint(r.Documents[i].Key(), " ", r.Documents[i].Score))
	}
	slices.Sort(lines)
	return lines
}

var questions = []string{"*", "red", "red house", `"red house"`, "red|blue", "-red", "~red blue", "@u:(tree)", "ho*",
	"*se", "%hous%", "w'h?u*'", "@g:{a}", "@g:{a|b c}", "@n:[2 5]", "@n:[(2 +inf]", "@at:[1 1 200 km]", "ismissing(@n)",
	"@s:[WITHIN $box]", "(red|(blue house)) @n:[0 7] -@g:{b}", "(red house)=>{$slop:1;$inorder:true}"}

// TestCovers: a key belongs to an index if it begins with any of its prefixes.
func TestCovers(t *testing.T) {
	x := index.New(index.Definition{Prefixes: []string{"b:", "a", "ac", "ab", "b", "c:d"}})
	for _, key := range []string{"a", "ad", "ab", "abc", "az", "b", "b:", "ba", "c:d", "c:de"} {
		require.True(t, x.Covers(key), key)
	}
	for _, key := range []string{"", "A", "c", "c:", "c:c", "c:e", "d"} {
		require.False(t, x.Covers(key), key)
	}
	require.True(t, index.New(index.Definition{Prefixes: []string{"x", ""}}).Covers(""))
}

// A document that changes again and again takes as much memory as one that came once, but what is
// there until the index is cleaned.
func TestChangesTakeNoMemory(t *testing.T) {
	x := shop()
	for range 10_000 {
		x.Put("p:1", document(map[string]string{"t": "red house", "n": "1", "g": "a", "at": "1,2"}), 0)
		if x.IsWasteful() {
			x.Clean(func() {})
		}
	}
	require.Less(t, x.Holds().TableBytes, 32<<10)
	require.EqualValues(t, 10_000, x.Holds().Given)
	require.Equal(t, []string{"p:1"}, x.Keys())
}

// TestIsAsAFreshOne: after any changes an index finds what one finds that was made of the documents
// that are there.
func TestIsAsAFreshOne(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("red blue house houses tree the a running")
	some := func() string {
		var list []string
		for range dice.IntN(6) {
			list = append(list, words[dice.IntN(len(words))])
		}
		return strings.Join(list, " ")
	}
	x := shop()
	docs := make(map[string]*hash.Hash)
	var order []string
	for round := range 400 {
		key := fmt.Sprint("p:", dice.IntN(30))
		order = slices.DeleteFunc(order, func(other string) bool { return other == key })
		delete(docs, key)
		if dice.IntN(4) == 0 {
			x.Remove(key)
			continue
		}
		fields := map[string]string{"t": some(), "u": some()}
		if dice.IntN(2) == 0 {
			fields["n"] = fmt.Sprint(dice.IntN(9))
		}
		if dice.IntN(2) == 0 {
			fields["g"] = []string{"a", "b c", "a, B C", "b"}[dice.IntN(4)]
		}
		fields["at"] = fmt.Sprintf("%d,%d", dice.IntN(4), dice.IntN(4))
		fields["s"] = fmt.Sprintf("POINT(%d %d)", dice.IntN(9), dice.IntN(9))
		broken := dice.IntN(10) == 0
		if broken {
			fields["n"] = "many"
		}
		h := document(fields)
		x.Put(key, h, 0)
		if !broken {
			docs[key], order = h, append(order, key)
		}
		if round%10 > 0 {
			continue
		}
		x.Tidy()
		fresh := shop()
		for _, key := range order {
			fresh.Put(key, docs[key], 0)
		}
		require.Equal(t, fresh.Keys(), x.Keys())
		require.NoError(t, x.Check(fresh, 0))
		for _, q := range questions {
			require.Equal(t, found(t, fresh, q), found(t, x, q), "round %d: %s", round, q)
		}
	}
	require.Equal(t, int64(0), shop().Errors.Count)
	require.Positive(t, x.Errors.Count)
	require.Equal(t, "Invalid numeric value: 'many'", x.Errors.Last)
}

func TestRenamedDocumentsKeepTheirPlace(t *testing.T) {
	x := shop()
	for _, key := range []string{"p:1", "p:2", "p:3"} {
		x.Put(key, document(map[string]string{"t": "red"}), 0)
	}
	require.True(t, x.Rename("p:1", "p:3"))
	require.False(t, x.Rename("p:9", "p:3"))
	require.Equal(t, []string{"p:3", "p:2"}, x.Keys())
}

// TestNoDocumentMayBecomeOne: a key that is no document because of an element that expires is to be
// put again then.
func TestNoDocumentMayBecomeOne(t *testing.T) {
	x := shop()
	h := document(map[string]string{"t": "red", "n": "many"})
	h.SetDeadline([]byte("n"), 100, func(uint64) uint64 { return 0 })
	x.Put("p:1", h, 0)
	require.Zero(t, x.Len())
	require.Empty(t, x.Due(99))
	require.Equal(t, []string{"p:1"}, x.Due(100))
	x.Put("p:1", document(map[string]string{"t": "red"}), 0)
	require.Empty(t, x.Due(1000))
	require.Equal(t, []string{"p:1"}, x.Keys())
}

func TestDeadDocumentsAreNotFound(t *testing.T) {
	x := shop()
	x.Put("p:1", document(map[string]string{"t": "red"}), 100)
	root, err := query.Parse(x.Schema(), query.Request{Text: "red", Dialect: 1, Slop: -1})
	require.NoError(t, err)
	for now, want := range map[int64]int{99: 1, 100: 0} {
		r, err := x.Search(&index.Search{Now: now, Limit: 9,
			Query: index.Query{Root: root, Fields: query.AllFields, Slop: -1}})
		require.NoError(t, err)
		require.Equal(t, want, r.Total)
	}
}

// vectors returns an index over vectors of two dimensions.
func vectors(s index.Space) *index.Index {
	d := index.Definition{Name: "v", Prefixes: []string{""}, Score: 1, Stops: text.DefaultStopWords}
	f := index.NewField(&d, "v", "v", index.Vector)
	s.Dimensions = 2
	f.Space = s
	d.Fields = []*index.Field{f}
	return index.New(d)
}

func TestDefinitionsAreReadAsTheyWereWritten(t *testing.T) {
	x := shop()
	x.Fields[0].Phonetic, x.Fields[1].NoStem, x.Fields[3].Separator = "dm:en", true, ';'
	x.AddSynonyms("g", []string{"car", "auto"})
	v := vectors(index.Space{Algorithm: index.HNSW, Element: index.Float16, Metric: index.Cosine, M: 5, Construction: 6,
		Runtime: 7, Epsilon: 0.01, Capacity: 8})
	for _, x := range []*index.Index{x, v} {
		parts := x.Encode(nil, []string{"a", "b"})
		r := &value.PartsReader{Parts: parts}
		back, aliases := index.Decode(r, index.Version, nil)
		require.NoError(t, r.Err())
		require.Empty(t, r.Parts)
		require.Equal(t, []string{"a", "b"}, aliases)
		require.Equal(t, parts, back.Encode(nil, aliases))
	}
}

// FuzzDecode reads definitions that lie. What is read works as an index.
func FuzzDecode(f *testing.F) {
	wholes := []value.Parts{shop().Encode(nil, []string{"a"}),
		vectors(index.Space{Algorithm: index.HNSW, M: 5, Construction: 6, Runtime: 7, Epsilon: 0.01}).Encode(nil, nil)}
	for at := range 2 * len(wholes[0]) {
		for _, n := range []uint64{0, 1, 1 << 31, math.MaxInt64, 1 << 63, math.MaxUint64} {
			f.Add(uint8(at), uint8(at/2), n, "x\x00")
		}
	}
	f.Fuzz(func(t *testing.T, which, at uint8, n uint64, s string) {
		parts := slices.Clone(wholes[int(which)%len(wholes)])
		p := &parts[int(at)%len(parts)]
		p.Number, p.Double, p.Text = n, math.Float64frombits(n), []byte(s)
		r := &value.PartsReader{Parts: parts}
		x, aliases := index.Decode(r, index.Version, func(string) (index.Filter, error) { return nil, nil })
		if x == nil {
			require.Error(t, r.Err())
			return
		}
		fresh := x.Fresh()
		for _, i := range []*index.Index{x, x, fresh} {
			for _, key := range []string{"p:1", "p:2", "p:3"} {
				i.Put(key, document(map[string]string{"t": "red", "n": "1", "g": "a", "v": "aaaabbb" + key[2:]}), 0)
			}
		}
		require.NoError(t, x.Check(fresh, 1))
		x.Encode(nil, aliases)
	})
}

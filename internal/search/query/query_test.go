package query

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/search/text"
	"github.com/miniserver-go/miniserver/resp"
)

// shelf is the schema of an index that was made by the arguments create, after one document.
type shelf []*Field

var create = strings.Fields(`FT.CREATE shelf SCHEMA t1 TEXT t2 TEXT WEIGHT 2 t3 TEXT NOSTEM INDEXEMPTY g TAG
	gc TAG CASESENSITIVE INDEXEMPTY n NUMERIC n2 NUMERIC INDEXMISSING loc GEO
	v VECTOR FLAT 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2 s GEOSHAPE`)

var schema = shelf{
	{Name: "t1", Text: true}, {Name: "t2", Text: true, Number: 1},
	{Name: "t3", Text: true, Number: 2, IndexEmpty: true},
	{Name: "g", Tag: true}, {Name: "gc", Tag: true, CaseSensitive: true, IndexEmpty: true},
	{Name: "n"}, {Name: "n2", IndexMissing: true}, {Name: "loc"}, {Name: "v", Vector: true}, {Name: "s"},
}

func (s shelf) Field(name string) *Field {
	for _, f := range s {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func (s shelf) Fields() []*Field           { return s }
func (s shelf) StopWords() *text.StopWords { return text.DefaultStopWords }

func (s shelf) Synonyms(word string) []string {
	if word == "hello" || word == "hi" {
		return []string{"~greeting"}
	}
	return nil
}

// explained returns what FT.EXPLAIN replies to a query.
func explained(query string, dialect int) string {
	n, err := Parse(schema, Request{Text: query, Dialect: dialect, Params: params, Slop: -1})
	if err != nil {
		return "-" + err.Error()
	}
	return Explain(schema, n)
}

var queries = flag.Int("queries", 5000, "the random queries that are compared with Redis Stack")

// TestAgainstRedisStack compares the trees of random queries, and the errors of wrong ones.
func TestAgainstRedisStack(t *testing.T) {
	conn := reference.RedisStack74.Start(t).Dial(t)
	reader := resp.NewReader(conn)
	ask := func(args ...string) resp.Value {
		w := resp.NewWriter(2)
		w.Array(len(args))
		for _, arg := range args {
			w.BulkString(arg)
		}
		_, err := conn.Write(w.Bytes())
		require.NoError(t, err)
		v, err := reader.Read()
		require.NoError(t, err, "%q", args)
		return v
	}
	ask(create...)
	ask("FT.SYNUPDATE", "shelf", "greeting", "hello", "hi")
	ask("HSET", "d", "t1", "hello", "g", "Red", "gc", "Abc", "n", "1", "n2", "2", "loc", "1,2", "s", "POINT(1 1)")
	with := []string{"PARAMS", strconv.Itoa(2 * len(params))}
	for name, value := range params {
		with = append(with, name, value)
	}
	r := random{rand.New(rand.NewPCG(1, 2))}
	for range *queries {
		query, dialect := r.query(), 1+r.IntN(4)
		v := ask(append(append([]string{"FT.EXPLAIN", "shelf", query}, with...), "DIALECT", strconv.Itoa(dialect))...)
		want := v.Text
		if v.Kind == resp.Error {
			want = "-" + want
		}
		require.Equal(t, want, explained(query, dialect), "dialect %d: %q", dialect, query)
	}
}

func TestLevelsAreLimited(t *testing.T) {
	for dialect := 1; dialect <= 2; dialect++ {
		for _, level := range []string{"(", "-", "~", "x (", "x|(", "@t1:(", "5 ("} {
			got := explained(strings.Repeat(level, 300)+"x", dialect)
			require.NotContains(t, got, "{\n", "dialect %d %q", dialect, level)
		}
	}
	require.Equal(t, "-Parser stack overflow. Try moving nested parentheses more to the left",
		explained(strings.Repeat("(", 1_000_000), 2))
}

// TestManyClausesTakeLinearTime would take hours if each clause looked at all before it.
func TestManyClausesTakeLinearTime(t *testing.T) {
	for dialect := 1; dialect <= 2; dialect++ {
		for _, clause := range []string{"word ", "word|", "@t1:word ", "@n:[1 2] ", "-word ", `"x b" `} {
			query := strings.Repeat(clause, 200_000) + "word"
			_, err := Parse(schema, Request{Text: query, Dialect: dialect, Slop: -1, Verbatim: true})
			require.NoError(t, err, "dialect %d %q", dialect, clause)
		}
	}
}

func TestStopWordsInUnions(t *testing.T) {
	require.Equal(t, "b\n", explainedVerbatim("b|the|c"), "RediSearch hangs c below b, where it counts for nothing")
	require.Equal(t, "INTERSECT {\n  a1\n  b\n  c\n}\n", explainedVerbatim("(a1 b)|the|c"))
	require.Equal(t, "NOT{\n  b\n  c\n}\n", explainedVerbatim("-b|the|c"))
	require.Equal(t, "b\n", explainedVerbatim("the|a|b"), "which ends RediSearch")
}

func explainedVerbatim(query string) string {
	n, err := Parse(schema, Request{Text: query, Dialect: 2, Slop: -1, Verbatim: true})
	if err != nil {
		return err.Error()
	}
	return Explain(schema, n)
}

func TestConditionsBesideTheText(t *testing.T) {
	filters := []Node{NewNumeric("n", 1, 2), NewKeys([]uint64{3, 5})}
	const added = "IDS {3,5,}\n  NUMERIC {1.000000 <= @n <= 2.000000}\n"
	for query, want := range map[string]string{
		"x":   "INTERSECT {\n  " + added + "  x\n}\n",
		"x y": "INTERSECT {\n  " + added + "  x\n  y\n}\n",
		"*=>[KNN 1 @v $vec]": "VECTOR {\n  INTERSECT {\n    " + strings.ReplaceAll(added, "\n  ", "\n    ") +
			"  }\n} => {K=1 nearest vectors to `$vec` in vector index associated with field @v, " +
			"yields distance as `__v_score`}\n",
	} {
		n, err := Parse(schema,
			Request{Text: query, Dialect: 2, Slop: -1, Verbatim: true, Params: params, Filters: filters})
		require.NoError(t, err)
		require.Equal(t, want, Explain(schema, n))
	}
}

func FuzzParse(f *testing.F) {
	r := random{rand.New(rand.NewPCG(3, 4))}
	for range 100 {
		f.Add(r.query())
	}
	f.Fuzz(func(t *testing.T, query string) {
		for dialect := 1; dialect <= 2; dialect++ {
			require.NotEmpty(t, explained(query, dialect))
		}
	})
}

package lint_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/search"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/lint"
	"github.com/miniserver-go/miniserver/resp"
)

// library returns what runs a command in an engine with the index and the documents of the rules'
// examples.
func library(t *testing.T) (do func(line string) resp.Value) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1e15 }})
	e.Join(engine.Part{Types: append([]engine.Type{hashes.Type}, search.Types...)})
	e.Join(engine.Commands(hashes.Family), search.Part())
	s := e.NewSession(nil)
	do = func(line string) resp.Value {
		words, ok := resp.Words([]byte(line), nil)
		require.True(t, ok, line)
		v, err := resp.NewReader(bytes.NewReader(e.Do(s, [][][]byte{words}).Out)).Read()
		require.NoError(t, err)
		return v
	}
	require.NoError(t, do(lint.Schema).Err())
	for i := range 12 {
		require.NoError(t, do(fmt.Sprintf(`HSET book:%d title "The Time Machine" about "far away in the future" `+
			`genre travel author "Ann Verne" isbn 0-14-1 year %d `+
			`pages %d price 8 look aa%caaaaa`, i, 1880+i, 500-i, 'n'-i)).Err())
	}
	require.NoError(t, do(`HSET book:x title "Time" about "a traveller far from home" year 1870 genre novel`).Err())
	return do
}

// rulesOf returns the names of the rules that a command breaks.
func rulesOf(t *testing.T, do func(string) resp.Value, command string) (names []string) {
	kind, rest, _ := strings.Cut(command, " ")
	name, rest, _ := strings.Cut(rest, " ")
	reply := do("FT.INDEX LINT " + name + " " + strings.TrimPrefix(kind, "FT.") + " " + rest)
	require.NoError(t, reply.Err())
	for _, f := range reply.Elems {
		names = append(names, strings.SplitN(f.Text, ": ", 3)[1])
	}
	return names
}

// TestRules: each rule finds its mistake, and nothing else; what it advises is answered and, where
// the mistake was one, otherwise.
func TestRules(t *testing.T) {
	do := library(t)
	for _, rule := range lint.Rules {
		require.Equal(t, []string{rule.Name}, rulesOf(t, do, rule.Bad), rule.Bad)
		require.Empty(t, rulesOf(t, do, rule.Good), rule.Good)
		bad, good := do(rule.Bad), do(rule.Good)
		require.NoError(t, good.Err(), rule.Good)
		require.Greater(t, len(good.Elems), 1, rule.Good)
		if rule.Level != lint.Note {
			require.False(t, bad.Equal(good), rule.Bad)
		}
		if rule.Level == lint.Error && !bad.IsError() {
			require.Len(t, bad.Elems, 1, rule.Bad)
		}
	}
}

// TestFindings: what is found where, and what is right.
func TestFindings(t *testing.T) {
	do := library(t)
	for _, c := range []struct{ command, want string }{
		{`SEARCH "time @title:(machine traveller) @genre:{science fiction} @year:[1870 +inf]"`, ""},
		{`SEARCH "@isbn:{0\\-14|-1|1.5|*4} @year>=5" DIALECT 2`, "query:12: short-pattern: \"4\" has fewer than 2 " +
			"letters (MINPREFIX), so the pattern finds nothing."},
		{`SEARCH '@isbn:{"0-14-1" | w\'0-?\'} "far-away"' DIALECT 2`, ""},
		{`SEARCH "@genre:{b,c} grün @isbn:{x y.z}" DIALECT 2`, "query:9: unescaped-sign: , is no part of a tag " +
			"here, unless a " +
			"backslash is before it: for any of several tags write {b|c}.\nquery:26: unescaped-sign: . is no part " +
			"of a tag " +
			"here, unless a backslash is before it: write {x y\\.z}."},
		{`SEARCH "@isbn:{a@b.com}" DIALECT 2`, "query: refused: Syntax error at offset 8 near b.\n" +
			"query:8: unescaped-sign: @ is no part of a tag here, unless a backslash is before it: write " +
			"{a\\@b\\.com}."},
		{`SEARCH "ann@example.org" DIALECT 2`, "query: refused\nquery:4: sign-in-word: @ begins the name of a " +
			"field: write " +
			"\"ann example org\", which finds the words as texts have them."},
		{`SEARCH "@first-name:ann"`, "query: refused\nquery:1: sign-in-word: A field's name ends before -, unless " +
			"a backslash " +
			"is before it: write @first\\-name."},
		{`SEARCH "@title|abut:time"`, "query:1: unknown-field: The index has no field abut, so this finds nothing: " +
			"did you " +
			"mean @about?"},
		{`SEARCH "@nothing:time"`, "query:1: unknown-field: The index has no field nothing, so this finds nothing."},
		{`SEARCH "@year:{1870} @title:[1 2] @look:[1 2 3 km] @genre:[WITHIN $w]" DIALECT 2 PARAMS 2 w x`,
			"query:1: wrong-kind: year is a NUMERIC field, and this asks a TAG field, so it finds nothing: write " +
				"@year:[least most].\nquery:14: wrong-kind: title is a TEXT field, and this asks a NUMERIC field, " +
				"so it finds " +
				"nothing: write @title:(word).\nquery:27: wrong-kind: look is a VECTOR field, and this asks a GEO " +
				"field, so it " +
				"finds nothing: write *=>[KNN 10 @look $vector].\nquery:44: wrong-kind: genre is a TAG field, and " +
				"this asks a " +
				"GEOSHAPE field, so it finds nothing: write @genre:{tag}."},
		{`SEARCH "*" SORTBY nothing LIMIT 5000 1`, "query: refused: Property `nothing` not loaded " +
			"nor in schema.\nLIMIT: deep-paging"},
		{`SEARCH "*=>[KNN 12 @look $v]" SORTBY __look_score PARAMS 2 v aaaaaaaa LIMIT 10 2 DIALECT 2`, ""},
		{`AGGREGATE "*" FILTER "@yaer > 5"`, "query: refused: Property `yaer` not loaded nor in " +
			"pipeline."},
		{`AGGREGATE "*" LOAD 1 @title FILTER "@year > 5 && @year <= -7.5 && @title == 'x'"`, "FILTER: late-filter: " +
			"Each document that the " +
			"query finds is compared. The index does it: put @year:[(5 +inf] into the query.\nFILTER: late-filter: " +
			"Each " +
			"document that the query finds is compared. The index does it: put @year:[-inf -7.5] into the query."},
		{`AGGREGATE "*" FILTER "@year > 5 || @year < 7" FILTER "@year + 1 > 5" FILTER "@year != 5"`, ""},
		{`AGGREGATE "*" APPLY "@year + 1" AS year FILTER "@year > 5"`, ""},
		{`AGGREGATE "*" GROUPBY 1 @year REDUCE COUNT 0 AS n FILTER "@year > 5" LIMIT 5000 1`, ""},
		{`AGGREGATE "*=>[KNN 12 @look $v]" PARAMS 2 v aaaaaaaa DIALECT 2`, "query:12: knn-order: The nearest are " +
			"not in the " +
			"order of their distances: add SORTBY 1 @__look_score."},
	} {
		reply := do("FT.INDEX LINT books " + c.command)
		require.NoError(t, reply.Err(), c.command)
		var got []string
		for _, f := range reply.Elems {
			got = append(got, f.Text)
		}
		want := strings.Split(c.want, "\n")
		if c.want == "" {
			want = nil
		}
		require.Len(t, got, len(want), "%s: %q", c.command, got)
		for i, w := range want {
			require.True(t, got[i] == w || strings.HasPrefix(got[i], w+":"), "%s: %s", c.command, got[i])
		}
	}
}

// TestAnyText: a text that is no query is looked at as well, and what is found can be shown.
func TestAnyText(t *testing.T) {
	do := library(t)
	parts := []string{"@genre", "@look", ":", "{", "}", "[", "]", "(", ")", "|", "-", "*", "a", "tr*", "w'?a'",
		"1", "-2",
		"$v", "=>", "KNN", "ismissing", "@", "\\\\", "'", "ä", ">=", "%", "~", " "}
	dice := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := ""
		for range 1 + dice.IntN(12) {
			text += parts[dice.IntN(len(parts))]
		}
		line := fmt.Sprintf(`FT.INDEX LINT books SEARCH "%s" DIALECT %d PARAMS 2 v aaaaaaaa`, text, 1+dice.IntN(2))
		for _, f := range do(line).Elems {
			place, rest, _ := strings.Cut(f.Text, ": ")
			name, _, _ := strings.Cut(rest, ": ")
			require.NotNil(t, lint.Find(name), f.Text)
			require.Regexp(t, "^(query(:[1-9][0-9]*)?|LIMIT|SORTBY)$", place)
		}
	}
}

var update = flag.Bool("update", false, "write the rules into docs/search.md")

// TestPage: docs/search.md describes the rules as the table has them.
func TestPage(t *testing.T) {
	const path = "../../../docs/search.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const begin, end = "<!-- rules: generated by go test ./internal/search/lint -update -->\n", "<!-- end of the " +
		"rules -->"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + page() + end + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run go test ./internal/search/lint -update")
}

// page returns the rules as a table in Markdown.
func page() string {
	var b strings.Builder
	b.WriteString("\n| rule | level | | instead of | better |\n|---|---|---|---|---|\n")
	short := strings.NewReplacer(" books", "", " PARAMS 2 v aaaaaaaa", " ...", " DIALECT 2", "")
	for _, rule := range lint.Rules {
		bad, good := rule.Bad, rule.Good
		if !strings.Contains(good, "DIALECT") || strings.Contains(bad, "DIALECT") {
			bad, good = short.Replace(bad), short.Replace(good)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | `%s` |\n", rule.Name, rule.Level, rule.About, bad, good)
	}
	b.WriteString("\n")
	return b.String()
}

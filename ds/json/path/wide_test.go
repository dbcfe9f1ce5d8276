package path

import (
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/stretchr/testify/require"
)

// wideReply returns what JSON.GET replies to a path of the wide language.
func wideReply(t testing.TB, f *Finder, d Dialect, doc *json.Doc, path string) string {
	t.Helper()
	p, err := d.Parse([]byte(path))
	if err != nil {
		return err.Error()
	}
	var list []string
	for f.Find(p, doc.Root()); f.Next(); {
		list = append(list, string(json.AppendText(nil, f.Value())))
	}
	if f.Err() != nil {
		return f.Err().Error()
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestWide has the examples of Redis' page on paths, and its rules.
func TestWide(t *testing.T) {
	var f Finder
	for _, group := range []struct {
		doc   string
		cases []string // path, reply
	}{
		{`[{"a":1,"b":1},{"b":2},{"a":1},{"c":3}]`, []string{
			`$[?!@.a]`, `[{"b":2},{"c":3}]`, `$[?!(@.a==1)]`, `[{"b":2},{"c":3}]`, `$[?!@.a && @.b]`, `[{"b":2}]`,
			`$[?!!@.a]`, `[{"a":1,"b":1},{"a":1}]`, `$[?(!@.a)]`, `[{"b":2},{"c":3}]`,
			`$[?(@.a || @.c) && !@.b]`, `[{"a":1},{"c":3}]`}},
		{`{"arrs":[[1],[2],[1,2],[1,[2]]],"objs":[{"x":1},{"x":2},{"y":1}]}`, []string{
			`$.arrs[?(@ == [1])]`, `[[1]]`, `$.arrs[?(@ == [1,[2]])]`, `[[1,[2]]]`, `$.objs[?(@ == {"x":1})]`, `[{"x":1}]`,
			`$.objs[?({'x' : 1} == @)]`, `[{"x":1}]`, `$.arrs[?@ == []]`, `[]`, `$.arrs[?@ < [3]]`, `[]`}},
		{`[{"a":2,"b":3},{"a":5,"b":2}]`, []string{
			`$[?@.a + 1 == 3]`, `[{"a":2,"b":3}]`, `$[?@.a + @.b * 2 == 8]`, `[{"a":2,"b":3}]`,
			`$[?(@.a + @.b) * 2 == 10]`, `[{"a":2,"b":3}]`, `$[?-@.a == -5]`, `[{"a":5,"b":2}]`,
			`$[?@.a / 0 == 1]`, `[]`, `$[?@.a % 2 == 1]`, `[{"a":5,"b":2}]`, `$[?@.a - @.b - 1 == 2]`, `[{"a":5,"b":2}]`}},
		{`{"a":[1,2,3,4],"allow":[2,3]}`, []string{
			`$.a[?@ in [2,4]]`, `[2,4]`, `$.a[?@ nin [2,4]]`, `[1,3]`, `$.a[?@ in $.allow]`, `[2,3]`,
			`$.a[?@ in 2]`, `[]`, `$.a[?@ nin 2]`, `[1,2,3,4]`, `$.a[?@ in [2.0]]`, `[2]`, `$.a[?@ in $.allow.*]`, `[2,3]`}},
		{`{"a":[[1,2],[1,5],[],[8,9]]}`, []string{
			`$.a[?@ subsetof [1,2,3]]`, `[[1,2],[]]`, `$.a[?@ anyof [1,2,3]]`, `[[1,2],[1,5]]`,
			`$.a[?@ noneof [1,2,3]]`, `[[],[8,9]]`}},
		{`{"a":[[4,5],[1],[7,8,9],"ab",{"k":1},{},"",5]}`, []string{
			`$.a[?@ sizeof 2]`, `[[4,5],"ab"]`, `$.a[?@ size 1.9]`, `[[1],{"k":1}]`, `$.a[?@ empty true]`, `[{},""]`,
			`$.a[?@ empty false]`, `[[4,5],[1],[7,8,9],"ab",{"k":1}]`, `$.a[?@ size "2"]`, `[]`}},
		{`{"obj":{"x":1,"y":2},"books":[{"t":"a","price":30},{"t":"b","price":5}],"size":7,"in":8,"a~b":9}`, []string{
			`$.obj~`, `["x","y"]`, `$~`, `["obj","books","size","in","a~b"]`, `$.books~`, `[]`, `$.books[*]~`,
			`["t","price","t","price"]`, `$.obj.keys()`, `["x","y"]`, `$.obj.keys().count()`, `[2]`,
			`$.books[?(@.price >= 10)].append({"t":"X"})`, `[{"t":"a","price":30},{"t":"X"}]`,
			`$.size`, `[7]`, `$["in"]`, `[8]`, `$["a~b"]`, `[9]`, `$.obj.keys() + 1`, `[]`, `$.books.length()`, `[2]`,
			`$.books[*].price.count() * 2`, `[4]`, `value($.obj.x)`, `[1]`, `value($.obj.*)`, `[]`,
			`$.none.count()`, `[0]`, `$.none.append(1)`, `[1]`, `$.obj.append($.books[*].t)`, `[{"x":1,"y":2},["a","b"]]`}},
		{`{"a":[[1,2,3],[1],"abcd","x"]}`, []string{`$.a[?length(@) > 2]`, `[[1,2,3],"abcd"]`, `$.a[?@.length() > 2]`,
			`[[1,2,3],"abcd"]`}},
		{`[{"a":1,"b":2,"c":3},{"a":1}]`, []string{`$[?count(@.*) == 3]`, `[{"a":1,"b":2,"c":3}]`,
			`$[?@.* == 2]`, `[{"a":1,"b":2,"c":3}]`, `$[?@.* > 2]`, `[{"a":1,"b":2,"c":3}]`}},
		{`{"a":["abc","xabc","a","b"]}`, []string{`$.a[?match(@, "a.*")]`, `["abc","a"]`, `$.a[?search(@, "b")]`,
			`["abc","xabc","b"]`, `$.a[?search(@, "(")]`, `[]`, `$.a[?@ =~ concat("x", "a")]`, `["xabc"]`,
			`$.a[?!match(@, "a.*")]`, `["xabc","b"]`}},
		{`{"a":[{"x":"a","y":"b"},{"x":"a","y":"c"}]}`, []string{`$.a[?concat(@.x, @.y) == "ab"]`, `[{"x":"a","y":"b"}]`,
			`$.a[?concat() == ""]`, `[]`, `concat($.a[0].x, "-", "z")`, `["a-z"]`}},
		{`{"a":[2.1,3.9,1.0,-2.5,7]}`, []string{`$.a[?ceiling(@) == 3]`, `[2.1]`, `$.a[?floor(@) == 3]`, `[3.9]`,
			`$.a[?abs(@) == 2.5]`, `[-2.5]`, `$.a[3].ceiling()`, `[-2]`, `$.a[4].floor()`, `[7]`, `$.a.sum()`, `[11.5]`}},
		{`{"a":[{"n":[1,2]},{"n":[9,8]}],"n":[3,1,2]}`, []string{`$.a[?first(@.n) == 1]`, `[{"n":[1,2]}]`,
			`$.a[?last(@.n) == 8]`, `[{"n":[9,8]}]`, `$.a[?index(@.n, -1) == 2]`, `[{"n":[1,2]}]`,
			`$.n.index(1.9)`, `[1]`, `$.n.index(3)`, `[]`, `$.n.min()`, `[1.0]`, `$.n.max()`, `[3.0]`, `avg($.n)`, `[2.0]`,
			`$.n[`, `Error`, `$.n~.x`, `Error`, `$.n~~`, `Error`, `$.n.keys()~`, `Error`, `$.n +`, `Error`, `$.f(`, `Error`,
			`$.n.stddev()`, `[0.816496580927726]`, `$.a.sum()`, `[]`, `$.n.append(9)`, `[3,1,2,9]`,
			`sum($.a[*].n[0])`, `[10.0]`}},
		{`{"a":2,"b":4,"arr":[1,2,3],"big":9223372036854775807}`, []string{`$.a + 1`, `[3]`, `$.a * $.b`, `[8]`,
			`($.a + $.b) / 2`, `[3.0]`, `$.arr.length()`, `[3]`, `$.a / 0`, `[]`, `length($.arr)`, `[3]`, `-$.a`, `[-2]`,
			`($.arr[*])`, `[1,2,3]`, `$.big + 1`, `[9.223372036854776e18]`, `$.big * 2`, `[1.8446744073709552e19]`,
			`-$.big - 1`, `[-9223372036854775808]`, `-$.big - 2`, `[-9.223372036854776e18]`, `$.a.abs(1)`, `[]`,
			`$.a.nosuch()`, `[]`, `a + 1`, `[3]`, `$.none + 1`, `[]`, `$.a + "x"`, `[]`}},
	} {
		doc := document(t, group.doc)
		for i := 0; i < len(group.cases); i += 2 {
			path, want := group.cases[i], group.cases[i+1]
			got := wideReply(t, &f, Wide, doc, path)
			if got != want && !(want == "Error" && strings.HasPrefix(got, "Error occurred")) {
				t.Errorf("%s of %s\n got %s\nwant %s", path, group.doc, got, want)
			}
		}
	}
}

// TestEither: a path without expressions means what it meant before.
func TestEither(t *testing.T) {
	var f Finder
	doc := document(t, `{"a~":1,"size":2,"a":[[1,1],[2]]}`)
	for _, c := range [][2]string{
		{`$["a~"]`, `[1]`}, {`$.size`, `[2]`}, {`$.a[?@[*]==1]`, `[]`}, {`$.a[?@ size 1]`, `[[2]]`}, {`$.a.length()`, `[2]`},
		{`$.a[?@[*]==1 && !@.b]`, `[[1,1]]`}, {`$.a[?@ in [[2]]]`, `[[2]]`}, {`-$.size`, `[-2]`}, {`($.size)`, `[2]`},
		{`$~`, `["a~","size","a"]`}, {`size`, `[2]`}, {`$.a[?@size]`, `[]`}, {`$.b-$`, `[]`},
	} {
		if got := wideReply(t, &f, Either, doc, c[0]); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
	for _, path := range []string{"$.", "$.a[", "$.a +", "$.a.keys()~", "$.a.length(", "f("} {
		_, narrow := Narrow.Parse([]byte(path))
		_, either := Either.Parse([]byte(path))
		if narrow == nil || either == nil || narrow.Error() != either.Error() {
			t.Errorf("%s\n got %v\nwant %v", path, either, narrow)
		}
	}
}

// TestWideIsBounded: what would take long, or much memory, ends with an error.
func TestWideIsBounded(t *testing.T) {
	var f Finder
	doc := document(t, "["+strings.Repeat("1,", 3000)+"1]")
	for _, path := range []string{
		`$[?@ in $..*]`, `$[?$..* == $..*]`, `$[?count($..*) + count($..*) == 1]`, strings.Repeat("$.a + ", 2000) + "1",
		"$[?" + strings.Repeat("(", 100) + "@ == 1" + strings.Repeat(")", 100) + "]",
		"$[?" + strings.Repeat("(@[?", 40) + "@ == 1" + strings.Repeat("] == 1)", 40) + "]",
		"$[?" + strings.Repeat("!", 10000) + "@]", strings.Repeat("(", 30000), strings.Repeat("[", 30000),
		"$[?@ == " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "]", strings.Repeat("f(", 30000),
		strings.Repeat("-", 30000) + "$.a", "$" + strings.Repeat(".keys()", 5000),
	} {
		wideReply(t, &f, Wide, doc, path)
		if f.run != nil && f.run.visited > 40*3002*maxSize {
			t.Errorf("%.30s visits %d", path, f.run.visited)
		}
	}
}

// FuzzWide parses texts and follows the paths, which may not panic, nor find what is no value.
func FuzzWide(f *testing.F) {
	for _, seed := range []string{`$.a + 1`, `$[?!(@.a in [1,{"b":[]}]) && @ size 2].append(@.x)`, `concat("a", $..b) * -2`,
		`$~`, `($.a[?match(@, "x")])`, `$.a.keys().index(-1).length()`, `$[?(@.a + @.b) % 2 empty true]`} {
		f.Add(seed, `{"a":[1,2.5,{"b":"x"},[]],"b":{"a":null,"c":"xy"},"x":true}`)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		doc, _, err := new(json.Parser).Parse([]byte(text))
		if err != nil {
			return
		}
		var finder Finder
		for _, d := range []Dialect{Wide, Either} {
			wideReply(t, &finder, d, doc, path)
		}
	})
}

// TestLists: a path in a filter stands for nothing before Redis 8.8, and for all values that it
// matches since then; a filter on a scalar stood for the scalar.
func TestLists(t *testing.T) {
	var f Finder
	doc := document(t, `{"a":[{"n":[1,5]},{"n":[2]},{"n":["xy","z"]},7],"b":5}`)
	for _, c := range [][3]string{
		{`$.a[?(@.n[*]==5)]`, `[]`, `[{"n":[1,5]}]`}, {`$.a[?(@.n[*]>=2)]`, `[{"n":[2]}]`, `[{"n":[1,5]},{"n":[2]}]`},
		{`$.a[?(@.n[*]=~"^z")]`, `[]`, `[{"n":["xy","z"]}]`}, {`$.a[?(@.n[*]==$.a[*].n[*])]`, `[]`,
			`[{"n":[1,5]},{"n":[2]},{"n":["xy","z"]}]`},
		{`$.a[?(@.n[*])]`, `[{"n":[2]}]`, `[{"n":[1,5]},{"n":[2]},{"n":["xy","z"]}]`}, {`$.b[?(@==5)]`, `[5]`, `[]`},
		{`$.a[?(@.n[*]!=2 && @.n)]`, `[{"n":[1,5]},{"n":["xy","z"]}]`, `[{"n":[1,5]},{"n":["xy","z"]}]`},
		{`$.a[?(@.no[*]!=2 && @.n[0]==2)]`, `[{"n":[2]}]`, `[{"n":[2]}]`},
	} {
		for i, d := range []Dialect{Narrow, Lists} {
			require.Equal(t, c[i+1], wideReply(t, &f, d, doc, c[0]), c[0])
		}
	}
}

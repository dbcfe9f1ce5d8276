package path

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/json"
)

// TestReplies compares with what RedisJSON replies to JSON.GET: values and their order, errors word
// for word.
func TestReplies(t *testing.T) {
	for _, name := range []string{"paths", "filters", "random"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			var doc *json.Doc
			var f Finder
			rows := 0
			lines := bufio.NewScanner(file)
			for lines.Scan() {
				line := lines.Text()
				if text, ok := strings.CutPrefix(line, "document "); ok {
					doc = document(t, text)
				} else if path, want, ok := strings.Cut(line, " → "); ok && line[0] != '#' {
					path, want = unquote(t, path), unquote(t, want)
					if got := reply(t, &f, doc, path); got != want {
						t.Errorf("%s\n got %q\nwant %q", path, got, want)
					}
					rows++
				}
			}
			if rows < 100 {
				t.Fatal("rows:", rows)
			}
		})
	}
}

func document(t testing.TB, text string) *json.Doc {
	t.Helper()
	doc, _, err := new(json.Parser).Parse([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return doc
}

func unquote(t *testing.T, text string) string {
	s, err := strconv.Unquote(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return s
}

func parsed(t testing.TB, text string) *Path {
	t.Helper()
	p, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return p
}

// reply is what JSON.GET replies.
func reply(t *testing.T, f *Finder, doc *json.Doc, text string) string {
	p, err := Parse([]byte(text))
	if err != nil {
		return "-" + err.Error()
	}
	found := find(t, f, p, doc)
	switch {
	case !p.Legacy():
		return "[" + strings.Join(found, ",") + "]"
	case len(found) == 0:
		return "-ERR Path '" + p.String() + "' does not exist"
	default:
		return found[0]
	}
}

// find returns the texts of all that matches, and checks that each is at its place.
func find(t *testing.T, f *Finder, p *Path, doc *json.Doc) (found []string) {
	for f.Find(p, doc.Root()); f.Next(); {
		text := string(json.AppendText(nil, f.Value()))
		at := doc.Root()
		for _, i := range f.Place() {
			at, _ = at.Element(int(i))
		}
		if there := string(json.AppendText(nil, at)); there != text {
			t.Errorf("%s: %s is at %v, not %s", p, there, f.Place(), text)
		}
		found = append(found, text)
	}
	if err := f.Err(); err != nil {
		t.Error(p, err)
	}
	if p.Static() && len(found) > 1 {
		t.Errorf("%s is static: %v", p, found)
	}
	return found
}

// TestSurvives has what RedisJSON does not survive.
func TestSurvives(t *testing.T) {
	doc := document(t, `{"b":[1,2,3],"v":[0]}`)
	for path, want := range map[string]string{
		"$.😀":                            `-Error occurred on position 2, "$. ---->>>>  ", expected one of the following: <string>, '*'.`,
		"$\u3000.a":                      `-Error occurred on position 3, "$.$ ---->>>>  .a", expected one of the following: EOI, '..'.`,
		"$.b[9223372036854775808]":       "[]",
		"$.b[-9223372036854775809]":      "[1]",
		"$.b[0:9223372036854775808]":     "[1,2,3]",
		"$.b[::99999999999999999999]":    "[1]",
		"$.b[1::9223372036854775807]":    "[2]",
		"$" + strings.Repeat(".v[0]", 9): "[]",
		"$.v[?" + strings.Repeat("@[?", 60) + "@==0" + strings.Repeat("]", 61): "[0]",
	} {
		if got := reply(t, new(Finder), doc, path); got != want {
			t.Errorf("%s\n got %q\nwant %q", path, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	nested := func(n int) string { return "$[?" + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + "]" }
	for text, want := range map[string]error{
		"$.\xff":                            json.ErrNotUTF8,
		"\xc3":                              json.ErrNotUTF8,
		"$" + strings.Repeat("a", MaxBytes): errLong,
		nested(MaxNesting):                  errDeep,
		nested(MaxNesting - 1):              nil,
		"$" + strings.Repeat("[?@", MaxNesting+1) + strings.Repeat("]", MaxNesting+1): errDeep,
	} {
		if _, err := Parse([]byte(text)); err != want {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		path, parent, name string // the parent as the path of JSONPath that finds the same
		ok, static         bool
	}{
		{"$", "", "", false, true},
		{".", "", "", false, true},
		{"$.a", "$", "a", true, true},
		{"a", "$", "a", true, true},
		{"a.b", "$.a", "b", true, true},
		{"$.a[0].b", "$.a[0]", "b", true, true},
		{`$["a"]["x y"]`, "$.a", "x y", true, true},
		{`$.a["x\"\\"]`, "$.a", `x\"\\`, true, true},
		{`$['x\'']`, "$", `x\'`, true, true},
		{`$[""]`, "$", "", true, true},
		{"$.a[0]", "", "", false, true},
		{"$.a[-1]", "", "", false, true},
		{"$.a[0,1].b", "", "", false, false},
		{"$.a[0:1].b", "", "", false, false},
		{`$["a","b"]`, "", "", false, false},
		{"$..a", "", "", false, false},
		{"$.*.a", "", "", false, false},
		{"$.a.*", "", "", false, false},
		{"$[?(@.a==1)].b", "", "", false, false},
	} {
		p := parsed(t, test.path)
		if p.Static() != test.static {
			t.Error(test.path, "static:", p.Static())
		}
		parent, name, ok := p.Split()
		if ok != test.ok || string(name) != test.name {
			t.Errorf("%s: %q %v", test.path, name, ok)
		}
		if !ok {
			continue
		}
		doc := document(t, `{"a":{"b":1,"x y":{}},"q":[{"b":[]}]}`)
		got := find(t, new(Finder), parent, doc)
		want := find(t, new(Finder), parsed(t, test.parent), doc)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: the parent finds %v, want %v", test.path, got, want)
		}
	}
}

func TestString(t *testing.T) {
	for text, want := range map[string]string{
		".": "$", "a": "$.a", ".a": "$.a", "..a": "$..a", "[0]": "$.[0]", " a": "$. a", "$a": "$.$a", "$.a": "$.a",
		`["é"]`: "$.[\"\xe9\"]", `["日Ā"]`: "$.[\"\xe5 \"]",
	} {
		p := parsed(t, text)
		if p.String() != want || p.Legacy() != (text != "$.a") {
			t.Errorf("%q: %q, legacy %v", text, p.String(), p.Legacy())
		}
	}
}

// TestDeep has documents that are deeper than a text can be.
func TestDeep(t *testing.T) {
	const times, depth = 100, 120
	part := document(t, strings.Repeat("[", depth)+`{"x":1}`+strings.Repeat("]", depth))
	doc := document(t, "[0]")
	place := json.Place{0}
	var e json.Editor
	for range times {
		e.Set(doc, place, part.Root())
		place = append(place, make(json.Place, depth)...)
		e.Set(doc, place, document(t, "[0]").Root())
		place = append(place, 0)
	}
	var f Finder
	for path, want := range map[string]int{
		"$..*": len(place), "$..[0]": len(place), "$..[?(@[0])]": len(place) - 1,
		"$..[?(@==0)]": 2, "$" + strings.Repeat("[0]", len(place)): 1, "$" + strings.Repeat("[*]", len(place)): 1,
	} {
		n := 0
		for f.Find(parsed(t, path), doc.Root()); f.Next(); {
			n++
		}
		if n != want || f.Err() != nil {
			t.Errorf("%.20s: %d, want %d, %v", path, n, want, f.Err())
		}
	}
}

func TestTooMuch(t *testing.T) {
	deep := document(t, strings.Repeat("[1,", 100)+"2"+strings.Repeat("]", 100))
	wide := document(t, "["+strings.Repeat("1,", 50_000)+"[1]]")
	array := "[" + strings.Repeat("1,", 4000) + "1]"
	long := document(t, "["+array+",["+array+"]]")
	text := document(t, `{"a":"`+strings.Repeat("x", 1<<20)+`","p":"(x|y)*z"}`)
	var f Finder
	for _, test := range []struct {
		doc  *json.Doc
		path string
		want error
	}{
		{deep, "$" + strings.Repeat("..*", 8), ErrTooMuch},
		{deep, "$[?($" + strings.Repeat("..*", 8) + "==1)]", nil}, // two values suffice to know
		{deep, "$[?($" + strings.Repeat("..*", 8) + ".x==1)]", ErrTooMuch},
		{deep, "$" + strings.Repeat("[0,0,1,1]", 20), ErrTooMuch},
		{deep, "$..*..*", nil},
		{wide, "$[" + strings.Repeat("0,", 20_000) + "0]", nil},
		{wide, "$[?(" + strings.Repeat("@==1&&", 200) + "@==1)]", nil},
		{wide, "$[?(" + strings.Repeat("@==1&&", 8000) + "@==1)]", ErrTooMuch},
		{wide, "$[?(@!=$)]", nil},
		{wide, "$[?($..x==1)]", nil}, // from the root: once
		{wide, "$[" + strings.Repeat("1,", 20_000) + "1][?(@==1)]", nil},
		{long, "$[" + strings.Repeat("0,", 20_000) + "0][::4000]", ErrTooMuch},
		{long, "$[" + strings.Repeat("0,", 20_000) + "0][4000:]", ErrTooMuch},
		{long, "$[" + strings.Repeat("1,", 20_000) + "1][?(@==$[0])]", ErrTooMuch},
		{wide, "$[?($==$)]", ErrTooMuch}, // as many comparisons as pairs of values
		{text, `$[?(@=~"(x|y)*z")]`, nil},
		{text, `$[?(@=~$.p)]`, nil},
		{text, `$[?(@=~"(x{1,9}y?){1,99}z")]`, ErrTooMuch}, // about a second
	} {
		n := 0
		for f.Find(parsed(t, test.path), test.doc.Root()); f.Next(); {
			n++
		}
		if err := f.Err(); !errors.Is(err, test.want) {
			t.Errorf("%.30s: %v after %d values", test.path, err, n)
		}
	}
}

// A caller may read what a path leads to some times, but not any number of times.
func TestReadTooMuch(t *testing.T) {
	doc := document(t, strings.Repeat("[", 100)+`"`+strings.Repeat("x", 1<<20)+`"`+strings.Repeat("]", 100))
	var f Finder
	n := 0
	for f.Find(parsed(t, "$..*"), doc.Root()); f.Next(); n++ {
		f.Read(1 << 20)
	}
	if !errors.Is(f.Err(), ErrTooMuch) || n < 16 || n > 64 {
		t.Errorf("%v after %d values", f.Err(), n)
	}
}

func TestAllocations(t *testing.T) {
	doc := document(t, `{"a":{"b":[1,2,{"a":1}]},"l":[{"i":1,"x":"one"},{"i":2,"x":"two"}],"p":"^t"}`)
	var f Finder
	for _, path := range []string{"$",
		"$.a", "a.b[1]", `["a"]["b"][-1]`, "$..a", "$.l[*].i", "$.a.b[0,1]", "$.a.b[::2]",
		"$.l[?(@.i>1)].x", "$.l[?(@.x=~'^o')].i", "$.l[?(@.x=~$.p)].i", "$..[?(@.a[?(@>0)])]", "$.l[?(@==$.l[0])]"} {
		p := parsed(t, path)
		n := testing.AllocsPerRun(100, func() {
			for f.Find(p, doc.Root()); f.Next(); {
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", path, n)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	doc := document(b, benchmarked)
	for _, path := range []string{"$.a", ".a.b[1]", "$..a", "$.l[?(@.x>1)].i"} {
		b.Run(path, func(b *testing.B) {
			p := parsed(b, path)
			var f Finder
			for b.Loop() {
				for f.Find(p, doc.Root()); f.Next(); {
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, path := range []string{"$.a", ".a.b[1]", "$..a", "$.l[?(@.x>1)].i"} {
		b.Run(path, func(b *testing.B) {
			text := []byte(path)
			for b.Loop() {
				if _, err := Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchmarked is a document of 700 bytes.
var benchmarked = `{"a":{"b":[1,2,3],"c":"x"},"l":[` + strings.Repeat(`{"i":1,"x":2,"name":"some name","tags":["a","b"]},`, 12) + `{"i":2,"x":1}],"z":{"a":1,"y":{"a":[1,2]}}}`

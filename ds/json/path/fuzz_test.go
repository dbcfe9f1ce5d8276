package path

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/json"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{"$", ".", "", "$.a", "a.b[1]", "$..a", `$.l[?(@.x>1 && "a"=~$..b)].i`, `["a",'b\'']`,
		"$[1:2:3]", "$.é[",
		"$.\xff", "$[?(" + strings.Repeat("(@[?", 200), "$[" + strings.Repeat(`"a", `, MaxBytes/5),
		strings.Repeat("[?@==", MaxBytes/5),
		"$" + strings.Repeat("[?@", 100) + "'", "$[?@" + strings.Repeat("&&@", MaxBytes/4),
		"$" + strings.Repeat(" ", MaxBytes-1)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			if err.Error() == "" || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Fatalf("%q", err.Error())
			}
			return
		}
		if again, err := Parse(p.text); err == nil && (again.String() != p.String() || again.Legacy()) {
			t.Fatalf("%q: %q, %q", text, p, again)
		}
		var finder Finder
		for finder.Find(p, document(t, "[0]").Root()); finder.Next(); {
		}
	})
}

// FuzzFind compares a Finder with a plain evaluator over Go's values.
func FuzzFind(f *testing.F) {
	for _, path := range []string{"$.a", "a.b[-9]", "$..a", "$..*..*", "$.b[0,0,1]", "$[1:9:2]", `$["a","b"].*`,
		"$..[?(@.a>=1.5)]", `$.b[?(@=~"^t")||@==$.a]`, "$.b[?(@.a[?(@==1)])]", "$..[?(@!=@.a && null<=@.b || !1)]",
		"$..[?(@..a==$.b[*])]", "$.*[?(@.a[?(@==$.b||$.a[?(@==$[0])])])]"} {
		f.Add(`{"a":1,"b":[1.0,"two",null,{"a":[1,2],"b":null},[[true]],9007199254740993,18446744073709551615]}`, path)
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		doc, _, err := new(json.Parser).Parse([]byte(text))
		p, perr := Parse([]byte(path))
		if err != nil || perr != nil || len(text) > 300 || len(path) > 60 {
			t.Skip("no document, no path, or too large for the plain evaluator")
		}
		sameAsPlain(t, doc, p)
	})
}

// TestLarge has a document that is not packed as one text.
func TestLarge(t *testing.T) {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, `"name %d":{"i":%d,"x":[%d,"text %d",{"i":1.5}],"s":%q},`, i, i, i%7, i,
			strings.Repeat("long ", i))
	}
	doc := document(t, "{"+b.String()+`"l":[`+strings.Repeat(`[1,2],3,{"i":1},`, 700)+`"end"]}`)
	for _, path := range []string{"$..i", "$.*.x[0]", "$..*", "$.l[-1]", "$.l[9:2000:3]", "$.l[2000,1999,0,-1,-9]",
		"$.l[-9:]", `$["name 599","name 0","name 600"].i`, "$[?(@.i>590)].x[1]", "$..[?(@.i==1.5)]",
		"$.l[?(@==$.l[3])]", "$..x[?(@.i)]", `$[?(@.s=~"(long ){9}$")].i`} {
		if found, ok := sameAsPlain(t, doc, parsed(t, path)); !ok || found == 0 {
			t.Error(path, found, ok)
		}
	}
}

// sameAsPlain compares what a Finder finds with what the plain evaluator finds; ok is false if it
// is too much for the latter.
func sameAsPlain(t *testing.T, doc *json.Doc, p *Path) (found int, ok bool) {
	var f Finder
	var got, want []string
	for f.Find(p, doc.Root()); f.Next() && len(got) < maxWalked; {
		got = append(got, fmt.Sprint(f.Place()))
	}
	walked := 0
	root := tree(doc.Root(), json.Place{}, &walked)
	for _, n := range root.walk(root, p.steps) {
		want = append(want, fmt.Sprint(n.place))
	}
	if f.Err() != nil || walked > maxWalked || len(got) == maxWalked {
		return len(got), false
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s in %.300s:\n got %v\nwant %v", p, json.AppendText(nil, doc.Root()), got, want)
	}
	return len(got), true
}

// node is a value of a document as the plain evaluator has it.
type node struct {
	place  json.Place
	value  any // nil, bool, string, *big.Float, []*node, []field
	double float64
	whole  bool // an integer within int64
	walked *int // of all nodes: how many steps were gone; there are no more than maxWalked
}

const maxWalked = 100_000

type field struct {
	name string
	*node
}

func tree(v json.Value, place json.Place, walked *int) *node {
	n := &node{place: slices.Clone(place), walked: walked}
	switch v.Kind() {
	case json.Boolean:
		n.value = v.Bool()
	case json.String:
		n.value = string(v.Text())
	case json.Integer, json.Number:
		n.double = v.Float()
		x := new(big.Float).SetPrec(200).SetFloat64(n.double)
		if v.Kind() == json.Integer {
			x.SetString(string(json.AppendText(nil, v)))
			n.whole = x.Cmp(big.NewFloat(1<<63)) < 0
		}
		n.value = x
	case json.Array:
		elements := []*node{}
		for i := range v.Len() {
			e, _ := v.Element(i)
			elements = append(elements, tree(e, append(place, uint32(i)), walked))
		}
		n.value = elements
	case json.Object:
		fields := []field{}
		for c := v.Children(); c.Next(); {
			fields = append(fields,
				field{string(c.Name()), tree(c.Value(), append(place, uint32(len(fields))), walked)})
		}
		n.value = fields
	}
	return n
}

func (n *node) children() (all []*node) {
	switch v := n.value.(type) {
	case []*node:
		return v
	case []field:
		for _, f := range v {
			all = append(all, f.node)
		}
	}
	return all
}

// walk returns what the steps from n lead to. The root is what $ is in their filters.
func (n *node) walk(root *node, steps []step) (found []*node) {
	if *n.walked++; *n.walked > maxWalked {
		return nil
	}
	if len(steps) == 0 {
		return []*node{n}
	}
	for _, child := range n.step(root, &steps[0]) {
		found = append(found, child.walk(root, steps[1:])...)
	}
	if steps[0].scan {
		for _, child := range n.children() {
			found = append(found, child.walk(root, steps)...)
		}
	}
	return found
}

func (n *node) step(root *node, s *step) (found []*node) {
	elements, isArray := n.value.([]*node)
	fields, _ := n.value.([]field)
	switch s.kind {
	case all:
		return n.children()
	case where:
		candidates := n.children()
		if !isArray && fields == nil {
			candidates = []*node{n}
		}
		for _, child := range candidates {
			if child.holds(root, s.filter) {
				found = append(found, child)
			}
		}
	case stretch:
		from, to := s.slice.from, s.slice.to
		if from < 0 {
			from = max(from+len(elements), 0)
		}
		if to < 0 {
			to += len(elements)
		}
		for i, e := range elements {
			if i >= from && i < to && (i-from)%s.slice.step == 0 {
				found = append(found, e)
			}
		}
	case union:
		for _, c := range s.union {
			for _, f := range fields {
				if c.member && f.name == string(c.name) {
					found = append(found, f.node)
				}
			}
			i := c.index
			if i < 0 {
				i = max(i+len(elements), 0)
			}
			if !c.member && i < len(elements) {
				found = append(found, elements[i])
			}
		}
	}
	return found
}

func (n *node) holds(root *node, rows filter) bool {
	return slices.ContainsFunc(rows, func(row []test) bool {
		return !slices.ContainsFunc(row, func(t test) bool { return !n.test(root, &t) })
	})
}

func (n *node) test(root *node, t *test) bool {
	if t.nested != nil {
		return n.holds(root, t.nested)
	}
	a, b := n.term(root, &t.left), n.term(root, &t.right)
	if t.op == exists {
		return a != nil
	}
	if a == nil || b == nil {
		return t.op == unequal
	}
	c, ordered := a.compare(b)
	same := ordered && c == 0
	if a.place != nil && b.place != nil {
		same = a.same(b)
	}
	switch t.op {
	case equal:
		return same
	case unequal:
		return !same
	case less:
		return ordered && c < 0
	case lessEqual:
		return ordered && c <= 0
	case greater:
		return ordered && c > 0
	case greaterEqual:
		return ordered && c >= 0
	}
	text, ok := a.value.(string)
	pattern, also := b.value.(string)
	if !ok || !also || a.place == nil {
		return false
	}
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text) && !t.right.escaped
}

// term returns what a term stands for, or nil. A literal has no place, and the root an empty one.
func (n *node) term(root *node, t *term) *node {
	from := n
	switch t.kind {
	case literal:
		v := node{}
		switch o := t.value; o.kind {
		case json.Boolean:
			v.value = o.truth
		case json.String:
			v.value = string(o.text)
		case json.Integer:
			v.value, v.double, v.whole = new(big.Float).SetInt64(o.integer), float64(o.integer), true
		case json.Number:
			v.value, v.double = big.NewFloat(o.float), o.float
		}
		return &v
	case fromRoot:
		from = root
	}
	if found := from.walk(from, t.steps); len(found) == 1 {
		return found[0]
	}
	return nil
}

func (n *node) compare(m *node) (c int, ok bool) {
	switch a := n.value.(type) {
	case nil:
		return 0, m.value == nil
	case bool:
		b, ok := m.value.(bool)
		return truth(a) - truth(b), ok
	case string:
		b, ok := m.value.(string)
		return strings.Compare(a, b), ok
	case *big.Float:
		b, ok := m.value.(*big.Float)
		if ok && !(n.whole && m.whole) {
			a, b = big.NewFloat(n.double), big.NewFloat(m.double)
		}
		return compareFloats(a, b), ok
	}
	return 0, false
}

func compareFloats(a, b *big.Float) int {
	if a == nil || b == nil {
		return 0
	}
	return a.Cmp(b)
}

// same reports whether two values of the document are equal.
func (n *node) same(m *node) bool {
	switch a := n.value.(type) {
	case *big.Float:
		b, ok := m.value.(*big.Float)
		return ok && a.Cmp(b) == 0
	case []*node:
		b, ok := m.value.([]*node)
		return ok && slices.EqualFunc(a, b, (*node).same)
	case []field:
		b, ok := m.value.([]field)
		return ok && len(a) == len(b) && !slices.ContainsFunc(a, func(f field) bool {
			return !slices.ContainsFunc(b, func(g field) bool { return f.name == g.name && f.same(g.node) })
		})
	}
	return n.value == m.value
}

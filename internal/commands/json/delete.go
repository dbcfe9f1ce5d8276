package json

import (
	"bytes"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// deletesEmpty is since when a key goes with the last value in its document.
var deletesEmpty = release.From("8.0.0")

// JSON.DEL key [path]
func cmdJSONDel(c *engine.Call) {
	key, text := c.Arg(), pathArg(c)
	d := edited(c, key)
	if c.Failed() {
		return
	}
	if d == nil {
		c.Reply.Int(0)
		return
	}
	p := parsePath(c, text)
	if p == nil {
		return
	}
	n := 1
	if p.Root() {
		c.DB.Delete(key)
	} else if m := workspaceOf(c).find(c, d, p, anything); !c.Failed() {
		if n = remove(c, d, m); n > 0 && d.Root().Len() == 0 && c.Has(deletesEmpty) {
			c.DB.Delete(key)
		}
	}
	if n > 0 {
		changed(c, key, "json.del")
	}
	c.Reply.Int(int64(n))
}

// remove removes what was found but the root, and returns how many values that are.
func remove(c *engine.Call, d *json.Doc, m *matches) int {
	if m.len() == 0 {
		return 0
	}
	if len(m.routes.ends) > 0 {
		return removeRoutes(c, d, m)
	}
	if len(m.only) == 0 {
		return 0
	}
	workspaceOf(c).editor.Delete(d, m.only)
	return 1
}

// outermost returns the routes to values that are not within others, each once, in the order in
// which they can be deleted.
func (m *matches) outermost() []route {
	if m.loses {
		return m.outermostText()
	}
	all := make([]route, len(m.routes.ends))
	for i := range all {
		all[len(all)-1-i] = m.routes.at(i)
	}
	if !slices.IsSortedFunc(all, inOrder) { // as elements are that were found from the first on
		slices.SortFunc(all, inOrder)
	}
	n := len(all)
	for _, one := range slices.Backward(all) { // what is within a value stands before it
		if n == len(all) || !bytes.HasPrefix(one, all[n]) {
			n--
			all[n] = one
		}
	}
	return all[n:]
}

// outermostText returns the routes that RedisJSON followed of several before Redis 8.2, in its
// order. It compared their texts: one is left out if another one is the beginning of its text, so
// that "ab" goes with "a". And it leaves out those of several equal ones of which a bisection does
// not find the first.
func (m *matches) outermostText() (kept []route) {
	texts := m.routes.texts()
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	sorted := make([]string, len(texts))
	for i, match := range order {
		sorted[i] = texts[match]
	}
	for from, to := 0, 0; from < len(sorted); from = to {
		outer := sorted[from]
		for to = from; to < len(sorted) && sorted[to] == outer; to++ {
		}
		if to == from+1 || bisect(sorted, outer) == from {
			kept = append(kept, m.routes.somewhere(order[from:to])...)
		}
		for to < len(sorted) && strings.HasPrefix(sorted[to], outer) {
			to++
		}
	}
	slices.SortFunc(kept, inOrder)
	return kept
}

// bisect returns the index of a text that is among sorted ones: the one that the standard library
// of Rust finds of several.
func bisect(sorted []string, text string) int {
	from, to := 0, len(sorted)
	for {
		i := from + (to-from)/2
		switch strings.Compare(sorted[i], text) {
		case -1:
			from = i + 1
		case 1:
			to = i
		default:
			return i
		}
	}
}

// removeRoutes removes the values to which routes lead, and returns how many.
func removeRoutes(c *engine.Call, d *json.Doc, m *matches) (n int) {
	kept := m.outermost()
	e := &workspaceOf(c).editor
	for _, r := range kept {
		if at, _, ok := r.follow(d, m.place); ok && len(at) > 0 {
			e.Delete(d, at)
			n++
		}
	}
	return n
}

// JSON.CLEAR key [path]
func cmdJSONClear(c *engine.Call) {
	key, text := c.Arg(), pathArg(c)
	for c.More() {
		textArg(c) // it has no effect
	}
	t, ok := find(c, key, text, canClear)
	if !ok {
		return
	}
	for i, fits := range t.matches.fits {
		if at, v, ok := t.matches.follow(t.doc, i); ok && fits {
			t.clear(at, v)
		}
	}
	c.Reply.Int(int64(t.done))
	t.end("json.clear")
}

// clear clears a value.
func (t *target) clear(at json.Place, v json.Value) {
	if empty, ok := cleared[v.Kind()]; ok {
		t.w.editor.Set(t.doc, at, empty)
		t.done++
	}
}

// cleared is what JSON.CLEAR leaves of values by their kinds.
var cleared = map[json.Kind]json.Value{json.Array: json.EmptyArray, json.Object: json.EmptyObject,
	json.Integer: json.Zero, json.Number: json.Zero}

// canClear reports whether a value is not clear already.
func canClear(v json.Value) bool {
	switch v.Kind() {
	case json.Array, json.Object:
		return v.Len() > 0
	case json.Integer, json.Number:
		return v.Float() != 0
	}
	return false
}

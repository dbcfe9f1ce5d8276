package json

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// assignment is what JSON.MSET does with one key: it sets values, or adds a member.
type assignment struct {
	key    []byte
	value  int // of the command's documents
	root   bool
	routes routes
	adds   bool   // a member to what the only route leads to, instead of setting values
	name   []byte // of that member
}

// JSON.MSET key path value [key path value ...]
//
// What the paths find counts before the first key changes.
func cmdJSONMSet(c *engine.Call) {
	var all []assignment
	bytes := 0
	for c.More() {
		a := assignment{key: c.Arg(), value: len(all)}
		bytes += a.read(c)
		all = append(all, a)
	}
	if !c.Failed() {
		c.Refuse(c.World.CheckRoom(bytes))
	}
	if c.Failed() {
		return
	}
	for i := range all {
		all[i].apply(c)
	}
	c.MarkDirty()
	c.Reply.Status("OK")
}

// read finds out what is to be done with the key, and returns how many bytes it takes to set
// several values.
func (a *assignment) read(c *engine.Call) (bytes int) {
	w, d := workspaceOf(c), edited(c, a.key)
	text := textArg(c)
	switch a.root = isRoot(text); {
	case c.Failed():
	case a.root:
	case d == nil:
		c.Refuse(errNotRoot)
	default:
		a.find(c, d, parsePath(c, text))
	}
	value := textArg(c)
	w.parse(c, a.value, value, "")
	if n := len(a.routes.ends); n > 1 && !c.Failed() {
		bytes = n * len(value)
	}
	return bytes
}

// find finds the values to set, or the member to add.
func (a *assignment) find(c *engine.Call, d *json.Doc, p *path.Path) {
	m := workspaceOf(c).find(c, d, p, anything)
	if m.len() == 1 && len(m.routes.ends) == 0 {
		m.routes.add(d, m.only, nil)
	}
	a.routes = routes{b: slices.Clone(m.routes.b), ends: slices.Clone(m.routes.ends)}
	if m.len() > 0 || c.Failed() {
		return
	}
	if object, name, ok := addition(c, d, p); ok {
		a.routes.add(d, object, nil)
		a.adds, a.name = true, name
	}
}

// apply changes the key.
func (a *assignment) apply(c *engine.Call) {
	w, d := workspaceOf(c), edited(c, a.key)
	switch {
	case a.root:
		c.DB.Set(a.key, w.stored(c, a.value), d != nil)
		changed(c, a.key, "json.mset")
		return
	case d == nil:
		return
	}
	done := false
	for i := range a.routes.ends {
		done = a.set(w, d, a.routes.at(i)) || done
	}
	if done {
		changed(c, a.key, "json.mset")
	}
}

// set sets the value at the end of a route, or adds the member there, and reports whether it did.
func (a *assignment) set(w *workspace, d *json.Doc, r route) bool {
	v := w.docs[a.value].Root()
	at, _, ok := r.follow(d, nil)
	switch {
	case !ok:
		return false
	case a.adds:
		return addMember(&w.editor, d, at, a.name, v)
	}
	w.editor.Set(d, at, v)
	return true
}

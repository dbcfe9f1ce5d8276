package json

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// matches is what the path of a command finds that changes a document: the place of the only value,
// or the routes to several. Before Redis 8.2 a value to which a filter on an object has led cannot
// be changed: its route leads nowhere.
type matches struct {
	only   json.Place
	fits   []bool // for each, whether it is what the command is about
	some   bool   // one of them is
	loses  bool   // what a filter on an object leads to
	lost   bool   // a filter led to members
	routes routes
	place  json.Place // scratch
}

// len returns how many values were found.
func (m *matches) len() int { return len(m.fits) }

func (m *matches) large() bool { return cap(m.fits) > keptBytes || cap(m.routes.b) > keptBytes }

// routeBytes is what the routes to the values of any document may take. Those of a large document
// may take routeShare times the bytes of it.
const (
	routeBytes = 4 << 20
	routeShare = 4
)

// find finds what matches a path. An error is latched.
func (w *workspace) find(c *engine.Call, d *json.Doc, p *path.Path, fits func(v json.Value) bool) *matches {
	m, f := &w.matches, &w.finder
	m.fits, m.some, m.loses, m.lost = m.fits[:0], false, !c.Has(findsAll), false
	m.routes.reset()
	if c.Failed() {
		return m
	}
	for f.Find(p, d.Root()); f.Next(); {
		refuseDeep(c, f.Place())
		m.add(d, f, fits(f.Value()))
		if n := len(m.routes.b); n > routeBytes && n > routeShare*d.Bytes() {
			c.Refuse(command.Error("ERR " + path.ErrTooMuch.Error()))
			return m
		}
	}
	refusePath(c, f)
	return m
}

// findsAll is since when commands change all that a path leads to.
var findsAll = release.From("8.2.0")

// maxPlace is how deep the values lie that a command changes. It puts a text of up to json.MaxDepth
// levels into one, or into a member that it adds.
const maxPlace = json.MaxLevels - 2*json.MaxDepth

// refuseDeep latches the error of a place that is too deep.
func refuseDeep(c *engine.Call, at json.Place) {
	if len(at) > maxPlace {
		c.Refuse(errDeep)
	}
}

// anything is what a command is about that is about all values.
func anything(json.Value) bool { return true }

// add adds the value that was found.
func (m *matches) add(d *json.Doc, f *path.Finder, fits bool) {
	m.fits, m.some = append(m.fits, fits), m.some || fits
	var filtered func(level int) bool
	if m.loses && f.FilteredMember() {
		filtered, m.lost = f.Filtered, true
	}
	switch {
	case len(m.fits) == 1 && filtered == nil:
		m.only = append(m.only[:0], f.Place()...)
		return
	case len(m.fits) == 2 && len(m.routes.ends) == 0:
		m.routes.add(d, m.only, nil)
	}
	m.routes.add(d, f.Place(), filtered)
}

// follow returns the place and the value of match i; ok is false if there is none any more.
func (m *matches) follow(d *json.Doc, i int) (at json.Place, v json.Value, ok bool) {
	if len(m.routes.ends) == 0 {
		return m.only, d.At(m.only), true
	}
	m.place, v, ok = m.routes.at(i).follow(d, m.place)
	return m.place, v, ok
}

// target is a document that a command changes where a path leads.
type target struct {
	c       *engine.Call
	w       *workspace
	key     []byte
	doc     *json.Doc
	path    *path.Path
	text    []byte // the path as errors show it, if it is not as the others do
	matches *matches
	turn    int  // the match whose turn it is
	mayGo   bool // a match may be gone when its turn comes
	done    int  // changes
}

// find returns the target of a command; false if an error was latched.
func find(c *engine.Call, key, text []byte, fits func(v json.Value) bool) (t target, ok bool) {
	t = target{c: c, w: workspaceOf(c), key: key, doc: existing(c, key)}
	if t.path = parsePath(c, text); t.path == nil {
		return t, false
	}
	t.matches = t.w.find(c, t.doc, t.path, fits)
	return t, !c.Failed()
}

// fits reports whether the match whose turn it is was what the command is about when it was found.
func (t *target) fits() bool { return t.matches.fits[t.turn] }

// each calls change for each match with the value that is there when its turn comes: none, if it
// does not fit. It stops after an error, for which all is undone, and reports whether there was
// none. mayFail is false if there can be none after the first change.
func (t *target) each(mayFail bool, change func(at json.Place, v json.Value)) bool {
	var before *json.Doc
	if n := t.matches.len(); n > 1 && (mayFail || t.matches.lost) {
		before = t.doc.Clone().(*json.Doc)
	}
	for t.turn = 0; t.turn < t.matches.len() && !t.c.Failed(); t.turn++ {
		if !t.fits() {
			change(nil, json.Value{})
			continue
		}
		at, v, ok := t.matches.follow(t.doc, t.turn)
		switch {
		case ok:
			change(at, v)
		case t.mayGo:
			change(nil, json.Value{})
		default:
			t.c.Refuse(errGone)
		}
	}
	if t.c.Failed() && t.done > 0 {
		t.doc.Assign(before)
		t.c.DB.Commit(t.key)
	}
	return !t.c.Failed()
}

// reserve latches engine.ErrOOM if there is no room for so many bytes at each of several matches.
func (t *target) reserve(bytes int) { t.matches.reserve(t.c, bytes) }

func (m *matches) reserve(c *engine.Call, bytes int) {
	if n := m.len(); n > 1 && bytes > 0 && n > c.World.Room()/bytes {
		c.Refuse(engine.ErrOOM)
	}
}

// end reports the changes, if there were any.
func (t *target) end(event string) {
	if t.done > 0 {
		changed(t.c, t.key, event)
	}
}

// refuse latches the error of a legacy path that found nothing of the kind.
func (t *target) refuse(not string) {
	if t.text != nil {
		t.c.Refuse(command.Errorf(not, path.Shown(t.text)))
	} else {
		t.c.Refuse(command.Errorf(not, t.path))
	}
}

// integers is the replies of a command that replies with an integer for each value.
type integers struct {
	list []int64
	some bool // one at least is not nil
}

// none stands for nil.
const none = math.MinInt64

func (n *integers) add(i int64) {
	n.list = append(n.list, i)
	n.some = n.some || i != none
}

// reply replies with all integers, or with a legacy path with the last one. not says what a legacy
// path is that found none.
func (n *integers) reply(t *target, not string) {
	switch {
	case !t.path.Legacy():
		t.c.Reply.Array(len(n.list))
		for _, i := range n.list {
			if i == none {
				t.c.Reply.Null()
			} else {
				t.c.Reply.Int(i)
			}
		}
	case !n.some:
		t.refuse(not)
	default:
		t.c.Reply.Int(n.last())
	}
	t.w.numbers = n.list[:0]
}

// last returns the last integer.
func (n *integers) last() (last int64) {
	for _, i := range n.list {
		if i != none {
			last = i
		}
	}
	return last
}

package json

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/json"
)

// routes are the ways to several values by names and indices, as RedisJSON keeps what a path has
// found: each leads to what is there when it is followed, while a command changes several values.
type routes struct {
	b    []byte // turns, one after the other
	ends []int  // of each route
}

// turn is a step of a route: into an object by name, into an array by index, or nowhere.
type turn struct {
	kind  uint64
	index int
	name  []byte // belongs to the routes
}

// The kinds of turns. A turn is a varint, 4 times its index or the length of its name, and the
// kind; and the name.
const (
	element uint64 = iota
	member
	nowhere
)

// route is what is left of a route.
type route []byte

func (r *routes) reset() { r.b, r.ends = r.b[:0], r.ends[:0] }

// at returns route i.
func (r *routes) at(i int) route {
	if i == 0 {
		return r.b[:r.ends[0]]
	}
	return r.b[r.ends[i-1]:r.ends[i]]
}

// add adds the route to a place. A turn leads nowhere at the levels for which filtered is true; it
// is nil if there are none.
func (r *routes) add(d *json.Doc, at json.Place, filtered func(level int) bool) {
	v := d.Root()
	for level, child := range at {
		isArray, last := v.Kind() == json.Array, level == len(at)-1
		var name []byte
		if !isArray || !last { // the last element need not be looked for
			name, v = v.Child(int(child))
		}
		switch {
		case filtered != nil && filtered(level):
			r.b = appendTurn(r.b, nowhere, 0)
		case isArray:
			r.b = appendTurn(r.b, element, int(child))
		default:
			r.b = append(appendTurn(r.b, member, len(name)), name...)
		}
	}
	r.ends = append(r.ends, len(r.b))
}

// appendTurn appends a turn without its name.
func appendTurn(dst []byte, kind uint64, index int) []byte {
	return binary.AppendUvarint(dst, uint64(index)<<2|kind)
}

// next takes the next turn of a route.
func (r *route) next() (t turn) {
	head, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	t.kind, t.index = head&3, int(head>>2)
	if t.kind == member {
		t.name, *r = (*r)[:t.index], (*r)[t.index:]
	}
	return t
}

// follow returns the place to which a route leads, in the memory of room, and the value there; ok
// is false if it leads nowhere any more.
func (r route) follow(d *json.Doc, room json.Place) (at json.Place, v json.Value, ok bool) {
	at, v = room[:0], d.Root()
	for len(r) > 0 {
		t := r.next()
		i := t.index
		switch kind := v.Kind(); {
		case t.kind == member && kind == json.Object:
			v, i, ok = v.Member(t.name)
		case t.kind == element && kind == json.Array:
			v, ok = v.Element(i)
		default:
			ok = false
		}
		if !ok {
			return at, v, false
		}
		at = append(at, uint32(i))
	}
	return at, v, true
}

// somewhere reports whether the route leads somewhere.
func (r route) somewhere() bool {
	for len(r) > 0 {
		if t := r.next(); t.kind == nowhere {
			return false
		}
	}
	return true
}

// String returns the route as RedisJSON compares it with others.
func (r route) String() string {
	var text []byte
	for len(r) > 0 {
		text = append(text, ',')
		switch t := r.next(); t.kind {
		case member:
			text = append(text, t.name...)
		case element:
			text = strconv.AppendInt(text, int64(t.index), 10)
		default:
			text = append(text, 0)
		}
	}
	return string(text)
}

// inOrder orders routes so that no deletion moves what a later one is to find: elements from the
// last one on, members by name.
func inOrder(a, b route) int {
	for len(a) > 0 && len(b) > 0 {
		x, y := a.next(), b.next()
		if order := bytes.Compare(x.name, y.name); order != 0 {
			return order
		}
		if x.kind == element && x.index != y.index {
			return y.index - x.index
		}
	}
	return len(b) - len(a)
}

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
	last int    // bytes of the last route
	way  []passed
}

// passed is a container on the way of the last route but the root: which child it is of the one
// before, and where its turn ends in the route.
type passed struct {
	child uint32
	v     json.Value
	end   int
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

func (r *routes) reset() { r.b, r.ends, r.last, r.way = r.b[:0], r.ends[:0], 0, r.way[:0] }

// at returns route i.
func (r *routes) at(i int) route {
	if i == 0 {
		return r.b[:r.ends[0]]
	}
	return r.b[r.ends[i-1]:r.ends[i]]
}

// add adds the route to a place. A turn leads nowhere at the levels for which filtered is true; it
// is nil if there are none. The document must be as it was for the routes before.
func (r *routes) add(d *json.Doc, at json.Place, filtered func(level int) bool) {
	shared := 0
	for shared < len(r.way) && shared < len(at)-1 && r.way[shared].child == at[shared] && filtered == nil {
		shared++
	}
	v, from := d.Root(), len(r.b)
	if r.way = r.way[:shared]; shared > 0 {
		v = r.way[shared-1].v
		start := len(r.b) - r.last
		r.b = append(r.b, r.b[start:start+r.way[shared-1].end]...)
	}
	for level := shared; level < len(at); level++ {
		child := at[level]
		isArray := v.Kind() == json.Array
		var name []byte
		if !isArray || level < len(at)-1 { // the last element need not be looked for
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
		if filtered == nil && level < len(at)-1 {
			r.way = append(r.way, passed{child, v, len(r.b) - from})
		}
	}
	r.last = len(r.b) - from
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

// somewhere returns those of some routes that lead somewhere.
func (r *routes) somewhere(of []int) (some []route) {
	for _, i := range of {
		if one := r.at(i); one.somewhere() {
			some = append(some, one)
		}
	}
	return some
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

// texts returns the routes as RedisJSON compares them with each other.
func (r *routes) texts() []string {
	var all []byte
	ends := make([]int, len(r.ends))
	for i := range ends {
		all = r.at(i).appendText(all)
		ends[i] = len(all)
	}
	text, from := string(all), 0
	list := make([]string, len(ends))
	for i, end := range ends {
		list[i], from = text[from:end], end
	}
	return list
}

func (r route) appendText(dst []byte) []byte {
	for len(r) > 0 {
		dst = append(dst, ',')
		switch t := r.next(); t.kind {
		case member:
			dst = append(dst, t.name...)
		case element:
			dst = strconv.AppendInt(dst, int64(t.index), 10)
		default:
			dst = append(dst, 0)
		}
	}
	return dst
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

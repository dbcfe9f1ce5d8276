package keyspace

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// views lends out the values that stand for packed entries. They are reused from command to
// command, so that a lookup allocates nothing.
type views struct {
	strs   arena[str.Value, *str.Value]
	hashes arena[hash.Hash, *hash.Hash]
	zsets  arena[zset.Set, *zset.Set]
	lists  arena[list.List, *list.List]
	sets   arena[set.Set, *set.Set]
	open   []openView
	given  str.Value // what String and Int return
}

// openView is a value lent for changing, until it is settled.
type openView struct {
	db      *DB
	key     []byte
	value   Value
	created bool // by Create: the key was absent
}

// arena is a stock of views of one type, each with a scratch buffer to change packed bytes in.
type arena[T any, P interface {
	*T
	Value
}] struct {
	slots []*slot[T]
	used  int
}

type slot[T any] struct {
	value T
	buf   []byte
}

const (
	scratchCap = packMax + 512
	arenaKept  = 256     // slots that outlive a command
	largeValue = 1 << 20 // bytes of a value that nothing may keep alive once it is gone
)

func (a *arena[T, P]) next() *slot[T] {
	if a.used == len(a.slots) {
		a.slots = append(a.slots, new(slot[T]))
	}
	a.used++
	return a.slots[a.used-1]
}

// scratch returns the slot's buffer, empty.
func (s *slot[T]) scratch() []byte {
	if s.buf == nil {
		s.buf = make([]byte, 0, scratchCap)
	}
	return s.buf[:0]
}

// hold returns payload, or if scratch a copy of it in the slot's buffer.
func (s *slot[T]) hold(payload []byte, scratch bool) []byte {
	if !scratch {
		return payload
	}
	return append(s.scratch(), payload...)
}

func (a *arena[T, P]) owns(v Value) bool {
	p, ok := v.(P)
	return ok && slices.ContainsFunc(a.slots[:a.used], func(s *slot[T]) bool { return &s.value == (*T)(p) })
}

// move returns a view of this arena on the heap, with the memory that it built; nil for any other value.
func (a *arena[T, P]) move(v Value) Value {
	if !a.owns(v) {
		return nil
	}
	c := *v.(P)
	return P(&c)
}

// reset takes all views back. What a command with very many keys needed goes to the collector.
func (a *arena[T, P]) reset() {
	if a.used > arenaKept {
		a.slots = slices.Clone(a.slots[:arenaKept])
	}
	a.used = 0
}

// trim gives up the views that are not lent.
func (a *arena[T, P]) trim() { a.slots = slices.Clone(a.slots[:a.used]) }

// release gives up what is not lent, which may still point to large values that are gone.
func (v *views) release() {
	v.strs.trim()
	v.hashes.trim()
	v.zsets.trim()
	v.lists.trim()
	v.sets.trim()
	clear(v.open[len(v.open):cap(v.open)])
}

func (v *views) reset() {
	v.strs.reset()
	v.hashes.reset()
	v.zsets.reset()
	v.lists.reset()
	v.sets.reset()
	v.open = v.open[:0]
}

func (v *views) owns(val Value) bool {
	return val == Value(&v.given) || v.strs.owns(val) || v.hashes.owns(val) || v.zsets.owns(val) ||
		v.lists.owns(val) || v.sets.owns(val)
}

// keep returns a view as a value of its own on the heap, for a box, and any other value as it is. What
// the view built in memory of its own is taken over; everything else is copied, since it may be borrowed.
func (v *views) keep(val Value) Value {
	if !v.owns(val) {
		return val
	}
	if _, packed := val.Packed(); packed {
		return val.Clone()
	}
	return cmp.Or(v.hashes.move(val), v.zsets.move(val), v.lists.move(val), v.sets.move(val))
}

// read returns a view that aliases a packed entry, or the boxed value.
func (v *views) read(e entry) Value {
	if e.head().kind() == boxed {
		return e.box().value
	}
	return v.unpack(e.head().kind(), e.payload(), false)
}

// write returns a view on a copy of a packed entry, or the boxed value.
func (v *views) write(e entry) Value {
	if e.head().kind() == boxed {
		return e.box().value
	}
	return v.unpack(e.head().kind(), e.payload(), true)
}

// unpack returns a view on a payload, or if scratch on a copy of it.
func (v *views) unpack(k kind, payload []byte, scratch bool) Value {
	switch k {
	case packedZSet:
		s := v.zsets.next()
		s.value = zset.Of(s.hold(payload, scratch))
		return &s.value
	case packedHash:
		s := v.hashes.next()
		s.value = hash.Of(s.hold(payload, scratch))
		return &s.value
	case packedList:
		s := v.lists.next()
		s.value = list.Of(s.hold(payload, scratch))
		return &s.value
	case packedSet:
		s := v.sets.next()
		s.value = set.Of(s.hold(payload, scratch))
		return &s.value
	case packedInt:
		s := v.strs.next()
		s.value = str.OfPackedInt(payload)
		return &s.value
	default:
		s := v.strs.next()
		form := str.Embstr
		if k == packedRaw {
			form = str.Raw
		}
		s.value = str.OfForm(s.hold(payload, scratch), form)
		return &s.value
	}
}

// fresh returns an empty view of type t; a stream, which is never packed, is on the heap.
func (v *views) fresh(t Type) Value {
	switch t {
	case Stream:
		return new(stream.Stream)
	case String:
		return v.unpack(packedEmbstr, nil, false)
	case Set:
		return v.unpack(packedSet, nil, true)
	}
	return v.unpack(packedKinds[t], emptyList, true)
}

// String returns the string b as a value for Set, encoded as Redis would encode it. It aliases b
// and is valid until the next call of String, Text, Raw or Int.
func (ks *Keyspace) String(b []byte) *str.Value { return ks.give(str.Of(b)) }

// Text is String for computed text, which Redis does not turn into an int.
func (ks *Keyspace) Text(b []byte) *str.Value { return ks.give(str.OfText(b)) }

// Raw is String for bytes that are no text, such as a bitmap, which Redis leaves as they are.
func (ks *Keyspace) Raw(b []byte) *str.Value { return ks.give(str.OfForm(b, str.Raw)) }

// Int returns the integer n as a value for Set, valid until the next call of String, Text, Raw or Int.
func (ks *Keyspace) Int(n int64) *str.Value { return ks.give(str.OfInt(n)) }

func (ks *Keyspace) give(v str.Value) *str.Value {
	ks.views.given = v
	return &ks.views.given
}

func (v *views) opened(db *DB, key []byte, val Value, created bool) {
	v.open = append(v.open, openView{db, key, val, created})
}

// close returns the view last opened for key and forgets all that were; ok is false if none is.
func (v *views) close(db *DB, key string) (last openView, ok bool) {
	for i := len(v.open) - 1; i >= 0; i-- {
		if v.open[i].of(db, key) {
			last = v.open[i]
			v.forget(db, key)
			return last, true
		}
	}
	return last, false
}

// forget forgets the views opened for key: it was written otherwise.
func (v *views) forget(db *DB, key string) {
	switch {
	case len(v.open) == 0:
	case len(v.open) == 1 && v.open[0].of(db, key):
		v.open = v.open[:0]
	default:
		v.open = slices.DeleteFunc(v.open, func(o openView) bool { return o.of(db, key) })
	}
}

func (o *openView) of(db *DB, key string) bool { return o.db == db && view(o.key) == key }

// forgetAll forgets the views opened in db.
func (v *views) forgetAll(db *DB) {
	v.open = slices.DeleteFunc(v.open, func(o openView) bool { return o.db == db })
}

var emptyList = ziplist.New()

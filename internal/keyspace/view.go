package keyspace

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// views lends out the values that stand for packed entries. They are reused from command to
// command, so that a lookup allocates nothing.
type views struct {
	ks     *Keyspace // whose types the values have
	strs   pool[str.Value, *str.Value]
	hashes pool[hash.Hash, *hash.Hash]
	zsets  pool[zset.Set, *zset.Set]
	lists  pool[list.List, *list.List]
	sets   pool[set.Set, *set.Set]
	others [kindMask - packedOther + 1]others
	edits  []edit
	given  str.Value // what String and Int return
}

// edit is a value lent for changing, until it is committed.
type edit struct {
	db      *DB
	key     []byte
	value   Value
	created bool // by Create: the key was absent
}

// pool is a stock of views of one type, each with a scratch buffer to change packed bytes in.
type pool[T any, P interface {
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
	scratchCap = copyMax + 512
	poolKept   = 256     // slots that outlive a command
	largeValue = 1 << 20 // bytes of a value that nothing may keep alive once it is gone
)

func (a *pool[T, P]) lend() *slot[T] {
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

// payload returns payload, or if scratch a copy of it in the slot's buffer.
func (s *slot[T]) payload(payload []byte, scratch bool) []byte {
	if !scratch {
		return payload
	}
	return append(s.scratch(), payload...)
}

func (a *pool[T, P]) owns(v Value) bool {
	p, ok := v.(P)
	return ok && slices.ContainsFunc(a.slots[:a.used], func(s *slot[T]) bool { return &s.value == (*T)(p) })
}

// detach returns a copy of a view of this pool on the heap, which takes over the memory that the
// view built; nil for any other value.
func (a *pool[T, P]) detach(v Value) Value {
	if !a.owns(v) {
		return nil
	}
	c := *v.(P)
	return P(&c)
}

// reset ends the life of all views. Those that a command with very many keys needed are freed.
func (a *pool[T, P]) reset() {
	if a.used > poolKept {
		a.slots = slices.Clone(a.slots[:poolKept])
	}
	a.used = 0
}

// trim frees the views that are not lent.
func (a *pool[T, P]) trim() { a.slots = slices.Clone(a.slots[:a.used]) }

// release frees the views that are not lent: they may still point to large values that are gone.
func (v *views) release() {
	v.strs.trim()
	v.hashes.trim()
	v.zsets.trim()
	v.lists.trim()
	v.sets.trim()
	for i := range v.others {
		v.others[i].trim()
	}
	clear(v.edits[len(v.edits):cap(v.edits)])
}

func (v *views) reset() {
	v.strs.reset()
	v.hashes.reset()
	v.zsets.reset()
	v.lists.reset()
	v.sets.reset()
	for i := range v.others {
		v.others[i].reset()
	}
	v.edits = v.edits[:0]
}

func (v *views) owns(val Value) bool {
	return val == Value(&v.given) || v.strs.owns(val) || v.hashes.owns(val) || v.zsets.owns(val) ||
		v.lists.owns(val) || v.sets.owns(val) || v.ownerOf(val) != nil
}

// keep returns a view as a value of its own on the heap, for a box, and any other value as it is.
// What the view built in memory of its own is taken over; everything else is copied, since it may
// be borrowed.
func (v *views) keep(val Value) Value {
	if !v.owns(val) {
		return val
	}
	if text, ok := val.(*str.Value); ok && v.grown(text) {
		return v.strs.detach(val)
	}
	if _, packed := val.Packed(); packed {
		return val.Clone()
	}
	if o := v.ownerOf(val); o != nil {
		return o.detach(val)
	}
	return cmp.Or(v.hashes.detach(val), v.zsets.detach(val), v.lists.detach(val), v.sets.detach(val))
}

// grown reports whether text is a view whose text grew so large that it has memory of its own.
func (v *views) grown(text *str.Value) bool { return text.Bytes() >= largeValue && v.strs.owns(text) }

// read returns a view that aliases a packed entry, or the boxed value.
func (v *views) read(e entry) Value {
	if e.head().kind() == boxed {
		return e.box().value
	}
	return v.unpack(e.head().kind(), e.payload(), false)
}

// write returns a view on a copy of a small packed entry, on a large one itself, or the boxed
// value.
func (v *views) write(e entry) Value {
	h := e.head()
	switch {
	case h.kind() == boxed:
		return e.box().value
	case h.vlen > copyMax:
		return v.unpack(h.kind(), e.roomyPayload(), false)
	}
	return v.unpack(h.kind(), e.payload(), true)
}

// unpack returns a view on a payload, or if scratch on a copy of it.
func (v *views) unpack(k kind, payload []byte, scratch bool) Value {
	switch k {
	case packedZSet:
		s := v.zsets.lend()
		s.value = zset.Of(s.payload(payload, scratch))
		return &s.value
	case packedHash:
		s := v.hashes.lend()
		s.value = hash.Of(s.payload(payload, scratch))
		return &s.value
	case packedList:
		s := v.lists.lend()
		s.value = list.Of(s.payload(payload, scratch))
		return &s.value
	case packedSet:
		s := v.sets.lend()
		s.value = set.Of(s.payload(payload, scratch))
		return &s.value
	case packedInt:
		s := v.strs.lend()
		s.value = str.OfPackedInt(payload)
		return &s.value
	default:
		if k >= packedOther {
			return v.others[k-packedOther].unpack(v.ks.otherType(k), payload, scratch)
		}
		s := v.strs.lend()
		form := str.Embstr
		if k == packedRaw {
			form = str.Raw
		}
		s.value = str.OfEnc(s.payload(payload, scratch), form)
		return &s.value
	}
}

// create returns an empty view of type t. A value of a type without a packed form is on the heap.
func (v *views) create(t Type) Value {
	switch {
	case t.New != nil:
		return t.New()
	case t == String:
		return v.unpack(packedEmbstr, nil, false)
	case t == Set:
		return v.unpack(packedSet, nil, true)
	}
	return v.unpack(packedKind(t), emptyList, true)
}

// String returns the string b as a value for Set, encoded as Redis would encode it. It aliases b
// and is valid until the next call of String, Text, Raw or Int.
func (ks *Keyspace) String(b []byte) *str.Value { return ks.lendText(str.Of(b)) }

// Text is String for computed text, which Redis does not turn into an int.
func (ks *Keyspace) Text(b []byte) *str.Value { return ks.lendText(str.OfText(b)) }

// Raw is String for bytes that are no text, such as a bitmap, which Redis leaves as they are.
func (ks *Keyspace) Raw(b []byte) *str.Value { return ks.lendText(str.OfEnc(b, str.Raw)) }

// Int returns the integer n as a value for Set, valid until the next call of String, Text, Raw or
// Int.
func (ks *Keyspace) Int(n int64) *str.Value { return ks.lendText(str.OfInt(n)) }

func (ks *Keyspace) lendText(v str.Value) *str.Value {
	ks.views.given = v
	return &ks.views.given
}

func (v *views) beginEdit(db *DB, key []byte, val Value, created bool) {
	v.edits = append(v.edits, edit{db, key, val, created})
}

// endEdit returns the view last opened for key and forgets all that were; ok is false if none is.
func (v *views) endEdit(db *DB, key string) (last edit, ok bool) {
	for i := len(v.edits) - 1; i >= 0; i-- {
		if v.edits[i].isOf(db, key) {
			last = v.edits[i]
			v.forgetEdits(db, key)
			return last, true
		}
	}
	return last, false
}

// forgetEdits forgets the views opened for key: it was written otherwise.
func (v *views) forgetEdits(db *DB, key string) {
	switch {
	case len(v.edits) == 0:
	case len(v.edits) == 1 && v.edits[0].isOf(db, key):
		v.edits = v.edits[:0]
	default:
		v.edits = slices.DeleteFunc(v.edits, func(o edit) bool { return o.isOf(db, key) })
	}
}

func (o *edit) isOf(db *DB, key string) bool { return o.db == db && dict.Key(o.key) == key }

// forgetAllEdits forgets the views opened in db.
func (v *views) forgetAllEdits(db *DB) {
	v.edits = slices.DeleteFunc(v.edits, func(o edit) bool { return o.db == db })
}

var emptyList = ziplist.New()

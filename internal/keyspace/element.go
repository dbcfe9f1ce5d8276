package keyspace

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Elements of hashes, sets, sorted sets and lists may have deadlines of their own. The collection
// keeps them (package expiry); the keyspace hides elements that are due: a lookup first removes the
// due elements of the value, and the key if none is left. So every command is right without knowing
// of deadlines.
//
// Reap has an index of its own for them, with one item for each key whose value has such deadlines,
// at the time when the next of them may be due. It is lazy like the other one: an item that comes
// up too early moves to its real place.

// Collection is a value whose elements may have deadlines, in milliseconds since the epoch, from 1
// to MaxElementDeadline; 0 stands for none. An element is named as in commands: by a field, a
// member, the text of a list's elements.
type Collection interface {
	Value
	// Volatile returns how many elements have a deadline. O(1).
	Volatile() int
	// DeadlineBytes returns the bytes that the deadlines take, part of Bytes. O(1).
	DeadlineBytes() int
	// NextDeadline returns a time before which no element is due, 0 if none has a deadline. O(1).
	NextDeadline() int64
	// Deadline returns an element's deadline; ok is false if there is no such element.
	Deadline(element []byte) (deadline int64, ok bool)
	// SetDeadline sets an element's deadline and reports whether there is such an element. The
	// value must come from Edit, and Commit must follow.
	SetDeadline(element []byte, deadline int64, dice func(n uint64) uint64) bool
	// Discard removes an element, of a list all of that text, and reports whether there was one.
	Discard(element []byte) bool
	// Deadlines calls fn for each element that has a deadline until fn returns false; fn must not
	// change the collection. The element aliases it.
	Deadlines(fn func(element []byte, deadline int64) bool)
	// Expire removes elements that are due, about most of them at most, and returns how many. It
	// calls fn, unless nil, with each before it is removed.
	Expire(now int64, most int, fn func(element []byte)) (removed int)
}

// Sequence is a Collection of elements that may be equal. Their indexes, from 0, tell them apart.
type Sequence interface {
	Collection
	// DeadlineAt returns the deadline of an element that exists. O(1).
	DeadlineAt(i int) int64
	// SetDeadlineAt is SetDeadline for an element that exists.
	SetDeadlineAt(i int, deadline int64)
}

var _, _, _, _ Collection = (*hash.Hash)(nil), (*set.Set)(nil), (*zset.Set)(nil), (*list.List)(nil)

// ExpiredElements are the elements of a key's value that were removed because they had become due.
type ExpiredElements struct {
	Type    Type
	Count   int
	Names   [][]byte // their texts, if Keyspace.NameExpired is set; valid during the call
	Emptied bool     // they were the last: the key is gone
}

// MaxElementDeadline is the last deadline that an element can have.
const MaxElementDeadline = expiry.Max

// unlimited is a number of elements that no collection has.
const unlimited = math.MaxInt

// volatileIn returns the collection in an entry, nil if its elements have no deadlines.
func volatileIn(e entry) Collection {
	if e.head().kind() != boxed {
		return nil
	}
	if v, ok := e.box().value.(Collection); ok && v.Volatile() > 0 {
		return v
	}
	return nil
}

// elementIndex has an item for each key whose value has elements with deadlines.
type elementIndex struct{ index *deadlines.Index }

// update keeps the index true after an entry's value was changed.
func (x *elementIndex) update(e entry, hash uint64) {
	v := volatileIn(e)
	if v == nil {
		x.remove(e, hash)
		return
	}
	b, next := e.box(), v.NextDeadline()
	if e.head().hasFlag(hasElementDeadlines) {
		if b.elementItem <= next+reapPause(v) {
			return
		}
		x.index.Delete(deadlines.Item{At: b.elementItem, Code: dict.Code(hash)})
	}
	x.put(e, dict.Code(hash), next)
}

// put adds an entry's item.
func (x *elementIndex) put(e entry, code uint32, at int64) {
	e.head().setFlag(hasElementDeadlines)
	e.box().elementItem = at
	x.index.Insert(deadlines.Item{At: at, Code: code})
}

// remove removes an entry's item, if it has one.
func (x *elementIndex) remove(e entry, hash uint64) {
	if h := e.head(); h.hasFlag(hasElementDeadlines) {
		h.clearFlag(hasElementDeadlines)
		x.index.Delete(deadlines.Item{At: e.box().elementItem, Code: dict.Code(hash)})
	}
}

// reapPause returns for how many milliseconds the active side leaves a collection alone. A sequence
// has to be walked to find what is due in it, and a long one should not be walked all the time.
// Readers do not wait for the active side.
func reapPause(v Collection) int64 {
	if _, walked := v.(Sequence); walked {
		return int64(v.Len() >> 14)
	}
	return 0
}

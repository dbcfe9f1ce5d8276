package set

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// table is the encoding of a large set.
type table struct {
	index     dict.Index
	members   arena.Arena // a cell with the text of each
	seed      uint64
	deadlines *expiry.Table
	cursor    uint64 // of the walk that compacts members
	frozen    *walk  // nil unless a snapshot is under way
}

// member names a member of a table.
type member = arena.Ref

// newTable returns an empty table with room for n members.
func newTable(n int, seed uint64) *table {
	t := &table{seed: seed}
	t.index.Reserve(n)
	return t
}

func (t *table) bytes() int {
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.index.Bytes() + t.members.Bytes() + t.deadlines.Bytes()
}

// text returns a member's text, which aliases its cell; never nil.
func (t *table) text(m member) []byte { return arena.Text(t.members.At(m)) }

// entry returns the member as a packed set would hand it out.
func (t *table) entry(m member) ziplist.Entry { return ziplist.Entry{Str: t.text(m)} }

// HashOf returns the hash of a member, for the index.
func (t *table) HashOf(m member) uint64 { return dict.Hash(t.seed, arena.Key(t.members.At(m))) }

// find returns the slot of a member, nil if there is none, and the hash.
func (t *table) find(text []byte) (slot *member, h uint64) {
	return t.index.FindText(t.seed, dict.Key(text), t.members.Cells(), 0)
}

// lookup returns the member with the given text, 0 if there is none.
func (t *table) lookup(text []byte) member {
	if slot, _ := t.find(text); slot != nil {
		return *slot
	}
	return 0
}

// add adds a member and reports whether it is new.
func (t *table) add(text []byte) bool {
	slot, h := t.find(text)
	if slot == nil {
		t.insert(h, text)
	}
	return slot == nil
}

// insert adds a member known to be new, whose hash is h.
func (t *table) insert(h uint64, text []byte) {
	if t.frozen != nil {
		t.frozen.added(h, text)
	}
	m := t.members.Alloc(arena.TextSize(len(text)))
	arena.PutText(t.members.At(m), text)
	t.index.Insert(h, m, t)
	if t.members.Compacting() {
		t.compact()
	}
}

// insertNew is insert for a caller that does not know the hash.
func (t *table) insertNew(text []byte) { t.insert(dict.Hash(t.seed, dict.Key(text)), text) }

// deadline returns the deadline of a member, 0 if it has none.
func (t *table) deadline(m member) int64 {
	if t.deadlines == nil {
		return 0
	}
	return t.deadlines.At(m)
}

// setDeadline gives a member the deadline, 0 for none.
func (t *table) setDeadline(m member, deadline int64) {
	t.deadlines = t.deadlines.With(m, deadline, t.members.Memory())
}

func (t *table) remove(text []byte) bool {
	slot, h := t.find(text)
	if slot == nil {
		return false
	}
	m := *slot
	t.preserve(m)
	t.index.Remove(h, slot, t)
	t.setDeadline(m, 0)
	t.members.Free(m, arena.TextSize(len(text)))
	if t.members.Compacting() || t.members.Sparse() {
		t.compact()
	}
	return true
}

// compact moves the members of some chains out of the blocks that are given up.
func (t *table) compact() { t.cursor = t.index.Compact(&t.members, t.cursor, t.move) }

// move moves a member if it has to, and returns its new reference, or the one that it has.
func (t *table) move(m member) member {
	if !t.members.Retired(m) {
		return m
	}
	to := t.members.Move(m, arena.TextSize(len(t.text(m))))
	if t.deadlines != nil {
		t.deadlines.Replace(m, to)
	}
	return to
}

func (t *table) clone() *table {
	return &table{index: *t.index.Clone(), members: t.members.Clone(), seed: t.seed, deadlines: t.deadlines.Clone(),
		cursor: t.cursor}
}

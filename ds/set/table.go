package set

import (
	"encoding/binary"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// table is the encoding of a large set.
type table struct {
	members   dict.Map[member]
	held      int // bytes of the members' blocks
	deadlines *expiry.Table[member]
}

// newTable returns an empty table with room for n members.
func newTable(n int, seed uint64) *table {
	t := &table{}
	t.members.Init(seed).Reserve(n)
	return t
}

func (t *table) bytes() int {
	return sizeclass.Round(int(unsafe.Sizeof(*t))) + t.members.Bytes() + t.held + t.deadlines.Bytes()
}

func (t *table) has(text []byte) bool { return t.members.Lookup(dict.Key(text)) != nil }

// add adds a member and reports whether it is new.
func (t *table) add(text []byte) bool {
	h := t.members.Hash(dict.Key(text))
	if t.members.LookupHash(h, dict.Key(text)) != nil {
		return false
	}
	m := newMember(text)
	t.held += m.bytes()
	t.members.InsertHash(h, m)
	return true
}

// insert adds a member known to be new.
func (t *table) insert(text []byte) member {
	m := newMember(text)
	t.held += m.bytes()
	t.members.Insert(m)
	return m
}

// setDeadline gives a member the deadline, 0 for none.
func (t *table) setDeadline(m member, deadline int64) {
	t.deadlines = t.deadlines.With(t.members.Seed(), m, deadline)
}

func (t *table) remove(text []byte) bool {
	m, ok := t.members.Delete(dict.Key(text))
	if ok {
		t.held -= m.bytes()
		t.setDeadline(m, 0)
	}
	return ok
}

func (t *table) clone() *table {
	c := newTable(t.members.Len(), t.members.Seed())
	t.members.Each(func(m member) bool {
		twin := c.insert(m.text())
		if t.deadlines != nil {
			c.setDeadline(twin, t.deadlines.At(m))
		}
		return true
	})
	return c
}

// member is a member in one block without pointers: the length of the text and the text. A length is
// one byte up to 254, beyond that a byte of 255 and a u32. A block is as large as the allocator
// makes it anyway.
type member struct{ block *byte }

const (
	longLength = 0xFF
	longHead   = 5
)

// newMember returns a member with a copy of text.
func newMember(text []byte) member {
	size := sizeclass.Round(headSize(len(text)) + len(text))
	b := make([]byte, size)
	n := headSize(len(text))
	if n == 1 {
		b[0] = byte(len(text))
	} else {
		b[0] = longLength
		binary.LittleEndian.PutUint32(b[1:], uint32(len(text)))
	}
	copy(b[n:], text)
	return member{unsafe.SliceData(b)}
}

// headSize returns the bytes that store the length n.
func headSize(n int) int {
	if n < longLength {
		return 1
	}
	return longHead
}

// Key returns the text, aliasing the block.
func (m member) Key() string {
	at, n := 1, int(*m.block)
	if n == longLength {
		at, n = longHead, int(binary.LittleEndian.Uint32(unsafe.Slice(m.at(1), 4)))
	}
	return unsafe.String(m.at(at), n)
}

func (m member) at(i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(m.block), i)) }

// text returns the text as bytes, aliasing the block; never nil.
func (m member) text() []byte {
	key := m.Key()
	return unsafe.Slice(unsafe.StringData(key), len(key))
}

// entry returns the member as a packed set would hand it out.
func (m member) entry() ziplist.Entry { return ziplist.Entry{Str: m.text()} }

// bytes returns the size of the block.
func (m member) bytes() int {
	n := len(m.Key())
	return sizeclass.Round(headSize(n) + n)
}

package dict

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Memory is where the tables of a map lie, if not in Go's heap.
type Memory interface {
	// Block returns n bytes that are zero, and how many it takes for them.
	Block(n int) (p unsafe.Pointer, held int)
	// FreeBlock frees a block of n bytes, and returns how many it took. So callbacks of walks must not delete, unlike in other maps.
	FreeBlock(p unsafe.Pointer, n int) (held int)
	// TrimBlock says that n bytes in a block are not written to any more; they may be read, as they are or as zero.
	TrimBlock(p unsafe.Pointer, n int)
}

// trimBytes is how much of a table is emptied before it is trimmed.
const trimBytes = 64 << 10

func (m *Map[E]) newTable(size int) table[E] {
	bytes := size * int(unsafe.Sizeof(bucket[E]{}))
	if m.mem == nil {
		return table[E]{buckets: make([]bucket[E], size), fixed: sizeclass.RoundScanned(bytes)}
	}
	p, held := m.mem.Block(bytes)
	return table[E]{buckets: unsafe.Slice((*bucket[E])(p), size), fixed: held}
}

// drop frees a table that has no elements.
func (m *Map[E]) drop(t *table[E]) {
	if m.mem != nil && t.buckets != nil {
		m.mem.FreeBlock(unsafe.Pointer(unsafe.SliceData(t.buckets)), len(t.buckets)*int(unsafe.Sizeof(bucket[E]{})))
	}
	*t = table[E]{}
}

func (m *Map[E]) newOverflow() *bucket[E] {
	if m.mem == nil {
		return new(bucket[E])
	}
	p, _ := m.mem.Block(int(unsafe.Sizeof(bucket[E]{})))
	return (*bucket[E])(p)
}

func (m *Map[E]) freeOverflow(b *bucket[E]) {
	if m.mem != nil {
		m.mem.FreeBlock(unsafe.Pointer(b), int(unsafe.Sizeof(bucket[E]{})))
	}
}

// trimOld gives back what was moved out of the old table. So two tables take hardly more memory than one.
func (m *Map[E]) trimOld() {
	size := int(unsafe.Sizeof(bucket[E]{}))
	if at := m.moved * size; m.mem != nil && at%trimBytes == 0 && at > 0 {
		m.mem.TrimBlock(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.old.buckets)), at-trimBytes), trimBytes)
	}
}

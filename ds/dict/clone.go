package dict

import "unsafe"

// CloneMemory is a copy of the Memory of a map.
type CloneMemory interface {
	Memory
	// Copy returns the copy of a block of n bytes, and how many bytes it takes.
	Copy(p unsafe.Pointer, n int) (twin unsafe.Pointer, held int)
}

// CloneIn returns a copy of a map that lies in a Memory, with twin(e) in place of each element e. Its tables are in mem, a
// copy of that Memory. A Pause is not copied. O(n).
func (m *Map[E]) CloneIn(mem CloneMemory, twin func(e E) E) *Map[E] {
	return &Map[E]{cur: m.cur.cloneIn(mem, twin), old: m.old.cloneIn(mem, twin), moved: m.moved, n: m.n, seed: m.seed, mem: mem}
}

func (t *table[E]) cloneIn(mem CloneMemory, twin func(e E) E) table[E] {
	if t.buckets == nil {
		return table[E]{}
	}
	size := int(unsafe.Sizeof(bucket[E]{}))
	p, held := mem.Copy(unsafe.Pointer(unsafe.SliceData(t.buckets)), len(t.buckets)*size)
	c := table[E]{buckets: unsafe.Slice((*bucket[E])(p), len(t.buckets)), fixed: held, overflow: t.overflow, deepest: t.deepest}
	for i := range c.buckets {
		for b := &c.buckets[i]; b != nil; b = b.next {
			for j := range b.count() {
				b.slots[j] = twin(b.slots[j])
			}
			if b.next != nil {
				p, _ := mem.Copy(unsafe.Pointer(b.next), size)
				b.next = (*bucket[E])(p)
			}
		}
	}
	return c
}

package aggregate

import "math/bits"

// list is values in blocks, which are never copied: while a list grows it leaves no garbage.
type list[T any] struct {
	blocks [][]T // each but the last has listBlock
	n      int
}

const listBlock = 256

// add adds a value.
func (l *list[T]) add(v T) {
	at := l.n / listBlock
	if at == len(l.blocks) {
		l.blocks = append(l.blocks, make([]T, 0, min(l.n+16, listBlock)))
	}
	l.blocks[at] = append(l.blocks[at], v)
	l.n++
}

// reset makes a list empty, and keeps its memory.
func (l *list[T]) reset() {
	l.n = 0
	for i, block := range l.blocks {
		clear(block)
		l.blocks[i] = block[:0]
	}
}

// at returns a value. It is valid until one is added.
func (l *list[T]) at(i int) *T { return &l.blocks[i/listBlock][i%listBlock] }

// buckets is a hash table as RediSearch has it for groups: with open addressing, three quarters
// full. It has the numbers of what is put into it.
type buckets struct {
	hashes list[uint64] // by number
	items  []int32      // 1 + the number of what is there; 0 for nothing
	spare  []int32      // memory for the next items
	n      int
}

// reset makes a table empty, and keeps its memory: the larger part comes first in the turn in which
// a table of the same size needs it.
func (b *buckets) reset() {
	b.hashes.reset()
	b.items, b.spare, b.n = b.spare[:0], b.items[:0], 0
}

// place returns the first place of a hash to try.
func place(hash uint64, size int) int { return int(uint32(hash>>33^hash^hash<<11)) & (size - 1) }

// free returns where a hash belongs among items.
func free(hash uint64, items []int32) int {
	i := place(hash, len(items))
	for step := 1; items[i] != 0; step++ {
		i = (i + step) & (len(items) - 1)
	}
	return i
}

// find returns the item with a hash of which is reports true; -1 if there is none.
func (b *buckets) find(hash uint64, is func(item int) bool) int {
	if b.n == 0 {
		return -1
	}
	i := place(hash, len(b.items))
	for step := 1; b.items[i] != 0; step++ {
		if item := int(b.items[i]) - 1; *b.hashes.at(item) == hash && is(item) {
			return item
		}
		i = (i + step) & (len(b.items) - 1)
	}
	return -1
}

// put adds the next item, which has a hash, and returns its number.
func (b *buckets) put(hash uint64) int {
	if b.n >= int(float64(len(b.items))*0.77+0.5) {
		b.grow()
	}
	i := free(hash, b.items)
	b.hashes.add(hash)
	b.n++
	b.items[i] = int32(b.n)
	return b.n - 1
}

// grow doubles the table. An item that moves to the place of another one takes it, and the other
// one moves on.
func (b *buckets) grow() {
	size := max(4, 2*len(b.items))
	if cap(b.spare) < size {
		b.spare = make([]int32, size)
	}
	items := b.spare[:size]
	clear(items)
	for j := range b.items {
		item := b.items[j]
		b.items[j] = 0
		for item != 0 {
			i := free(*b.hashes.at(int(item) - 1), items)
			items[i] = item
			if i >= len(b.items) {
				break
			}
			item, b.items[i] = b.items[i], 0
		}
	}
	b.items, b.spare = items, b.items
}

// next returns the first item from a place of the table on, and the place behind it; -1 if there is
// none.
func (b *buckets) next(place int) (item, behind int) {
	for i := place; i < len(b.items); i++ {
		if b.items[i] != 0 {
			return int(b.items[i]) - 1, i + 1
		}
	}
	return -1, len(b.items)
}

// hashSet is different hashes, with open addressing, half full at most.
type hashSet struct {
	slots []uint64 // 0 for nothing
	n     int
	zero  bool // 0 is one of them
}

// add adds a hash, and returns how many more bytes are kept.
func (s *hashSet) add(hash uint64) (bytes int) {
	if hash == 0 {
		if !s.zero {
			s.zero = true
			s.n++
		}
		return 0
	}
	if 2*s.n >= len(s.slots) {
		bytes = s.grow()
	}
	if slot := s.slot(hash); *slot == 0 {
		*slot = hash
		s.n++
	}
	return bytes
}

// slot returns where a hash is, or belongs.
func (s *hashSet) slot(hash uint64) *uint64 {
	i := hash * 0x9e3779b97f4a7c15 >> 32
	for ; ; i++ {
		if slot := &s.slots[i&uint64(len(s.slots)-1)]; *slot == 0 || *slot == hash {
			return slot
		}
	}
}

// grow doubles the room.
func (s *hashSet) grow() (bytes int) {
	old := s.slots
	s.slots = make([]uint64, max(8, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			*s.slot(hash) = hash
		}
	}
	return 8 * (len(s.slots) - len(old))
}

// chains is a hash table as RediSearch has it for lists: each place has a chain, and the table
// grows step by step. It, too, only tells the order.
type chains struct {
	hashes []uint64
	next   []int32 // of an item in its chain, 1 + its number
	tables [2]chainTable
	moved  int // places of the first table whose chains have moved, while there is a second one
}

type chainTable struct {
	heads []int32
	used  int
}

// push puts an item into a table.
func (c *chains) push(t *chainTable, item int32) {
	i := c.hashes[item-1] & uint64(len(t.heads)-1)
	c.next[item-1], t.heads[i] = t.heads[i], item
	t.used++
}

// touch is what every addition begins with, also of what is there.
func (c *chains) touch() {
	first := &c.tables[0]
	if c.tables[1].heads != nil {
		c.step()
	}
	switch {
	case c.tables[1].heads != nil:
	case first.heads == nil:
		first.heads = make([]int32, 4)
	case first.used >= len(first.heads):
		c.tables[1].heads = make([]int32, 1<<bits.Len(uint(2*first.used-1)))
		c.moved = 0
	}
}

// step moves a chain to the second table.
func (c *chains) step() {
	from, to := &c.tables[0], &c.tables[1]
	for visits := 1; from.heads[c.moved] == 0; visits++ {
		c.moved++
		if visits == 10 {
			return
		}
	}
	for item := from.heads[c.moved]; item != 0; {
		next := c.next[item-1]
		c.push(to, item)
		from.used--
		item = next
	}
	from.heads[c.moved] = 0
	c.moved++
	if from.used == 0 {
		c.tables = [2]chainTable{*to}
	}
}

// find returns the item with a hash of which is reports true; -1 if there is none.
func (c *chains) find(hash uint64, is func(item int) bool) int {
	for _, t := range c.tables {
		if t.heads == nil {
			continue
		}
		for item := t.heads[hash&uint64(len(t.heads)-1)]; item != 0; item = c.next[item-1] {
			if c.hashes[item-1] == hash && is(int(item)-1) {
				return int(item) - 1
			}
		}
	}
	return -1
}

// put adds the next item, which has a hash, after touch.
func (c *chains) put(hash uint64) {
	c.hashes, c.next = append(c.hashes, hash), append(c.next, 0)
	into := &c.tables[0]
	if c.tables[1].heads != nil {
		into = &c.tables[1]
	}
	c.push(into, int32(len(c.hashes)))
}

// order returns the items, numbered from 0, in the order of the tables.
func (c *chains) order() (list []int) {
	for _, t := range c.tables {
		for _, head := range t.heads {
			for item := head; item != 0; item = c.next[item-1] {
				list = append(list, int(item)-1)
			}
		}
	}
	return list
}

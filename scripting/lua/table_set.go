package lua

import (
	"math/bits"
	"unsafe"
)

// Set stores v at k without metamethods; nil removes. It throws "table index is nil", "table index
// is NaN".
func (t *Table) Set(L *State, k, v Value) {
	switch {
	case k.IsString():
		t.setString(L, k, hashString(k.str()), v)
	case k.IsNumber():
		t.setNumber(L, k.num(), v)
	case k.IsNil():
		L.fail("table index is nil")
	default:
		t.setNode(L, k, hashOf(k), v)
	}
}

// SetString stores field name without metamethods; nil removes.
func (t *Table) SetString(L *State, name string, v Value) {
	t.setString(L, String(name), hashString(name), v)
}

// SetInt stores element i without metamethods; nil removes. Amortised O(1).
func (t *Table) SetInt(L *State, i int, v Value) {
	if uint(i-1) < uint(len(t.array)) {
		t.setElement(L, i-1, v)
		return
	}
	t.setNode(L, Int(i), hashNumber(float64(i)), v)
}

func (t *Table) setNumber(L *State, f float64, v Value) {
	i := int(f)
	if uint(i-1) < uint(len(t.array)) && float64(i) == f {
		t.setElement(L, i-1, v)
		return
	}
	if f != f {
		L.fail("table index is NaN")
	}
	t.setNode(L, Number(f), hashNumber(f), v)
}

// setElement stores v in array[i] and keeps the count of the dense prefix.
func (t *Table) setElement(L *State, i int, v Value) {
	t.refuse(L)
	t.array[i] = v
	switch d := int(t.dense); {
	case i < d:
		if v.IsNil() {
			t.dense = -1
			if i == d-1 {
				t.dense = int32(i)
			}
		}
	case d >= 0 && !v.IsNil():
		t.dense = -1
		if i == d {
			t.dense = int32(i + 1)
		}
	}
}

// recount finds the dense prefix anew after the array changed as a whole.
func (t *Table) recount(L *State) {
	d := 0
	for d < len(t.array) && !t.array[d].IsNil() {
		L.tickOn(d)
		d++
	}
	t.dense = int32(d)
	for i, v := range t.array[d:] {
		L.tickOn(i)
		if !v.IsNil() {
			t.dense = -1
			return
		}
	}
}

// refuse throws for a read-only table, unless the host itself stores.
func (t *Table) refuse(L *State) {
	if t.readonly && L != nil {
		L.fail("Attempt to modify a readonly table")
	}
}

// setString stores v at string k of that hash. It need not ask whether k is a number, which most
// stores are about.
func (t *Table) setString(L *State, k Value, hash uint32, v Value) {
	t.refuse(L)
	t.absent = 0
	if n := t.findString(k, hash); n != nil {
		n.val = v
		return
	}
	t.insert(L, k, hash).val = v // even nil makes a node, as in Lua 5.1
}

// setNode stores v at k, which belongs to the hash part.
func (t *Table) setNode(L *State, k Value, hash uint32, v Value) {
	t.refuse(L)
	t.absent = 0
	if n := t.find(k, hash); n != nil {
		n.val = v
		return
	}
	if s := t.insert(L, k, hash); s != nil {
		s.val = v
		return
	}
	t.SetInt(L, int(k.num()), v)
}

// insert makes a node for a key that has none and returns it.
// nil means that the hash was full and rebuilding moved the key, a number, into the array.
func (t *Table) insert(L *State, k Value, hash uint32) *node {
	main := t.at(t.slot(k, hash))
	if !main.val.IsNil() || t.node == &emptyNode {
		n := t.freeNode()
		if n == nil {
			t.rehash(L, k)
			if i := arrayIndex(k); i > 0 && i <= len(t.array) {
				return nil
			}
			return t.insert(L, k, hash)
		}
		main = t.displace(main, n)
	}
	main.key, main.hash = k, hash
	return main
}

// displace puts free node n to use because main is taken: if main's key sits where it belongs, the
// new key goes to n behind it; otherwise main's key moves to n and the new key gets main.
func (t *Table) displace(main, n *node) *node {
	other := t.at(t.slot(main.key, main.hash))
	if other == main {
		n.next = 0
		if main.next != 0 {
			n.next = distance(n, main.follow())
		}
		main.next = distance(main, n)
		return n
	}
	for other.follow() != main {
		other = other.follow()
	}
	other.next = distance(other, n)
	n.key, n.val, n.hash, n.next = main.key, main.val, main.hash, 0
	if main.next != 0 {
		n.next = distance(n, main.follow())
	}
	main.next = 0
	main.val = Nil
	return main
}

// distance returns how many nodes lie from one to another of the same allocation.
func distance(from, to *node) int32 {
	return int32((int(uintptr(unsafe.Pointer(to))) - int(uintptr(unsafe.Pointer(from)))) / int(nodeSize))
}

// freeNode returns a node that never had a key, going down; nil when there is none left.
func (t *Table) freeNode() *node {
	for t.free > 0 {
		t.free--
		if n := t.at(t.free); n.key.IsNil() {
			return n
		}
	}
	return nil
}

// arrayIndex returns k as an index the array part may hold, 0 when it is none.
func arrayIndex(k Value) int {
	f, ok := k.AsNumber()
	if !ok || !(f >= 1 && f <= 1<<maxArrayBits) || float64(int(f)) != f {
		return 0
	}
	return int(f)
}

// A census counts integer keys: slice b holds those of 2^(b-1) < k <= 2^b.
type census [maxArrayBits + 1]int

// add counts k and returns 1 if it is an integer that an array may hold.
func (c *census) add(k Value) int {
	i := arrayIndex(k)
	if i == 0 {
		return 0
	}
	c[bits.Len(uint(i-1))]++
	return 1
}

// best returns the largest power of two of which more than half would be used, and how many would.
func (c *census) best(keys int) (size, used int) {
	sum := 0
	for b, power := 0, 1; power/2 < keys; b, power = b+1, power*2 {
		if c[b] > 0 {
			sum += c[b]
			if sum > power/2 {
				size, used = power, sum
			}
		}
		if sum == keys {
			break
		}
	}
	return size, used
}

// rehash chooses new sizes for all keys and the extra one. Sizes decide the order of next and the
// border that # finds, so the rules are C Lua's to the letter: luaH_resize after numusearray and
// numusehash.
func (t *Table) rehash(L *State, extra Value) {
	var count census
	integers := t.countArray(L, &count)
	total := integers
	if t.node != &emptyNode {
		for i := uint32(0); i <= t.mask; i++ {
			L.tickOn(int(i))
			if n := t.at(i); !n.val.IsNil() {
				integers += count.add(n.key)
				total++
			}
		}
	}
	integers += count.add(extra)
	total++
	size, used := count.best(integers)
	t.resize(L, size, total-used)
}

// countArray counts the array part by slices and returns the total.
func (t *Table) countArray(L *State, count *census) int {
	if d := int(t.dense); d >= 0 {
		for b, low := 0, 0; low < d; b++ {
			high := min(1<<b, d)
			count[b] = high - low
			low = high
		}
		return d
	}
	n := 0
	for i, v := range t.array {
		L.tickOn(i)
		if !v.IsNil() {
			count[bits.Len(uint(i))]++
			n++
		}
	}
	return n
}

// makeNodes gives the table an empty hash for n fields.
func (t *Table) makeNodes(n int) {
	if n <= 0 {
		t.node, t.mask, t.free = &emptyNode, 0, 0
		return
	}
	size := 1 << bits.Len(uint(n-1))
	nodes := make([]node, size)
	t.node, t.mask, t.free = &nodes[0], uint32(size-1), uint32(size)
}

// resize rebuilds the table with an array of exactly that size and a hash for that many fields.
func (t *Table) resize(L *State, array, fields int) {
	if fields > 1<<maxHashBits {
		L.fail("table overflow")
	}
	t.charge(L, array, fields)
	next := Table{array: t.array, dense: t.dense}
	next.makeNodes(fields)
	switch {
	case array > len(t.array):
		next.array = moved(L, make([]Value, 0, array), t.array)[:array]
	case array < len(t.array):
		next.shrink(L, array)
	}
	next.takeNodes(L, t)
	t.array, t.node, t.dense, t.mask, t.free = next.array, next.node, next.dense, next.mask, next.free
}

// shrink moves what lies behind the first n elements to the hash part.
func (t *Table) shrink(L *State, n int) {
	rest := t.array[n:]
	t.array = moved(L, make([]Value, 0, n), t.array[:n])
	t.recount(L)
	for i, v := range rest {
		L.tickOn(i)
		if !v.IsNil() {
			t.SetInt(nil, n+i+1, v)
		}
	}
}

// takeNodes stores what the hash part of another table holds.
func (t *Table) takeNodes(L *State, from *Table) {
	if from.node == &emptyNode {
		return
	}
	for i := int(from.mask); i >= 0; i-- { // downwards, as C Lua: the order decides which keys collide
		L.tickOn(i)
		n := from.at(uint32(i))
		if n.val.IsNil() {
			continue
		}
		if j := arrayIndex(n.key); j > 0 && j <= len(t.array) {
			t.SetInt(nil, j, n.val)
		} else if s := t.insert(nil, n.key, n.hash); s != nil {
			s.val = n.val
		}
	}
}

// charge counts what a resize will add.
func (t *Table) charge(L *State, array, fields int) {
	if L == nil {
		return
	}
	n := 0
	if array > len(t.array) {
		n = array * valueBytes
	}
	if fields > 0 {
		n += 1 << bits.Len(uint(fields-1)) * int(nodeSize)
	}
	L.Alloc(n)
}

// growArray makes room for n elements at least, as a constructor with that many does.
func (t *Table) growArray(L *State, n int) {
	if n > len(t.array) {
		fields := 0
		if t.node != &emptyNode {
			fields = int(t.mask) + 1
		}
		t.resize(L, n, fields)
	}
}

// keptArray is the number of elements for which Refill keeps room.
const keptArray = 256

// Refill empties the table for elements 1..n to be set by the host, keeping what it allocated for
// few. Its fields, metatable and read-only flag go too. The array is as long as n appends would
// make it.
func (t *Table) Refill(n int) {
	if t.node != &emptyNode {
		t.makeNodes(0)
	}
	size := 0
	if n > 0 {
		size = 1 << bits.Len(uint(n-1))
	}
	if size > cap(t.array) || cap(t.array) > max(size, keptArray) { // room for many would be cleared each time
		t.array = make([]Value, size)
	} else {
		clear(t.array[:cap(t.array)])
		t.array = t.array[:size]
	}
	t.dense, t.meta, t.readonly, t.absent = 0, nil, false, 0
}

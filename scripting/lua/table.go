package lua

import (
	"math"
	"unsafe"
)

// Table is a Lua table: an array for 1..n and a hash for the rest.
//
//	array   [1][2][3][ ][ ]      grown so that more than half is used
//	nodes   [key value next]...  a power of two, chained scatter with Brent's variation
//
// Sizes, collisions and therefore borders and the order of Next are those of Redis' Lua for the
// same history, as long as the keys are numbers, booleans and strings of less than 512 bytes;
// objects hash by the order in which they first served as keys, not by address.
//
// Invariants:
//  1. mask+1 is the number of nodes; an empty hash is the shared emptyNode with mask 0.
//  2. Every present key is reachable from its main position by next.
//  3. dense >= 0: array[:dense] holds no nil and array[dense:] nothing else; -1: there are holes.
//  4. A node whose value is nil keeps its key, so Next survives clearing fields.
//
// Setters take the State whose memory they count against and whose errors they throw: a read-only
// table refuses them. A nil State is the host filling its own tables: uncounted, unrefused.
type Table struct {
	array    []Value
	node     *node
	meta     *Table
	dense    int32
	mask     uint32
	free     uint32 // nodes from here on are taken
	id       uint32
	mark     uint32 // the last measurement that counted it
	absent   uint8  // metamethods known to be missing, for a table that is a metatable
	readonly bool
}

type node struct {
	key, val Value
	hash     uint32
	next     int32 // distance to the next node of the chain, 0 at its end
}

const nodeSize = unsafe.Sizeof(node{})

// emptyNode stands for a hash without nodes. Nothing is ever stored in it.
var emptyNode node

const (
	maxArrayBits = 26
	maxHashBits  = 26
	tableBytes   = int(unsafe.Sizeof(Table{}))
	valueBytes   = int(unsafe.Sizeof(Value{}))
)

// NewTable returns an empty table with room for array elements and hash fields. Nothing is counted:
// see State.NewTable.
func NewTable(array, fields int) *Table {
	switch {
	case fields == 0 && (array == 1 || array == 2):
		t := &struct {
			Table
			array [2]Value
		}{}
		t.Table.node, t.Table.array = &emptyNode, t.array[:array:array]
		return &t.Table
	case fields == 0 && (array == 3 || array == 4):
		t := &struct {
			Table
			array [4]Value
		}{}
		t.Table.node, t.Table.array = &emptyNode, t.array[:array:array]
		return &t.Table
	case array == 0 && fields == 1:
		t := &struct {
			Table
			nodes [1]node
		}{}
		t.Table.node, t.Table.free = &t.nodes[0], 1
		return &t.Table
	case array == 0 && fields == 2:
		t := &struct {
			Table
			nodes [2]node
		}{}
		t.Table.node, t.Table.mask, t.Table.free = &t.nodes[0], 1, 2
		return &t.Table
	case array == 0 && (fields == 3 || fields == 4):
		t := &struct {
			Table
			nodes [4]node
		}{}
		t.Table.node, t.Table.mask, t.Table.free = &t.nodes[0], 3, 4
		return &t.Table
	}
	t := &Table{node: &emptyNode}
	if array > 0 {
		t.array = make([]Value, array)
	}
	if fields > 0 {
		t.makeNodes(fields)
	}
	return t
}

// Metatable returns the table's metatable or nil.
func (t *Table) Metatable() *Table { return t.meta }

// SetMetatable sets the metatable, nil for none.
func (t *Table) SetMetatable(meta *Table) { t.meta = meta }

// Readonly reports whether scripts are refused to modify the table.
func (t *Table) Readonly() bool { return t.readonly }

// SetReadonly makes scripts unable, or able again, to modify the table.
func (t *Table) SetReadonly(on bool) { t.readonly = on }

// Swap exchanges all that the tables are, but for which is which: their contents, metatables, and
// whether scripts may modify them. O(1).
func (t *Table) Swap(other *Table) {
	*t, *other = *other, *t
	t.id, other.id = other.id, t.id
}

// at returns node i, which must be at most mask. The nodes are one allocation of mask+1 (invariant
// 1).
func (t *Table) at(i uint32) *node {
	return (*node)(unsafe.Add(unsafe.Pointer(t.node), uintptr(i)*nodeSize))
}

// follow returns the next node of the chain, a node of the same allocation (invariant 2).
func (n *node) follow() *node {
	return (*node)(unsafe.Add(unsafe.Pointer(n), int(n.next)*int(nodeSize)))
}

// hashString is the hash of the Lua in Redis, which unlike plain 5.1 takes every byte of strings
// longer than 31. Of very long ones it takes a selection, as 5.1 does: strings are not interned
// here, so each look-up computes the hash again.
func hashString(s string) uint32 {
	h := uint32(len(s))
	step := 1
	if len(s) >= veryLong {
		step += len(s) >> 5
	}
	for i := len(s); i >= step; i -= step {
		h ^= h<<5 + h>>2 + uint32(s[i-1])
	}
	return h
}

// veryLong is the length from which strings are not hashed whole.
const veryLong = 512

// hashNumber adds the halves of the number's bits, as C Lua on a machine with 32-bit integers. 0
// and -0 are one key.
func hashNumber(f float64) uint32 {
	if f == 0 {
		return 0
	}
	bits := math.Float64bits(f)
	return uint32(bits) + uint32(bits>>32)
}

// hashOf returns the hash of any key but nil.
func hashOf(k Value) uint32 {
	switch k.Kind() {
	case KindNumber:
		return hashNumber(k.num())
	case KindString:
		return hashString(k.str())
	case KindBoolean:
		if k.Truthy() {
			return 1
		}
		return 0
	}
	return identity(k)
}

// slot returns the main position of a key with this hash.
func (t *Table) slot(k Value, hash uint32) uint32 {
	if k.IsString() || k.n <= 1 && k.p != unsafe.Pointer(&numMark) { // strings and booleans
		return hash & t.mask
	}
	return hash % (t.mask | 1)
}

// Get returns the value at k, nil when absent. O(1).
func (t *Table) Get(k Value) Value {
	if k.IsString() {
		return t.getString(k, hashString(k.str()))
	}
	if k.IsNumber() {
		return t.getNumber(k.num())
	}
	if k.IsNil() {
		return Nil
	}
	if n := t.find(k, hashOf(k)); n != nil {
		return n.val
	}
	return Nil
}

// GetString returns the field called name, nil when absent. O(len(name)).
func (t *Table) GetString(name string) Value { return t.getString(String(name), hashString(name)) }

// GetInt returns element i, nil when absent. O(1).
func (t *Table) GetInt(i int) Value {
	if uint(i-1) < uint(len(t.array)) {
		return t.array[i-1]
	}
	return t.getHashed(float64(i))
}

// getNumber returns the value at a number.
func (t *Table) getNumber(f float64) Value {
	i := int(f)
	if uint(i-1) < uint(len(t.array)) && float64(i) == f {
		return t.array[i-1]
	}
	return t.getHashed(f)
}

// getHashed looks a number up in the hash part.
func (t *Table) getHashed(f float64) Value {
	for n := t.at(hashNumber(f) % (t.mask | 1)); ; n = n.follow() {
		if n.key.p == unsafe.Pointer(&numMark) && n.key.num() == f {
			return n.val
		}
		if n.next == 0 {
			return Nil
		}
	}
}

// getString returns the value at string k of that hash.
func (t *Table) getString(k Value, hash uint32) Value {
	for n := t.at(hash & t.mask); ; n = n.follow() {
		if n.key.n == k.n && (n.key.p == k.p || n.sameBytes(k, hash)) {
			return n.val
		}
		if n.next == 0 {
			return Nil
		}
	}
}

// findString returns the node of string k, nil when there is none.
func (t *Table) findString(k Value, hash uint32) *node {
	for n := t.at(hash & t.mask); ; n = n.follow() {
		if n.key.n == k.n && (n.key.p == k.p || n.sameBytes(k, hash)) {
			return n
		}
		if n.next == 0 {
			return nil
		}
	}
}

// sameBytes reports whether the node's key, a string as long as k, is k.
// If so it adopts k's bytes: the next look-up through the same constant compares pointers only.
func (n *node) sameBytes(k Value, hash uint32) bool {
	if n.hash != hash || n.key.str() != k.str() {
		return false
	}
	n.key.p = k.p
	return true
}

// find returns the node of any key but nil.
func (t *Table) find(k Value, hash uint32) *node {
	if k.IsString() {
		return t.findString(k, hash)
	}
	for n := t.at(t.slot(k, hash)); ; n = n.follow() {
		if RawEqual(n.key, k) {
			return n
		}
		if n.next == 0 {
			return nil
		}
	}
}

// Len returns a border, the one Lua 5.1 would find. O(1) for arrays without holes, else O(log n).
func (t *Table) Len() int {
	if t.dense >= 0 && int(t.dense) < len(t.array) {
		return int(t.dense)
	}
	j := len(t.array)
	if j > 0 && t.array[j-1].IsNil() {
		return t.border(0, j)
	}
	if t.mask == 0 && t.node == &emptyNode {
		return j
	}
	return t.hashBorder(j)
}

// border searches element i present, element j absent, within the array.
func (t *Table) border(i, j int) int {
	for j-i > 1 {
		if m := (i + j) / 2; t.array[m-1].IsNil() {
			j = m
		} else {
			i = m
		}
	}
	return i
}

// hashBorder searches a border beyond i, which is present or 0, doubling first.
func (t *Table) hashBorder(i int) int {
	j := i + 1
	for !t.GetInt(j).IsNil() {
		i = j
		j *= 2
		if j > math.MaxInt32-2 {
			for i = 1; !t.GetInt(i).IsNil(); i++ {
			}
			return i - 1
		}
	}
	for j-i > 1 {
		if m := (i + j) / 2; t.GetInt(m).IsNil() {
			j = m
		} else {
			i = m
		}
	}
	return i
}

// PlainArray returns the number of elements of a table that has nothing but
// elements 1..n in its array part; false when looking closer is needed.
func (t *Table) PlainArray() (n int, dense bool) {
	return int(t.dense), t.dense >= 0 && t.node == &emptyNode
}

// Next returns the pair after key in the table's order, the first one after nil; more is false at
// the end. known is false when key is not in the table. Fields may be cleared or overwritten
// meanwhile. L counts the steps over cleared ones, and may be nil.
func (t *Table) Next(L *State, key Value) (k, v Value, more, known bool) {
	i := 0
	if !key.IsNil() {
		if i = t.position(key); i < 0 {
			return Nil, Nil, false, false
		}
	}
	k, v, _, more = t.NextAt(L, i)
	return k, v, more, true
}

// NextAt returns the first pair at or after position i and the position to go on from.
func (t *Table) NextAt(L *State, i int) (k, v Value, next int, more bool) {
	for ; i < len(t.array); i++ {
		if v := t.array[i]; !v.IsNil() {
			return Int(i + 1), v, i + 1, true
		}
		L.tickOn(i)
	}
	if t.node == &emptyNode {
		return Nil, Nil, i, false
	}
	for ; i <= len(t.array)+int(t.mask); i++ {
		if n := t.at(uint32(i - len(t.array))); !n.val.IsNil() {
			return n.key, n.val, i + 1, true
		}
		L.tickOn(i)
	}
	return Nil, Nil, i, false
}

// position returns the position just after key, -1 when the table does not know it. The address of
// a node, less that of the first, is its number: the nodes are one allocation.
func (t *Table) position(key Value) int {
	if f, ok := key.AsNumber(); ok {
		if i := int(f); uint(i-1) < uint(len(t.array)) && float64(i) == f {
			return i
		}
	}
	n := t.find(key, hashOf(key))
	if n == nil {
		return -1
	}
	return len(t.array) + int((uintptr(unsafe.Pointer(n))-uintptr(unsafe.Pointer(t.node)))/nodeSize) + 1
}

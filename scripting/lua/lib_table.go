package lua

import (
	"cmp"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// tableLib is the table library with the buffers it keeps between calls.
type tableLib struct {
	buffer  Buffer
	numbers []int64
	strings []string
}

// OpenTable installs the table library as the global table.
func OpenTable(L *State) *Table {
	lib := &tableLib{}
	return newLibrary(L, "table", []entry{
		{"concat", lib.concat},
		{"foreach", tableForeach},
		{"foreachi", tableForeachi},
		{"getn", tableGetn},
		{"insert", tableInsert},
		{"maxn", tableMaxn},
		{"remove", tableRemove},
		{"setn", tableSetn},
		{"sort", lib.sort},
	})
}

// table.concat(t [, separator [, i [, j]]])
func (lib *tableLib) concat(L *State, c *Call) {
	separator := c.OptString(2, "")
	t := c.CheckTable(1)
	i := c.OptInt(3, 1)
	j := 0
	if c.None(4) {
		j = t.Len()
	} else {
		j = c.CheckInt(4)
	}
	var b Buffer
	lib.buffer.Lend(&b)
	for ; i <= j; i++ {
		v := t.GetInt(i)
		switch {
		case v.IsString():
			s := v.str()
			if len(s) > cap(b.Text)-len(b.Text) {
				b.Grow(L, len(s))
			}
			b.Text = L.Append(b.Text, s)
			L.work(len(s))
		case v.IsNumber():
			b.Text = number.Append(b.Text, v.num())
		default:
			L.Errorf("invalid value (%s) at index %d in table for 'concat'", v.TypeName(), i)
		}
		if i < j {
			if len(separator) > cap(b.Text)-len(b.Text) {
				b.Grow(L, len(separator))
			}
			b.Text = L.Append(b.Text, separator)
		}
		b.Settle(L)
		L.Tick(1)
	}
	c.Return1(b.Finish(L, &lib.buffer))
}

// table.foreach(t, f)
func tableForeach(L *State, c *Call) {
	t, f := c.CheckTable(1), c.CheckFunction(2)
	key := Nil
	for {
		k, v, more, known := t.Next(L, key)
		if !known {
			L.Errorf("invalid key to 'next'")
		}
		if !more {
			return
		}
		if r := L.Call1(f, k, v); !r.IsNil() {
			c.Return1(r)
			return
		}
		key = k
	}
}

// table.foreachi(t, f)
func tableForeachi(L *State, c *Call) {
	t, f := c.CheckTable(1), c.CheckFunction(2)
	n := t.Len()
	for i := 1; i <= n; i++ {
		if r := L.Call1(f, Int(i), t.GetInt(i)); !r.IsNil() {
			c.Return1(r)
			return
		}
	}
}

// table.getn(t)
func tableGetn(_ *State, c *Call) { c.Return1(Int(c.CheckTable(1).Len())) }

// table.setn(t, n): Lua 5.1 refuses it.
func tableSetn(L *State, c *Call) {
	c.CheckTable(1)
	L.Errorf("'setn' is obsolete")
}

// table.maxn(t): the largest number among the keys, 0 without one.
func tableMaxn(L *State, c *Call) {
	t, largest := c.CheckTable(1), 0.0
	for at := 0; ; {
		k, _, next, more := t.NextAt(L, at)
		if !more {
			c.Return1(Number(largest))
			return
		}
		if f, ok := k.AsNumber(); ok && f > largest {
			largest = f
		}
		L.Tick(1)
		at = next
	}
}

// table.insert(t, [position,] value)
func tableInsert(L *State, c *Call) {
	t := c.CheckTable(1)
	end := t.Len() + 1
	switch c.NArgs() {
	case 2:
		t.SetInt(L, end, c.Arg(2))
	case 3:
		position := c.CheckInt(2)
		if position > end {
			end = position
		}
		t.shift(L, position, end, +1)
		t.SetInt(L, position, c.Arg(3))
	default:
		L.Errorf("wrong number of arguments to 'insert'")
	}
}

// table.remove(t [, position])
func tableRemove(L *State, c *Call) {
	t := c.CheckTable(1)
	end := t.Len()
	position := c.OptInt(2, end)
	if position < 1 || position > end {
		return
	}
	c.Return1(t.GetInt(position))
	t.shift(L, position, end, -1)
	t.SetInt(L, end, Nil)
}

// shift moves elements by one place: up, those from i to j-1; down, those from
// i+1 to j, to i and on. Within the array part it copies.
func (t *Table) shift(L *State, i, j, direction int) {
	t.refuse(L)
	if direction > 0 && i < j {
		t.SetInt(L, j, t.GetInt(j-1))
		j--
	}
	if i >= 1 && j <= int(t.dense) {
		shiftArray(L, t.array[i-1:j], direction)
		return
	}
	if direction < 0 {
		for ; i < j; i++ {
			L.Tick(1)
			t.SetInt(L, i, t.GetInt(i+1))
		}
		return
	}
	for ; j > i; j-- {
		L.Tick(1)
		t.SetInt(L, j, t.GetInt(j-1))
	}
}

// shiftArray is shift for all but one of the elements of part. It copies some at a time, so that
// the hook can end the script in the middle of a large table.
func shiftArray(L *State, part []Value, direction int) {
	for len(part) > manyTurns {
		if direction > 0 {
			rest := len(part) - manyTurns
			copy(part[rest+1:], part[rest:])
			part = part[:rest+1]
		} else {
			copy(part[:manyTurns], part[1:])
			part = part[manyTurns:]
		}
		L.Tick(manyTurns >> 4)
	}
	L.Tick(len(part) >> 4)
	if direction > 0 {
		copy(part[1:], part)
	} else {
		copy(part, part[1:])
	}
}

// table.sort(t [, less])
func (lib *tableLib) sort(L *State, c *Call) {
	t := c.CheckTable(1)
	n := t.Len()
	less := c.Arg(2)
	if !less.IsNil() {
		c.CheckFunction(2)
		s := sorter{L: L, t: t, less: less}
		s.sort(1, n)
		return
	}
	if n < 2 {
		return
	}
	if n <= int(t.dense) && lib.sortPlain(L, t, t.array[:n]) {
		return
	}
	s := sorter{L: L, t: t}
	s.sort(1, n)
}

// sortPlain sorts elements that are all strings, or all numbers without NaN
// and negative zero, for which the way of sorting shows nowhere. It reports
// false, and changes nothing, for others.
func (lib *tableLib) sortPlain(L *State, t *Table, elements []Value) bool {
	t.refuse(L)
	L.Alloc(len(elements) * valueBytes / 2)
	if elements[0].IsString() {
		return lib.sortStrings(L, elements)
	}
	return lib.sortNumbers(L, elements)
}

// sortNumbers sorts the bits of floats as integers: those of negative ones
// are turned around to make their order that of integers.
func (lib *tableLib) sortNumbers(L *State, elements []Value) bool {
	keys := slices.Grow(lib.numbers[:0], len(elements))
	for i, v := range elements {
		L.tickOn(i)
		f, ok := v.AsNumber()
		if !ok || f != f || f == 0 && math.Signbit(f) {
			return false
		}
		keys = append(keys, sortableBits(int64(v.n)))
	}
	keys = sortKeys(L, keys)
	for i, key := range keys {
		L.tickOn(i)
		elements[i].n = uint64(sortableBits(key))
	}
	if cap(keys) <= keptBuffer/valueBytes {
		lib.numbers = keys
	}
	return true
}

// sortableBits maps a float's bits to an integer of the same order, and back.
func sortableBits(bits int64) int64 { return bits ^ int64(uint64(bits>>63)>>1) }

// longKey is the length from which the comparison of strings counts by itself.
const longKey = 1 << 8

func (lib *tableLib) sortStrings(L *State, elements []Value) bool {
	keys := slices.Grow(lib.strings[:0], len(elements))
	longest := 0
	for i, v := range elements {
		L.tickOn(i)
		s, ok := v.AsString()
		if !ok {
			return false
		}
		longest = max(longest, len(s))
		keys = append(keys, s)
	}
	if longest > longKey {
		slices.SortFunc(keys, func(a, b string) int {
			L.Tick(1 + min(len(a), len(b))>>8)
			return L.compare(a, b)
		})
	} else {
		keys = sortKeys(L, keys)
	}
	for i, key := range keys {
		L.tickOn(i)
		elements[i] = String(key)
	}
	clear(keys)
	if cap(keys) <= keptBuffer/valueBytes {
		lib.strings = keys
	}
	return true
}

// sortKeys sorts keys, in place or into the slice it returns: in runs that take
// less than the time limit's patience, which it then merges.
func sortKeys[T cmp.Ordered](L *State, keys []T) []T {
	const run = 1 << 13
	for i := 0; i < len(keys); i += run {
		part := keys[i:min(i+run, len(keys))]
		L.Tick(len(part) * 4)
		slices.Sort(part)
	}
	if len(keys) <= run {
		return keys
	}
	L.Alloc(len(keys) * valueBytes / 2)
	merged := make([]T, len(keys))
	for width := run; width < len(keys); width *= 2 {
		for i := 0; i < len(keys); i += 2 * width {
			middle, end := min(i+width, len(keys)), min(i+2*width, len(keys))
			merge(L, merged[i:end], keys[i:middle], keys[middle:end])
		}
		keys, merged = merged, keys
	}
	return keys
}

// merge fills dst with the elements of two sorted slices.
func merge[T cmp.Ordered](L *State, dst, a, b []T) {
	for i := range dst {
		if i%1024 == 0 {
			L.Tick(1024)
		}
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// sorter is one call of table.sort that has to ask a script's function, a
// metamethod, or may end in an error: it compares in the order of Lua 5.1.
type sorter struct {
	L    *State
	t    *Table
	less Value
}

func (s *sorter) compare(a, b Value) bool {
	s.L.Tick(1)
	if s.less.IsNil() {
		return s.L.Less(a, b)
	}
	return s.L.Call1(s.less, a, b).Truthy()
}

// order makes element i not greater than element j.
func (s *sorter) order(i, j int) {
	a, b := s.t.GetInt(i), s.t.GetInt(j)
	if s.compare(b, a) {
		s.t.SetInt(s.L, i, b)
		s.t.SetInt(s.L, j, a)
	}
}

// sort sorts elements low to high by quicksort around the median of three;
// the smaller part by recursion, the larger one in place.
func (s *sorter) sort(low, high int) {
	for low < high {
		s.order(low, high)
		if high-low == 1 {
			return
		}
		middle := (low + high) / 2
		s.median(low, middle, high)
		if high-low == 2 {
			return
		}
		p := s.partition(low, middle, high)
		if p-low < high-p {
			s.sort(low, p-1)
			low = p + 1
		} else {
			s.sort(p+1, high)
			high = p - 1
		}
	}
}

// median orders three elements of which the outer ones are in order.
func (s *sorter) median(low, middle, high int) {
	a, b := s.t.GetInt(middle), s.t.GetInt(low)
	if s.compare(a, b) {
		s.t.SetInt(s.L, middle, b)
		s.t.SetInt(s.L, low, a)
		return
	}
	if b = s.t.GetInt(high); s.compare(b, a) {
		s.t.SetInt(s.L, middle, b)
		s.t.SetInt(s.L, high, a)
	}
}

// partition moves what is less than the middle element before it and returns
// its place.
func (s *sorter) partition(low, middle, high int) int {
	pivot := s.t.GetInt(middle)
	s.swap(middle, high-1)
	i, j := low, high-1
	for {
		for i++; s.compare(s.t.GetInt(i), pivot); i++ {
			s.within(i <= high)
		}
		for j--; s.compare(pivot, s.t.GetInt(j)); j-- {
			s.within(j >= low)
		}
		if j < i {
			break
		}
		s.swap(i, j)
	}
	s.swap(high-1, i)
	return i
}

func (s *sorter) swap(i, j int) {
	a, b := s.t.GetInt(i), s.t.GetInt(j)
	s.t.SetInt(s.L, i, b)
	s.t.SetInt(s.L, j, a)
}

// within throws when a comparison that contradicts itself led out of bounds.
func (s *sorter) within(ok bool) {
	if !ok {
		s.L.Errorf("invalid order function for sorting")
	}
}

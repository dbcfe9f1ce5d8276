package lua

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// check verifies every invariant of a table.
func (t *Table) check(tb testing.TB) {
	if t.node == &emptyNode {
		require.Zero(tb, t.mask)
	} else {
		require.Equal(tb, 1, bits.OnesCount32(t.mask+1))
	}
	if d := int(t.dense); d >= 0 {
		require.LessOrEqual(tb, d, len(t.array))
		for i, v := range t.array {
			require.Equal(tb, i >= d, v.IsNil(), "element %d of %d dense", i+1, d)
		}
	}
	require.Equal(tb, node{}, emptyNode)
	for i := uint32(0); t.node != &emptyNode && i <= t.mask; i++ {
		if n := t.at(i); !n.key.IsNil() && !n.val.IsNil() {
			require.Same(tb, n, t.find(n.key, n.hash))
			require.Equal(tb, hashOf(n.key), n.hash)
		}
	}
}

// fuzzKey returns a key for a byte: integers around the end of the array, strings, fractions and
// booleans.
func fuzzKey(b byte) Value {
	switch b % 8 {
	case 0, 1, 2, 3:
		return Int(int(b)/4 - 5)
	case 4, 5:
		return String("key" + string(rune('a'+b/8)))
	case 6:
		return Number(float64(b) + 0.5)
	}
	return Bool(b > 128)
}

// FuzzTable executes the bytes as operations, set, clear and iterate, on a table and on a plain
// map.
func FuzzTable(f *testing.F) {
	f.Add([]byte("the order in which keys come and go decides the layout"))
	f.Add([]byte{20, 1, 24, 1, 28, 1, 32, 1, 36, 1, 24, 0, 36, 0, 40, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		L := NewState()
		table, model := NewTable(0, 0), map[any]Value{}
		name := func(k Value) any {
			if s, ok := k.AsString(); ok {
				return s
			}
			return k
		}
		for i := 0; i+1 < len(script); i += 2 {
			k, v := fuzzKey(script[i]), Nil
			delete(model, name(k))
			if script[i+1]%4 != 0 {
				v = Int(int(script[i+1]))
				model[name(k)] = v
			}
			if x, ok := k.AsNumber(); !ok || !table.put(x, v) {
				table.Set(L, k, v)
			}
			require.Equal(t, v, table.Get(k))
		}
		table.check(t)
		n := table.Len()
		require.True(t, n == 0 || !table.GetInt(n).IsNil())
		require.True(t, table.GetInt(n+1).IsNil())
		count := 0
		for k, v, more, _ := table.Next(nil, Nil); more; k, v, more, _ = table.Next(nil, k) {
			require.Equal(t, model[name(k)], v)
			count++
		}
		require.Equal(t, len(model), count)
		for k, _, more, _ := table.Next(nil, Nil); more; {
			table.Set(L, k, Nil) // clearing the current field is allowed
			var known bool
			k, _, more, known = table.Next(nil, k)
			require.True(t, known)
		}
		table.check(t)
		_, _, more, _ := table.Next(nil, Nil)
		require.False(t, more)
	})
}

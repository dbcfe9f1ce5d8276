package dict

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzModel runs a program of two-byte instructions on a Map and on a Go map. The first byte is the
// seed.
func FuzzModel(f *testing.F) {
	f.Add([]byte("\x00\x00\x10\x10\x10\x20\x10"))
	grow := []byte{1}
	for i := range 256 {
		grow = append(grow, 0, byte(i))
	}
	f.Add(grow)
	for i := range 256 {
		grow = append(grow, 3, byte(i))
	}
	f.Add(grow)
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) == 0 || len(program) > 2000 {
			return
		}
		m, model := New[*item](uint64(program[0])), map[string]*item{}
		for program = program[1:]; len(program) >= 2; program = program[2:] {
			step(t, m, model, program[0], int(program[1]))
			require.Equal(t, len(model), m.Len())
			require.NoError(t, m.Check())
		}
	})
}

// step runs one instruction on both maps. Several keys share an argument byte, so that tables grow.
func step(t *testing.T, m *Map[*item], model map[string]*item, op byte, arg int) {
	key := strconv.Itoa(arg + int(op>>3)<<8)
	switch op & 7 {
	case 0, 1, 2:
		if model[key] == nil {
			model[key] = &item{key: key, value: arg}
			m.Insert(model[key])
		}
	case 3:
		e, ok := m.Delete(key)
		require.Equal(t, model[key] != nil, ok)
		require.Equal(t, model[key], e)
		delete(model, key)
	case 4:
		e, ok := m.Find(key)
		require.Equal(t, model[key] != nil, ok)
		require.Equal(t, model[key], e)
		if e, ok := m.FirstMatch(m.Hash(key)); ok {
			require.Same(t, model[e.key], e)
		}
	case 5:
		m.RehashStep(arg % 8)
	case 6:
		if p := m.Lookup(key); p != nil {
			model[key] = &item{key: key, value: arg + 1}
			*p = model[key]
		}
	case 7:
		seen := 0
		m.Each(func(e *item) bool {
			require.Same(t, model[e.key], e)
			seen++
			if arg > 250 {
				m.Delete(e.key)
				delete(model, e.key)
			}
			return true
		})
		require.GreaterOrEqual(t, seen, m.Len())
	}
}

package skiplist

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is a sorted slice of what the list should hold.
type model []Ref

func (m model) place(l *List, score float64, key string) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(n Ref, key string) int {
		return cmp.Or(cmp.Compare(l.Score(n), score), cmp.Compare(l.Key(n), key))
	})
}

// FuzzModel runs a program of two-byte instructions on a List and on a sorted slice. The first byte
// seeds the heights.
func FuzzModel(f *testing.F) {
	f.Add([]byte("\x01\x00\x10\x00\x22\x00\x31\x05\x10\x09\x02"))
	for seed := range byte(4) {
		program := []byte{seed}
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		for range 400 {
			program = append(program, byte(rng.Uint32()), byte(rng.Uint32()))
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) == 0 || len(program) > 2000 {
			return
		}
		var l List
		var m model
		rng := rand.New(rand.NewPCG(uint64(program[0]), 2))
		for program = program[1:]; len(program) >= 2; program = program[2:] {
			m = step(t, &l, m, program[0], int(program[1]), rng)
			require.NoError(t, l.Check())
			require.Equal(t, len(m), l.Len())
		}
		for i, n := range m {
			require.Equal(t, n, l.ByRank(i))
			require.Equal(t, i, l.Rank(n))
		}
	})
}

// step runs one instruction on both and returns the changed model.
func step(t *testing.T, l *List, m model, op byte, arg int, rng *rand.Rand) model {
	score := float64(arg >> 4)
	key := strings.Repeat("k", arg&15*5) + string(rune('a'+op>>4))
	i, found := m.place(l, score, key)
	switch op & 7 {
	case 0, 1, 2, 3:
		if !found {
			return slices.Insert(m, i, l.Insert(score, []byte(key), rng.Uint64()))
		}
	case 4:
		if found {
			l.Delete(m[i])
			return slices.Delete(m, i, i+1)
		}
	case 5:
		if len(m) > 0 {
			n := m[arg%len(m)]
			to, taken := m.place(l, float64(op>>3), l.Key(n))
			if !taken {
				l.UpdateScore(n, float64(op>>3))
				m = slices.Insert(m, to, n)
				from := arg % (len(m) - 1)
				if to <= from {
					from++
				}
				return slices.Delete(m, from, from+1)
			}
		}
	case 6:
		r := ScoreRange{Min: score, Max: float64(arg & 15), MinEx: op&8 != 0, MaxEx: op&16 != 0}
		in := slices.Collect(func(yield func(Ref) bool) {
			for _, n := range m {
				if !r.Below(l.Score(n)) && !r.Above(l.Score(n)) && !yield(n) {
					return
				}
			}
		})
		first, rank, n := l.ScoreSpan(r)
		require.Equal(t, len(in), n)
		if n > 0 {
			require.Equal(t, in[0], first)
			require.Equal(t, in[0], m[rank])
		}
	case 7:
		if op>>5 == 7 && l.head != 0 {
			compact(l, m, arg)
		} else if len(m) > 0 {
			from := arg % len(m)
			n := l.DeleteRun(m[from], int(op>>5), nil)
			require.Equal(t, min(int(op>>5), len(m)-from), n)
			return slices.Delete(m, from, from+n)
		}
	}
	return m
}

// compact begins a compaction or moves some nodes, and ends it when all are moved.
func compact(l *List, m model, from int) {
	if !l.Compacting() {
		l.Retire()
	}
	for i := from; i < len(m); i += 2 {
		m[i] = l.Move(m[i])
	}
	if !slices.ContainsFunc(m, l.nodes.Retired) {
		l.Release()
	}
}

package vectors

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

func components(rng *rand.Rand, dim int) []float32 {
	list := make([]float32, dim)
	for i := range list {
		list[i] = float32(rng.NormFloat64())
	}
	return list
}

// model is what a set has, simply.
type model map[string]struct{ vector, attributes string }

func requireSet(t *testing.T, want model, s *Set) {
	t.Helper()
	require.NoError(t, s.Check())
	require.Equal(t, len(want), s.Len())
	withAttributes := 0
	for name, w := range want {
		e, ok := s.Find([]byte(name))
		require.True(t, ok)
		v := s.Vector(e)
		require.Equal(t, w.vector, string(v.Append(nil)))
		require.Equal(t, w.attributes, string(s.Attributes(e)))
		require.Equal(t, name, string(s.Name(e)))
		if w.attributes != "" {
			withAttributes++
		}
	}
	require.Equal(t, withAttributes, s.WithAttributes())
}

func TestRandomChangesAgreeWithAModel(t *testing.T) {
	for _, kind := range []hnsw.Kind{hnsw.Float, hnsw.Int8, hnsw.Bit} {
		rng := rand.New(rand.NewPCG(1, uint64(kind)))
		s, want := New(Options{Kind: kind, Dim: 5, M: 4}, 1), model{}
		for i := range 3000 {
			name := fmt.Sprint("name", rng.IntN(400))
			attributes := bytes.Repeat([]byte("x"), rng.IntN(3)*rng.IntN(200))
			was, there := want[name]
			switch rng.IntN(5) {
			case 0, 1, 2:
				v := s.NewVector(components(rng, 5))
				w := was
				w.vector = string(v.Append(nil))
				if rng.IntN(2) == 0 {
					attributes = nil
				} else {
					w.attributes = string(attributes)
				}
				require.Equal(t, !there, s.Add([]byte(name), &v, attributes, 20))
				want[name] = w
			case 3:
				require.Equal(t, there, s.SetAttributes([]byte(name), attributes))
				if there {
					was.attributes = string(attributes)
					want[name] = was
				}
			case 4:
				require.Equal(t, there, s.Remove([]byte(name)))
				delete(want, name)
			}
			if i%300 == 0 {
				requireSet(t, want, s)
				requireSaves(t, want, s)
			}
		}
		requireSet(t, want, s.Clone().(*Set))
	}
}

// requireSaves saves a set and loads it: the copy is equal, links and all.
func requireSaves(t *testing.T, want model, s *Set) {
	t.Helper()
	if s.Len() == 0 {
		return
	}
	parts := valuetest.Save(s)
	v, err := valuetest.Load(Type, parts)
	require.NoError(t, err)
	requireSet(t, want, v.(*Set))
	require.Equal(t, parts, valuetest.Save(v))
	var a, b value.Mixer
	s.Digest(&a)
	v.Digest(&b)
	require.Equal(t, a.String(), b.String())
}

func TestReducedVectorsAreThoseOfTheMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := New(Options{Kind: hnsw.Float, Dim: 3, Input: 6, M: 4}, 1)
	list := components(rng, 6)
	fast := s.reduced(list)
	data := s.appendMatrix(nil, 0, 4*3*6)
	s.setMatrix(data)
	require.Nil(t, s.matrix, "the matrix is the one that need not be kept")
	data[3] ^= 0x80
	s.setMatrix(data)
	require.NotNil(t, s.matrix)
	require.Equal(t, data, s.appendMatrix(nil, 0, len(data)))
	slow := s.reduced(list)
	require.InDeltaSlice(t, fast[1:], slow[1:], 1e-6)
	require.NotEqual(t, fast[0], slow[0])
}

func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, names := New(Options{Dim: 2, M: 4}, 1), []string(nil)
	for i := range 3000 {
		v := s.NewVector(components(rng, 2))
		names = append(names, fmt.Sprintf("%04d", i*7%3000))
		s.Add([]byte(names[i]), &v, nil, 4)
	}
	slices.Sort(names)
	for _, most := range []int{-1, 0, 1, 10, 1500, 5000} {
		want := names[1001:2501]
		if most >= 0 {
			want = want[:min(most, len(want))]
		}
		got := []string{}
		to := Bound{Name: []byte("2500"), Inclusive: true}
		for _, name := range s.Between(Bound{Name: []byte("1000")}, to, most) {
			got = append(got, string(name))
		}
		require.Equal(t, want, got)
	}
}

func TestSampleTakesDifferentElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := New(Options{Dim: 2, M: 4}, 1)
	for i := range 100 {
		v := s.NewVector(components(rng, 2))
		s.Add(fmt.Append(nil, i), &v, nil, 4)
	}
	for _, count := range []int{1, 20, 60, 99, 100} {
		seen := map[string]bool{}
		s.Sample(count, rng.Uint64N, func(e Element) { seen[string(s.Name(e))] = true })
		require.Len(t, seen, count)
	}
}

func TestRandomElementsFollowFromTheSeed(t *testing.T) {
	var drawn [3][]string
	for i, seed := range []uint64{7, 7, 8} {
		rng := rand.New(rand.NewPCG(1, 2))
		s := New(Options{Dim: 2, M: 4}, seed)
		for i := range 50 {
			v := s.NewVector(components(rng, 2))
			s.Add(fmt.Append(nil, i), &v, nil, 4)
		}
		for range 20 {
			drawn[i] = append(drawn[i], string(s.Name(s.Random(rng.Uint64N))))
		}
	}
	require.Equal(t, drawn[0], drawn[1])
	require.NotEqual(t, drawn[0], drawn[2])
}

func FuzzLoad(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	var seeds []value.Value
	for _, o := range []Options{{Kind: hnsw.Int8, Dim: 3, M: 4}, {Kind: hnsw.Bit, Dim: 3, M: 5},
		{Kind: hnsw.Float, Dim: 2, Input: 4, M: 4}} {
		s := New(o, 1)
		for i := range 20 {
			v := s.NewVector(components(rng, max(o.Dim, o.Input)))
			s.Add(fmt.Append(nil, i), &v, fmt.Append(nil, "x")[:i%2], 10)
		}
		seeds = append(seeds, s)
	}
	valuetest.Fuzz(f, func(v value.Value) error { return v.(*Set).Check() }, seeds...)
}

package vectors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

// TestFreeze: a frozen set has the elements of its moment, as they were, while others come and go
// and change, and their memory is compacted.
func TestFreeze(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := New(Options{Kind: hnsw.Kind(seed / 3 % hnsw.Kinds), Dim: 600 - int(seed%2)*595, M: 4}, 1)
		add := func(attributes []byte) {
			v := s.NewVector(components(rng, s.Options().Dim))
			s.Add(fmt.Append(nil, "name", rng.IntN(400)), &v, attributes, 5)
		}
		change := func() {
			name := fmt.Append(nil, "name", rng.IntN(400))
			switch how := rng.IntN(4); {
			case seed%3 == 0 || how == 0:
				s.SetAttributes(name, []byte("others")[:rng.IntN(7)])
			case seed%3 == 1 || how == 1:
				s.Remove(name)
			case how == 2:
				add(nil)
			default:
				add([]byte("attributes"))
			}
		}
		for s.Len() < 200 {
			add([]byte("first")[:rng.IntN(6)])
		}
		want := elements(t, valuetest.Save(s))
		f, thaw := s.Freeze()
		to := &pausing{change: func() {
			for range rng.IntN(6) {
				change()
			}
		}}
		f.Type().Module.Save(f, to)
		require.Equal(t, want, elements(t, to.Parts), "seed %d", seed)
		_, err := valuetest.Load(Type, to.Parts)
		require.NoError(t, err)
		thaw()
		require.NoError(t, s.Check())
		require.NoError(t, s.Clone().(*Set).Check())
	}
}

// pausing lets a set change before each text that is saved of it.
type pausing struct {
	valuetest.Parts
	change func()
}

func (p *pausing) Text(b []byte) {
	p.Parts.Text(b)
	p.change()
}

// elements returns what is saved of each element, in the order of texts.
func elements(t *testing.T, p valuetest.Parts) (list []string) {
	flags := p[3].(uint64)
	list = append(list, fmt.Sprint(p[:4]))
	for p = p[4:]; len(p) > 0; {
		n := 2 + int(flags&flagAttributes/flagAttributes)
		count, ok := p[n].(uint64)
		require.True(t, ok)
		n += 1 + int(count)
		list = append(list, fmt.Sprint(p[:n]))
		p = p[n:]
	}
	slices.Sort(list)
	return list
}

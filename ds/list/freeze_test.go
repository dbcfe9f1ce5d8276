package list

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestFrozenListStaysAsItIs changes lists at random while they are frozen: short ones, and some
// with many nodes.
func TestFrozenListStaysAsItIs(t *testing.T) {
	frozen := 0
	for seed := range quick.Rounds(uint64(40)) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := &pair{Assertions: require.New(t), lim: Limits{Node: int(seed%10) - 5}}
		most := 60
		if seed%3 == 0 {
			p.lim.Node, most = -1-int(seed%2), 100
			for range most {
				p.step(0, 4, byte(r.Uint32()))
			}
		}
		var f *List
		var want []string
		for i := range 300 {
			if i%30 == 0 {
				if f != nil {
					p.Equal(want, texts(f, Head))
					p.NoError(f.Check())
					f.thaw()
				}
				if want, f = texts(&p.l, Head), nil; p.l.quicklist != nil {
					f = p.l.freeze()
					frozen++
				}
			}
			op := byte(r.Uint32())
			if len(p.m) > most || i%30 > 25 && i%4 == 0 {
				op = op&0xf0 | 13
			}
			p.step(op, byte(r.Uint32()), byte(r.Uint32()))
			p.l.Shrink(p.lim)
			p.same()
		}
	}
	require.Greater(t, frozen, quick.Rounds(200))
}

// TestThawedListCopiesNothing: a change copies a node once, and none after thaw.
func TestThawedListCopiesNothing(t *testing.T) {
	var l List
	for range 100 {
		l.Push(Tail, make([]byte, 3000), Defaults)
	}
	f, old := l.freeze(), l.quicklist.head.data
	l.Set(0, []byte("short"), Defaults)
	require.NotSame(t, &old[0], &l.quicklist.head.data[0])
	require.Same(t, &old[0], &f.quicklist.head.data[0])
	owned := l.quicklist.head.data
	l.Set(0, []byte("other"), Defaults)
	require.Same(t, &owned[0], &l.quicklist.head.data[0])
	f.thaw()
	last := l.quicklist.tail.data
	l.RemoveEnd(Tail, 1)
	require.Same(t, &last[0], &l.quicklist.tail.data[0])
}

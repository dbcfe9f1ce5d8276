package dict

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// spread gives each reference a hash of its own.
type spread struct{ seed uint64 }

func (s spread) HashOf(r Ref) uint64 {
	return Hash(s.seed, string([]byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)}))
}

// crowded gives all references few different hashes.
type crowded struct{}

func (crowded) HashOf(r Ref) uint64 { return uint64(r%7) << 60 }

func slotOfRef(x *Index, h uint64, r Ref) *Ref {
	p := x.Probe(h)
	for slot := p.Next(); slot != nil; slot = p.Next() {
		if *slot == r {
			return slot
		}
	}
	return nil
}

func TestIndexAgreesWithASet(t *testing.T) {
	for name, owner := range map[string]Hasher{"spread": spread{7}, "crowded": crowded{}} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			x, model := new(Index), map[Ref]bool{}
			most := Ref(6000)
			if name == "crowded" {
				most = 300
			}
			for step := range 60_000 {
				r := 1 + rng.Uint32N(most)
				if step/10_000%2 == 1 {
					r = 1 + rng.Uint32N(most/2) // the others stay
				}
				h := owner.HashOf(r)
				slot := slotOfRef(x, h, r)
				require.Equal(t, model[r], slot != nil)
				switch remove := rng.IntN(10) < 4+step/10_000%2*4; {
				case slot != nil && remove:
					x.Remove(h, slot, owner)
					delete(model, r)
				case slot == nil && !remove:
					x.Insert(h, r, owner)
					model[r] = true
				}
				if step%997 == 0 {
					require.NoError(t, x.Check(owner))
					require.Equal(t, model, setOf(t, x))
				}
			}
			require.NoError(t, x.Check(owner))
			require.NoError(t, x.Clone().Check(owner))
			require.Equal(t, model, setOf(t, x.Clone()))
			for r := range model {
				x.Remove(owner.HashOf(r), slotOfRef(x, owner.HashOf(r), r), owner)
			}
			require.Zero(t, x.Len())
			require.Zero(t, x.Bytes())
		})
	}
}

// setOf returns the elements, each of which Each must give once.
func setOf(t *testing.T, x *Index) map[Ref]bool {
	all := map[Ref]bool{}
	x.Each(func(r Ref) bool {
		require.False(t, all[r])
		all[r] = true
		return true
	})
	return all
}

func TestIndexTakesEightBytesAnElement(t *testing.T) {
	x, owner := new(Index), spread{1}
	for n := 1; n <= 100_000; n++ {
		x.Insert(owner.HashOf(Ref(n)), Ref(n), owner)
		if n > 2000 {
			require.Less(t, float64(x.Bytes())/float64(n), 11.5, "at %d", n)
		}
	}
	require.Less(t, float64(x.Bytes())/100_000, 9.0)
}

func TestIndexScanGivesEachElementOnceWhileTheTableChanges(t *testing.T) {
	owner := spread{3}
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 80 {
		x := new(Index)
		stay, come := 1+rng.Uint32N(2000), rng.Uint32N(4000)
		insert := func(r Ref) { x.Insert(owner.HashOf(r), r, owner) }
		for r := range stay {
			insert(r + 1)
		}
		next := stay + 1
		seen, cursor := map[Ref]int{}, uint64(0)
		for {
			if give := func(r Ref) { seen[r]++ }; round%2 == 0 {
				cursor = x.Scan(cursor, 1+rng.IntN(30), owner, give)
			} else {
				var refs []Ref
				cursor, refs = x.ScanWhole(cursor, 1+rng.IntN(30), owner, nil)
				for _, r := range refs {
					give(r)
				}
			}
			if cursor == 0 {
				break
			}
			r := 1 + rng.Uint32N(stay)
			require.Equal(t, seen[r] > 0, Passed(cursor, owner.HashOf(r)))
			for range rng.Uint32N(40) {
				if h := owner.HashOf(next - 1); rng.IntN(2) == 0 && next-1 > stay {
					x.Remove(h, slotOfRef(x, h, next-1), owner)
					next--
				} else if next < stay+come {
					insert(next)
					next++
				}
			}
		}
		for r := Ref(1); r <= stay; r++ {
			require.Equal(t, 1, seen[r])
		}
		require.NoError(t, x.Check(owner))
	}
}

func TestIndexScanGivesAsManyAsAsked(t *testing.T) {
	x, owner := new(Index), spread{9}
	for r := Ref(1); r <= 1000; r++ {
		x.Insert(owner.HashOf(r), r, owner)
	}
	for cursor, given := uint64(0), 0; given < 1000; {
		n := 0
		cursor = x.Scan(cursor, 7, owner, func(Ref) { n++ })
		given += n
		if cursor == 0 {
			require.Equal(t, 1000, given)
			break
		}
		require.Equal(t, 7, n)
	}
}

func TestIndexScanChainMissesNothing(t *testing.T) {
	x, owner := new(Index), spread{5}
	for r := Ref(1); r <= 777; r++ {
		x.Insert(owner.HashOf(r), r, owner)
	}
	seen := map[Ref]bool{}
	for cursor, next := uint64(0), Ref(778); ; next++ {
		cursor = x.ScanChain(cursor, func(r Ref) { seen[r] = true })
		if cursor == 0 {
			break
		}
		x.Insert(owner.HashOf(next), next, owner)
	}
	for r := Ref(1); r <= 777; r++ {
		require.True(t, seen[r])
	}
}

func TestIndexRandomIsFair(t *testing.T) {
	x, owner := new(Index), spread{11}
	for r := Ref(1); r <= 155; r++ {
		x.Insert(owner.HashOf(r), r, owner)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	hits := map[Ref]int{}
	for range 155 * 1000 {
		hits[x.Random(rng.Uint64N)]++
	}
	require.Len(t, hits, 155)
	for r, n := range hits {
		require.InDelta(t, 1000, n, 180, "element %d", r) // 5.7 standard deviations
	}
}

func TestIndexPausedKeepsItsChains(t *testing.T) {
	x, owner := new(Index), spread{2}
	x.Insert(owner.HashOf(1), 1, owner)
	x.pause()
	for r := Ref(2); r <= 500; r++ {
		x.Insert(owner.HashOf(r), r, owner)
	}
	require.Equal(t, 1, x.size)
	require.NoError(t, x.Check(owner))
	x.resume()
	for x.RehashStep(1, owner) {
	}
	require.Equal(t, 50, x.size)
	require.NoError(t, x.Check(owner))
}

func TestIndexReserve(t *testing.T) {
	x, owner := new(Index), spread{2}
	x.Reserve(1000)
	bytes := x.Bytes()
	for r := Ref(1); r <= 1000; r++ {
		x.Insert(owner.HashOf(r), r, owner)
	}
	require.Equal(t, 100, x.size)
	require.NoError(t, x.Check(owner))
	require.Less(t, x.Bytes()-bytes, 4096)
}

func TestEachCodeFindsByCodeAlone(t *testing.T) {
	for _, n := range []Ref{1, 7, 31, 5000} {
		x, owner := new(Index), spread{4}
		for r := Ref(1); r <= n; r++ {
			x.Insert(owner.HashOf(r), r, owner)
		}
		for r := Ref(1); r <= n; r++ {
			requireCodeLeadsTo(t, x, owner, r)
		}
	}
	new(Index).EachCode(1<<24, func(Ref) bool { t.Fatal("element in an empty table"); return true })
}

// TestEachCodeInALargeTable has a table with more chains than a code can tell apart. Only those
// that are needed have memory.
func TestEachCodeInALargeTable(t *testing.T) {
	x, owner := new(Index), spread{4}
	x.resize(2<<codeBits + 12345)
	x.buckets.pieces = make([]unsafe.Pointer, x.size/perPiece+1)
	for r := Ref(1); r <= 100; r++ {
		for chain := uint32(owner.HashOf(r)) & codeMask; chain < uint32(x.size); chain += 1 << codeBits {
			if piece := &x.buckets.pieces[chain>>pieceBits]; *piece == nil {
				*piece, _ = newPiece(perPiece, nil)
			}
		}
		x.append(x.chainNumber(owner.HashOf(r)), tagOf(owner.HashOf(r)), r)
		x.n++
	}
	for r := Ref(1); r <= 100; r++ {
		requireCodeLeadsTo(t, x, owner, r)
	}
}

func requireCodeLeadsTo(t *testing.T, x *Index, owner Hasher, r Ref) {
	var got []Ref
	x.EachCode(Code(owner.HashOf(r)), func(other Ref) bool {
		if Code(owner.HashOf(other)) == Code(owner.HashOf(r)) {
			got = append(got, other)
		}
		return true
	})
	require.Equal(t, []Ref{r}, got)
}

// FuzzIndex reads operations from bytes: two for an element, inserted if it is absent, else
// removed.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		x, model := new(Index), map[Ref]bool{}
		owner := crowded{}
		for ; len(ops) >= 2; ops = ops[2:] {
			r := 1 + Ref(ops[0]) + Ref(ops[1]&1)<<8
			h := owner.HashOf(r)
			if model[r] {
				x.Remove(h, slotOfRef(x, h, r), owner)
				delete(model, r)
			} else {
				x.Insert(h, r, owner)
				model[r] = true
			}
		}
		require.NoError(t, x.Check(owner))
		require.Equal(t, model, setOf(t, x))
	})
}

package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// renumbered gives numbers anew to documents up to last, of which each nth is gone.
func renumbered(last ID, n int) renumbering {
	var t table
	t.init()
	for id := range last {
		t.add(fmt.Sprint(id + 1))
	}
	for id := n; id <= int(last); id += n {
		t.remove(fmt.Sprint(id))
	}
	return t.renumber(func() {})
}

// FuzzPostings compares postings with a slice: what is read, skipped and cleaned.
func FuzzPostings(f *testing.F) {
	f.Add(uint64(1), uint16(1000), false)
	f.Add(uint64(2), uint16(300), true)
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, bare bool) {
		dice := rand.New(rand.NewPCG(seed, 0))
		p := postings{bare: bare}
		var model []posting
		id := ID(0)
		for range n % 2000 {
			id += ID(1 + dice.IntN(1+dice.IntN(300)))
			e := posting{id: id}
			if !bare {
				e = posting{id, dice.Uint32N(1 + dice.Uint32N(300)), query.Fields{dice.Uint64(), dice.Uint64N(2)},
					make([]byte, dice.IntN(1+dice.IntN(200)))}
				for i := range e.positions {
					e.positions[i] = byte(dice.Uint32())
				}
				if dice.IntN(2) == 0 {
					e.fields = query.Only(dice.IntN(1 + dice.IntN(128)))
				}
			}
			p.add(&e)
			model = append(model, e)
		}
		now := renumbered(id, 3)
		p.clean(&sweep{now: now, breathe: func() {}}, func(*posting) {})
		model = slices.DeleteFunc(model, func(e posting) bool { return now.of(e.id) == 0 })
		for i := range model {
			model[i].id = now.of(model[i].id)
		}
		require.Equal(t, len(model), int(p.count))
		r := p.reader()
		for _, e := range model {
			require.True(t, r.next())
			require.Equal(t, e.id, r.id)
			if !bare {
				require.Equal(t, e.frequency, r.frequency)
				require.Equal(t, e.fields, r.posting.fields)
				require.Equal(t, string(e.positions), string(r.positions))
			}
		}
		require.False(t, r.next())
		r, at := p.reader(), 0
		for to := ID(0); ; to += ID(dice.IntN(500)) {
			for at < len(model) && model[at].id < to {
				at++
			}
			if !r.seek(to) {
				require.Equal(t, len(model), at)
				return
			}
			require.Equal(t, model[at].id, r.id)
		}
	})
}

// FuzzNumbers compares numbers with a slice.
func FuzzNumbers(f *testing.F) {
	f.Add(uint64(1), uint16(5000))
	f.Fuzz(func(t *testing.T, seed uint64, count uint16) {
		dice := rand.New(rand.NewPCG(seed, 0))
		var n numbers
		model := make(map[ID]float64)
		for id := range ID(count % 6000) {
			model[id+1] = float64(dice.IntN(1 + dice.IntN(3000)))
			n.add(model[id+1], id+1)
		}
		now := renumbered(ID(count%6000), 5)
		n.clean(&sweep{now: now, breathe: func() {}})
		for range 20 {
			s := span{float64(dice.IntN(1000)), float64(dice.IntN(3000)), dice.IntN(2) == 0, dice.IntN(2) == 0}
			var want []ID
			for id := range ID(count % 6000) {
				if v := model[id+1]; now.of(id+1) > 0 && !s.before(v) && !s.after(v) {
					want = append(want, now.of(id+1))
				}
			}
			set := newIDSet(n.within(s), ID(count))
			n.parts(s, func(_ []float64, ids []ID) bool {
				for _, id := range ids {
					set.add(id)
				}
				return true
			})
			require.ElementsMatch(t, want, set.sorted())
		}
	})
}

// distancesTo returns how many insertions, deletions and substitutions make of a word each
// beginning of a target: the last row of the whole table.
func distancesTo(word, target []rune) (row []int) {
	for j := range len(target) + 1 {
		row = append(row, j)
	}
	for i := range word {
		diagonal := row[0]
		row[0]++
		for j := range target {
			cost := 1
			if word[i] == target[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row
}

// areSimilar reports whether a word is near to a target, or what is before its last character is,
// and the word to a beginning of the target.
func areSimilar(target, word []rune, most int) bool {
	all, shorter := distancesTo(word, target), distancesTo(word[:max(0, len(word)-1)], target)
	return all[len(target)] <= most || shorter[len(target)] <= most && slices.Min(all) <= most
}

// FuzzSimilar compares the words near to one with all that are, looked at one by one.
func FuzzSimilar(f *testing.F) {
	f.Add(uint64(1), "hello")
	f.Add(uint64(2), "")
	f.Add(uint64(3), "häß\xff")
	f.Fuzz(func(t *testing.T, seed uint64, target string) {
		dice := rand.New(rand.NewPCG(seed, 0))
		if len(target) > 20 {
			t.Skip("long words take long")
		}
		var d dictionary
		for range 200 {
			word := []byte(target)
			for range dice.IntN(5) {
				at := dice.IntN(len(word) + 1)
				word = slices.Insert(word, at, byte(dice.IntN(256)))
				if dice.IntN(2) == 0 {
					word = slices.Delete(word, 0, 1)
				}
			}
			d.upsert(string(word))
		}
		for most := range 4 {
			var want, got []string
			d.from("", func(w *word) bool {
				similar := areSimilar([]rune(target), []rune(w.text), most)
				require.Equal(t, similar, IsSimilar(target, w.text, most), w.text)
				if similar {
					want = append(want, w.text)
				}
				return true
			})
			d.similar(target, most, new(pace), func(w *word) bool {
				got = append(got, w.text)
				return true
			})
			require.Equal(t, want, got)
		}
	})
}

func TestHalfFloats(t *testing.T) {
	for bits := range uint32(1 << 16) {
		f := halfFloat(uint16(bits))
		if math.IsNaN(f) {
			require.True(t, math.IsNaN(halfFloat(toHalf(f))))
			continue
		}
		require.Equal(t, uint16(bits), toHalf(f), "%x", bits)
	}
	require.Equal(t, 1.5, halfFloat(toHalf(1.5001)))
	require.True(t, math.IsInf(halfFloat(toHalf(70000)), 1))
}

// FuzzShapes reads texts that may be shapes, and relates what it reads.
func FuzzShapes(f *testing.F) {
	for _, text := range []string{"POINT(1 2)", "POLYGON((0 0,0 4,4 4,4 0,0 0),(1 1,2 1,2 2,1 1))", "POLYGON((1",
		"POINT EMPTY"} {
		f.Add(text)
	}
	box, err := parseShape("POLYGON((0 0,0 5,5 5,5 0,0 0))")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseShape(text)
		if err != nil {
			return
		}
		require.NotEqual(t, related(query.Intersects, s, box), related(query.Disjoint, s, box))
		if related(query.Within, s, box) {
			require.True(t, related(query.Intersects, s, box))
		}
		require.Equal(t, related(query.Within, s, box), related(query.Contains, box, s))
	})
}

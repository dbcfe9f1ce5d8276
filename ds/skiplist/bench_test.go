package skiplist

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

var sizes = []int{128, 10_000, 100_000}

// timestamps returns n members, each the text of its score, a typical timestamp.
func timestamps(n int) (members [][]byte, scores []float64) {
	for i := range n {
		score := 1700000000000 + 137*i
		members = append(members, strconv.AppendInt(nil, int64(score), 10))
		scores = append(scores, float64(score))
	}
	return members, scores
}

func BenchmarkInsertAscending(b *testing.B) { benchmarkInsert(b, false) }
func BenchmarkInsertRandom(b *testing.B)    { benchmarkInsert(b, true) }

func benchmarkInsert(b *testing.B, shuffled bool) {
	for _, n := range sizes {
		members, scores := timestamps(n)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		rng := rand.New(rand.NewPCG(1, 1))
		if shuffled {
			order = rng.Perm(n)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			bytes := 0
			for b.Loop() {
				var l List
				for _, i := range order {
					l.Insert(scores[i], members[i], rng.Uint64())
				}
				bytes = l.Bytes()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/insert")
			b.ReportMetric(float64(bytes)/float64(n), "B/entry")
		})
	}
}

func BenchmarkAt(b *testing.B) {
	for _, n := range sizes {
		members, scores := timestamps(n)
		rng := rand.New(rand.NewPCG(1, 1))
		var l List
		nodes := make([]Ref, n)
		for i := range n {
			nodes[i] = l.Insert(scores[i], members[i], rng.Uint64())
		}
		order := rng.Perm(n)
		each := func(name string, fn func(i int)) {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					fn(order[i])
					if i++; i == n {
						i = 0
					}
				}
			})
		}
		each("Rank", func(i int) { l.Rank(nodes[i]) })
		each("ByRank", func(i int) { l.ByRank(i) })
		each("ScoreSpan", func(i int) { l.ScoreSpan(ScoreRange{Min: scores[i/2], Max: scores[i]}) })
		each("UpdateScore", func(i int) { l.UpdateScore(nodes[i], scores[rng.IntN(n)]) })
	}
}

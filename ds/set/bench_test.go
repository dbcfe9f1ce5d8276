package set

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// bench runs do for sets of each form, packed ones in a buffer with room to spare.
func bench(b *testing.B, do func(b *testing.B, s *Set, members [][]byte, lim Limits)) {
	for _, form := range []string{"intset", "ziplist", "hashtable"} {
		for _, n := range []int{8, 128, 100_000} {
			if form != "hashtable" && n > 128 {
				continue
			}
			f := forms[form]
			s := Of(make([]byte, 0, 8192))
			var members [][]byte
			for i := range n {
				members = append(members, strconv.AppendInt([]byte(f.prefix), 1700000000000+137*int64(i), 10))
				s.Add(members[i], f.lim)
			}
			rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { members[i], members[j] = members[j], members[i] })
			b.Run(fmt.Sprintf("%s/%d", form, n), func(b *testing.B) { do(b, &s, members, f.lim) })
		}
	}
}

func BenchmarkHas(b *testing.B) {
	bench(b, func(b *testing.B, s *Set, members [][]byte, _ Limits) {
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			if !s.Has(members[i]) {
				b.Fatal("absent")
			}
			if i++; i == len(members) {
				i = 0
			}
		}
	})
}

func BenchmarkRemoveAdd(b *testing.B) {
	bench(b, func(b *testing.B, s *Set, members [][]byte, lim Limits) {
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			s.Remove(members[i])
			s.Add(members[i], lim)
			if i++; i == len(members) {
				i = 0
			}
		}
	})
}

func BenchmarkPopAdd(b *testing.B) {
	bench(b, func(b *testing.B, s *Set, _ [][]byte, lim Limits) {
		dice := rand.New(rand.NewPCG(1, 2)).Uint64N
		popped := make([]byte, 0, 64)
		b.ReportAllocs()
		for b.Loop() {
			s.Pop(1, lim, dice, func(e ziplist.Entry) { popped = e.Append(popped[:0]) })
			s.Add(popped, lim)
		}
	})
}

func BenchmarkEach(b *testing.B) {
	bench(b, func(b *testing.B, s *Set, _ [][]byte, _ Limits) {
		sum := 0
		b.ReportAllocs()
		for b.Loop() {
			s.Each(func(e ziplist.Entry) bool { sum += int(e.Int); return true })
		}
	})
}

// BenchmarkBytes tells the bytes a member costs at the sizes of interest.
func BenchmarkBytes(b *testing.B) {
	for _, prefix := range []string{"", "member:"} {
		for _, n := range []int{8, 128, 512, 1000, 100_000} {
			b.Run(fmt.Sprintf("%s%d", prefix, n), func(b *testing.B) {
				var s Set
				for b.Loop() {
					s = Set{}
					fill(&s, n, prefix, defaults)
				}
				b.ReportMetric(float64(s.Bytes())/float64(n), "B/member")
			})
		}
	}
}

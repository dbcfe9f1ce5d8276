package zset

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

var benchSizes = []int{1, 8, 64, 128, 1000, 100_000}

// window returns a set of n timestamps, each its own score, the last being the returned time.
func window(n int) (*Set, int64) {
	s := Of(ziplist.AppendEmpty(make([]byte, 0, 4096)))
	now := int64(1700000000000)
	for range n {
		now += 137
		s.Add(strconv.AppendInt(nil, now, 10), float64(now), redis, fixedDice(uint64(now)))
	}
	return &s, now
}

func forSizes(b *testing.B, do func(b *testing.B, n int)) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			do(b, n)
		})
	}
}

// BenchmarkInsert fills a set with n timestamps; the figures are per insertion and per member.
func BenchmarkInsert(b *testing.B) {
	forSizes(b, func(b *testing.B, n int) {
		dice := fixedDice(1)
		var member []byte
		held := 0
		for b.Loop() {
			var s Set
			for now := int64(1700000000000); now < int64(1700000000000+137*n); now += 137 {
				member = strconv.AppendInt(member[:0], now, 10)
				s.Add(member, float64(now), redis, dice)
			}
			held = s.Bytes()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/insert")
		b.ReportMetric(float64(held)/float64(n), "B/member")
	})
}

// BenchmarkLimiter is the sliding window at a steady size: one out, count, one in.
func BenchmarkLimiter(b *testing.B) {
	forSizes(b, func(b *testing.B, n int) {
		s, now := window(n)
		dice := fixedDice(1)
		var member []byte
		for b.Loop() {
			now += 137
			s.RemoveRangeByScore(ScoreRange{Max: float64(now - 137*int64(n))}, nil)
			if s.Len() >= n {
				b.Fatal("nothing left the window")
			}
			member = strconv.AppendInt(member[:0], now, 10)
			s.Add(member, float64(now), redis, dice)
		}
	})
}

// BenchmarkLimiterRefused is the same while the window is full and nothing leaves.
func BenchmarkLimiterRefused(b *testing.B) {
	forSizes(b, func(b *testing.B, n int) {
		s, now := window(n)
		for b.Loop() {
			s.RemoveRangeByScore(ScoreRange{Max: float64(now - 138*int64(n))}, nil)
			if s.Len() < n {
				b.Fatal("something left the window")
			}
		}
	})
}

func BenchmarkScore(b *testing.B) {
	forSizes(b, func(b *testing.B, n int) {
		s, now := window(n)
		member := strconv.AppendInt(nil, now-int64(137*(n/2)), 10)
		for b.Loop() {
			s.Score(member)
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	forSizes(b, func(b *testing.B, n int) {
		s, now := window(n)
		dice := fixedDice(1)
		member := strconv.AppendInt(nil, now-int64(137*(n/2)), 10)
		first := float64(1700000000000)
		for i := 0; b.Loop(); i++ {
			s.Add(member, first+float64(i&1)*float64(137*n), redis, dice)
		}
	})
}

func BenchmarkRange10(b *testing.B) {
	for _, by := range []string{"rank", "score"} {
		b.Run(by, func(b *testing.B) {
			forSizes(b, func(b *testing.B, n int) {
				s, now := window(n)
				sum := 0
				for b.Loop() {
					take := func(member []byte, _ float64) bool { sum += len(member); return true }
					if by == "rank" {
						s.Range(n/2, n/2+9, false, take)
					} else {
						s.RangeByScore(ScoreRange{Min: float64(now - int64(137*(n/2))), Max: inf}, false, 0, 10, take)
					}
				}
			})
		})
	}
}

func BenchmarkFractions(b *testing.B) {
	for _, n := range []int{8, 128} {
		b.Run(fmt.Sprint("insert/", n), func(b *testing.B) {
			buf := make([]byte, 0, 8192)
			member := []byte("m000")
			for b.Loop() {
				s := Of(ziplist.AppendEmpty(buf))
				for i := range n {
					member[3] = byte('0' + i)
					s.Add(member, float64(i)+0.1, redis, nil)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/insert")
		})
	}
}

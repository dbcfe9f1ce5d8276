package dict

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

var sizes = []int{16, 10_000, 1_000_000}

// keysOf returns n distinct keys of 12 to 13 bytes in a random order.
func keysOf(n int) []string {
	keys := make([]string, n)
	for i, j := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		keys[i] = "key:" + strconv.Itoa(10_000_000+j)
	}
	return keys
}

func BenchmarkHash(b *testing.B) {
	for _, n := range []int{3, 12, 16, 32, 64} {
		key := string(make([]byte, n))
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				Hash(1, key)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	for _, n := range sizes {
		keys := keysOf(n)
		var m Map[*item]
		gomap := map[string]*item{}
		for i, k := range keys {
			e := &item{key: k, value: i}
			m.Insert(e)
			gomap[k] = e
		}
		for _, kind := range []string{"hit", "miss"} {
			ask := keysOf(n)
			if kind == "miss" {
				for i := range ask {
					ask[i] = "no:" + ask[i]
				}
			}
			b.Run(fmt.Sprintf("%s/dict/%d", kind, n), func(b *testing.B) {
				i, found := 0, 0
				for b.Loop() {
					if e, ok := m.Find(ask[i]); ok {
						found += e.value
					}
					if i++; i == n {
						i = 0
					}
				}
				b.ReportMetric(float64(m.Bytes())/float64(n), "B/entry")
			})
			b.Run(fmt.Sprintf("%s/gomap/%d", kind, n), func(b *testing.B) {
				i, found := 0, 0
				for b.Loop() {
					if e, ok := gomap[ask[i]]; ok {
						found += e.value
					}
					if i++; i == n {
						i = 0
					}
				}
			})
		}
	}
}

func BenchmarkInsertAll(b *testing.B) {
	for _, n := range sizes {
		keys := keysOf(n)
		items := make([]*item, n)
		for i, k := range keys {
			items[i] = &item{key: k, value: i}
		}
		b.Run(fmt.Sprintf("dict/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var m Map[*item]
				for _, e := range items {
					m.Insert(e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/insert")
		})
		b.Run(fmt.Sprintf("gomap/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := map[string]*item{}
				for _, e := range items {
					m[e.key] = e
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/insert")
		})
	}
}

// BenchmarkReplace deletes one element and inserts another, at a steady size.
func BenchmarkReplace(b *testing.B) {
	for _, n := range sizes {
		m, items := filled(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				e, _ := m.Delete(items[i].key)
				m.Insert(e)
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

func BenchmarkRandom(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes {
		m, _ := filled(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				m.Random(rng.Uint64N)
			}
		})
	}
}

// BenchmarkScan walks a whole map in pages; its time is that of an element.
func BenchmarkScan(b *testing.B) {
	for _, n := range sizes {
		var m Map[*item]
		for i, k := range keysOf(n) {
			m.Insert(&item{key: k, value: i})
		}
		for _, count := range []int{1, 10, 1000} {
			b.Run(fmt.Sprintf("%d/count=%d", n, count), func(b *testing.B) {
				b.ReportAllocs()
				cursor, sum := uint64(0), 0
				for i := 0; i < b.N; {
					cursor = m.Scan(cursor, count, func(e *item) { i++; sum += len(e.key) })
				}
			})
		}
	}
}

package hash

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// bench runs do for hashes of timestamps with counters, packed in a buffer
// with room to spare, and as a table.
func bench(b *testing.B, do func(b *testing.B, h *Hash, fields [][]byte, lim Limits)) {
	for _, n := range []int{1, 8, 64, 128, 10000} {
		for _, form := range []string{"packed", "table"} {
			if form == "packed" && n > 512 {
				continue
			}
			lim := forms[form]
			h := Of(ziplist.AppendEmpty(make([]byte, 8192)))
			var fields [][]byte
			for i := range n {
				fields = append(fields, strconv.AppendInt(nil, 1700000000000+137*int64(i), 10))
				h.UpdateInt(fields[i], 1, lim)
			}
			b.Run(fmt.Sprintf("%s/%d", form, n), func(b *testing.B) { do(b, &h, fields, lim) })
		}
	}
}

func BenchmarkGet(b *testing.B) {
	bench(b, func(b *testing.B, h *Hash, fields [][]byte, _ Limits) {
		buf, i := make([]byte, 0, 20), 0
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := h.Get(fields[i], buf); !ok {
				b.Fatal("absent")
			}
			if i++; i == len(fields) {
				i = 0
			}
		}
	})
}

func BenchmarkSetExisting(b *testing.B) {
	bench(b, func(b *testing.B, h *Hash, fields [][]byte, lim Limits) {
		i, n := 0, int64(0)
		b.ReportAllocs()
		for b.Loop() {
			n++
			h.UpdateInt(fields[i], n%1000, lim)
			if i++; i == len(fields) {
				i = 0
			}
		}
	})
}

func BenchmarkDeleteInsert(b *testing.B) {
	bench(b, func(b *testing.B, h *Hash, fields [][]byte, lim Limits) {
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			h.Delete(fields[i])
			h.UpdateInt(fields[i], 1, lim)
			if i++; i == len(fields) {
				i = 0
			}
		}
	})
}

func BenchmarkEach(b *testing.B) {
	bench(b, func(b *testing.B, h *Hash, _ [][]byte, _ Limits) {
		sum := 0
		b.ReportAllocs()
		for b.Loop() {
			h.Each(func(f, v ziplist.Entry) bool { sum += int(f.Int + v.Int); return true })
		}
	})
}

// BenchmarkBytes tells the bytes a field costs at the sizes of interest.
func BenchmarkBytes(b *testing.B) {
	for _, n := range []int{1, 8, 64, 128, 512, 513, 1024, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var h Hash
			for b.Loop() {
				h = Hash{}
				for i := range n {
					h.UpdateInt(strconv.AppendInt(nil, 1700000000000+137*int64(i), 10), 1, defaults)
				}
			}
			b.ReportMetric(float64(h.Bytes()), "B")
		})
	}
}

package ziplist

import (
	"fmt"
	"strconv"
	"testing"
)

var benchSizes = []int{1, 8, 64, 128}

// records returns n pairs of a 13-digit timestamp and a counter, as limiters
// keep them, in a list with room to spare; and a text list of the same shape.
func records(n int) (ints, texts List) {
	ints, texts = AppendEmpty(make([]byte, 8192)), AppendEmpty(make([]byte, 8192))
	for i := range n {
		ints = ints.AppendInt(1700000000000 + 137*int64(i)).AppendInt(1)
		texts = texts.Append([]byte("user:1700" + strconv.Itoa(1000+i))).Append([]byte("v"))
	}
	return ints, texts
}

func bench(b *testing.B, do func(b *testing.B, l List, last []byte)) {
	for _, n := range benchSizes {
		ints, texts := records(n)
		for kind, l := range map[string]List{"ints": ints, "texts": texts} {
			e, _ := l.Get(l.Index(-2))
			last := e.Append(nil)
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) { do(b, l, last) })
		}
	}
}

func BenchmarkFindLast(b *testing.B) {
	bench(b, func(b *testing.B, l List, last []byte) {
		for b.Loop() {
			if l.Find(last, l.First(), 1) == None {
				b.Fatal("absent")
			}
		}
	})
}

// Any of five hundred fields with values of three kinds, as HGET looks for them.
func BenchmarkFindAny(b *testing.B) {
	values := map[string]string{"texts": "value:%d", "ints": "%d",
		"long": "a value longer than sixty-three bytes, as texts of the size of this one are: %d"}
	for kind, value := range values {
		l := AppendEmpty(nil)
		var fields [][]byte
		for i := range 500 {
			fields = append(fields, fmt.Appendf(nil, "field:%d", i))
			l = l.Append(fields[i]).Append(fmt.Appendf(nil, value, i))
		}
		b.Run(kind, func(b *testing.B) {
			i := 0
			for b.Loop() {
				i = (i + 197) % 500
				if l.Find(fields[i], l.First(), 1) == None {
					b.Fatal("absent")
				}
			}
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	bench(b, func(b *testing.B, l List, _ []byte) {
		sum := 0
		for b.Loop() {
			for p := l.First(); p != None; {
				var e Entry
				e, p = l.Get(p)
				sum += int(e.Int) + len(e.Str)
			}
		}
	})
}

// A pair goes from the head and another comes at the tail: a window slides.
func BenchmarkSlide(b *testing.B) {
	bench(b, func(b *testing.B, l List, last []byte) {
		for b.Loop() {
			l = l.Delete(l.First(), 2)
			l = l.Append(last).AppendInt(1)
		}
	})
}

func BenchmarkInsertDeleteMiddle(b *testing.B) {
	bench(b, func(b *testing.B, l List, last []byte) {
		middle := l.Index(l.Len() / 2)
		for b.Loop() {
			l = l.Insert(middle, last)
			l = l.Delete(middle, 1)
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	bench(b, func(b *testing.B, l List, _ []byte) {
		p, n := l.Last(), int64(0)
		for b.Loop() {
			n++
			l = l.ReplaceInt(p, n&15)
		}
	})
}

package list

import (
	"strconv"
	"testing"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// bench runs do for lists of n short texts: packed ones with room to spare, and chains.
func bench(b *testing.B, do func(b *testing.B, l *List, n int)) {
	for _, n := range []int{8, 128, 1000, 100000} {
		l := Of(ziplist.AppendEmpty(make([]byte, 8192)))
		for i := range n {
			l.Push(Tail, []byte("element:"+strconv.Itoa(i)), Defaults)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			do(b, &l, n)
		})
	}
}

var element = []byte("element:12345")

func BenchmarkPushTailDropHead(b *testing.B) {
	bench(b, func(b *testing.B, l *List, _ int) {
		for b.Loop() {
			l.Push(Tail, element, Defaults)
			l.RemoveEnd(Head, 1)
		}
	})
}

func BenchmarkPushHeadDropTail(b *testing.B) {
	bench(b, func(b *testing.B, l *List, _ int) {
		for b.Loop() {
			l.Push(Head, element, Defaults)
			l.RemoveEnd(Tail, 1)
		}
	})
}

func BenchmarkPush(b *testing.B) {
	for name, end := range map[string]End{"head": Head, "tail": Tail} {
		b.Run(name, func(b *testing.B) {
			var l List
			b.ReportAllocs()
			for b.Loop() {
				l.Push(end, element, Defaults)
			}
			b.ReportMetric(float64(l.Bytes())/float64(l.Len()), "B/element")
		})
	}
}

func BenchmarkRange300(b *testing.B) {
	bench(b, func(b *testing.B, l *List, _ int) {
		sum := 0
		for b.Loop() {
			l.Range(0, 300, func(e ziplist.Entry) { sum += len(e.Str) })
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	bench(b, func(b *testing.B, l *List, n int) {
		i := 0
		for b.Loop() {
			if _, ok := l.Index(i); !ok {
				b.Fatal("absent")
			}
			if i += 7919; i >= n {
				i %= n
			}
		}
	})
}

func BenchmarkSet(b *testing.B) {
	bench(b, func(b *testing.B, l *List, n int) {
		i := 0
		for b.Loop() {
			l.Set(i, element, Defaults)
			if i += 7919; i >= n {
				i %= n
			}
		}
	})
}

func BenchmarkSearchAll(b *testing.B) {
	bench(b, func(b *testing.B, l *List, n int) {
		for b.Loop() {
			l.Search([]byte("none"), Head, n, func(int) bool { return true })
		}
	})
}

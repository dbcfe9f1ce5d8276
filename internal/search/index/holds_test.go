package index

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// TestBytesAreThoseOfTheHeap: what an index says that it takes is what Go's heap has for it, within
// a tenth.
func TestBytesAreThoseOfTheHeap(t *testing.T) {
	const documents = 10_000
	for _, c := range []struct {
		name  string
		field Field
		value func(i int) string
	}{
		{"no field", Field{Kind: Numeric}, func(int) string { return "" }},
		{"words", Field{Kind: Text, Weight: 1},
			func(i int) string { return strings.Repeat(fmt.Sprintf("w%d x%d ", i, i/9), 5) }},
		{"words of their own", Field{Kind: Text, Weight: 1}, func(i int) string { return fmt.Sprint("u", i, "x") }},
		{"few tags", Field{Kind: Tag, Separator: ','}, func(i int) string { return fmt.Sprintf("t%d,x%d", i%9, i%7) }},
		{"many tags", Field{Kind: Tag}, func(i int) string { return fmt.Sprint("t", i) }},
		{"sorted texts", Field{Kind: Tag, Sortable: true}, func(i int) string { return strings.Repeat("text", 10) }},
		{"sorted texts of their own", Field{Kind: Tag, Sortable: true},
			func(i int) string { return fmt.Sprint(strings.Repeat("Text", 9), i) }},
		{"numbers", Field{Kind: Numeric}, func(i int) string { return fmt.Sprint(i * 7919 % documents) }},
		{"places", Field{Kind: Geo}, func(i int) string { return fmt.Sprintf("%d,%d", i%90, i%80) }},
		{"polygons", Field{Kind: Shape}, func(i int) string { return "POLYGON((0 0,0 9,9 9,3 4,0 0))" }},
		{"vectors", Field{Kind: Vector, Space: Space{Dimensions: 32}},
			func(i int) string { return strings.Repeat("abcd", 32) }},
	} {
		c.field.Path, c.field.Name = "f", "f"
		before := heapBytes()
		x := New(Definition{Prefixes: []string{""}, Stops: text.DefaultStopWords, Fields: []*Field{&c.field}})
		for i := range documents {
			h := new(hash.Hash)
			if v := c.value(i); v != "" {
				h.Set([]byte("f"), []byte(v), hash.Limits{MaxEntries: 10, MaxValue: 1000})
			}
			x.Put(fmt.Sprint("key:", i), h, 0)
		}
		require.InEpsilon(t, heapBytes()-before, x.Bytes(), 0.1, c.name)
		runtime.KeepAlive(x)
	}
}

// heapBytes returns the bytes of the heap that are in use.
func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

package elements

import (
	"fmt"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// What MEMORY EXPLAIN tells of encodings that several types have.

// ExplainZiplist returns the parts of a ziplist and the layout of the entries at both ends.
func ExplainZiplist(zl ziplist.List, ends int) []engine.Detail {
	n := zl.Len()
	tail, kinds := 0, map[string]int{}
	entries := engine.Table{Columns: []string{"index", "offset", "prevlen", "prevlen-bytes", "encoding",
		"encoding-bytes", "data-bytes", "content"}}
	overhead, i := 0, 0
	for cell := range zl.Layout() {
		tail = cell.Offset
		kinds[cell.Encoding.String()]++
		overhead += cell.PrevlenBytes + cell.HeadBytes
		if i < ends || i >= n-ends {
			entries.Add(i, cell.Offset, cell.Prevlen, cell.PrevlenBytes, cell.Encoding.String(), cell.HeadBytes,
				cell.DataBytes, content(cell.Entry))
		}
		i++
	}
	if n == 0 {
		tail = len(zl) - 1
	}
	r := []engine.Detail{
		{"header", 10, fmt.Sprintf("zlbytes %d, zltail %d, zllen %d", len(zl), tail, n)},
		{"lengths", overhead, "of the entry before and of the entry itself: prevlen and encoding"},
		{"data", len(zl) - ziplist.EmptyBytes - overhead, "texts and integers"}, {"end", 1, "ff"},
		{"spare", cap(zl) - len(zl), "room to grow"}}
	if len(kinds) > 0 {
		r = append(r, engine.Detail{"encodings", countsReport(kinds), ""})
	}
	return []engine.Detail{{"ziplist", append(r, engine.Detail{"entries", entries, entries.Without(n)}), ""}}
}

// encodingOrder is the order of the encodings of entries in a report.
var encodingOrder = []string{"imm", "int8", "int16", "int24", "int32", "int64", "str6", "str14", "str32"}

// countsReport returns how many entries have each encoding.
func countsReport(kinds map[string]int) []engine.Detail {
	var r []engine.Detail
	for _, name := range encodingOrder {
		if n := kinds[name]; n > 0 {
			r = append(r, engine.Detail{name, n, ""})
		}
	}
	return r
}

// content returns the integer or the text of an entry. A long text is cut.
func content(e ziplist.Entry) any {
	if e.IsInt() {
		return strconv.FormatInt(e.Int, 10)
	}
	return Clipped(e.Str)
}

// maxContent is how many bytes MEMORY EXPLAIN shows of an entry's text.
const maxContent = 40

// Clipped returns a copy of the text of an element, cut to maxContent bytes.
func Clipped(text []byte) []byte { return append([]byte(nil), text[:min(len(text), maxContent)]...) }

// ExplainCells returns the parts of a hash or a set with a dict, whose elements are one cell of an
// arena each.
func ExplainCells(name, about string, d table.Layout) []engine.Detail {
	return []engine.Detail{{name, []engine.Detail{
		{"texts", d.Texts, about}, {"rounding", d.Held - d.Texts, "lengths, rounding to 8 bytes, cells that are free"},
	}, "side by side in large blocks without pointers"}, {"dict", ExplainDict(d.Index), ""},
		{"fixed", d.Fixed, "what holds it together"}}
}

// ExplainDict returns the parts of a dict.
func ExplainDict(s dict.Stats) []engine.Detail {
	chains := engine.Table{Columns: []string{"elements", "chains"}}
	for k, n := range s.Chains {
		if n > 0 {
			chains.Add(k, n)
		}
	}
	r := []engine.Detail{{"bytes", s.Bytes,
		"buckets of 64 bytes: 12 fingerprints of 8 bits, 12 references of 32, a link"}, {"buckets", s.Buckets, ""},
		{"overflow", s.Overflow, "further buckets at the end of a full one"}}
	return append(r, engine.Detail{"chains", chains, ""})
}

package explain

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	tables "github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// defaultEnds is how many entries MEMORY EXPLAIN shows at each end of a collection.
const defaultEnds = 5

// maxContent is how many bytes it shows of an entry's text.
const maxContent = 40

// MEMORY EXPLAIN key [ENTRIES count]
//
// It replies with the layout of the key in memory: the parts of its entry and of its value. count
// is how many entries it shows at each end. O(n) for a table, O(bytes) for a ziplist.
func cmdMemoryExplain(c *engine.Call) {
	key, ends := c.Arg(), defaultEnds
	if c.More() {
		if !c.Word("ENTRIES") {
			c.Refuse(engine.ErrSyntax)
		}
		ends = int(c.IntIn(0, 1<<20, engine.ErrNotPositive))
		c.End()
	}
	if !c.OK() {
		return
	}
	layout, ok := c.DB.Usage().Layout(key)
	if !ok {
		c.Fail(engine.ErrNoKey)
		return
	}
	v, _ := c.DB.Peek(key)
	replyReport(c, slices.Concat(overview(c, key, v, layout), valueReport(v, ends), detailsReport(c, v),
		deadlinesReport(v)))
}

// ziplistOf returns the ziplist of a value. ok is false if the value has another encoding. Packed
// excludes values with deadlines of elements, but those have a ziplist too.
func ziplistOf(v keyspace.Value) (zl ziplist.List, ok bool) {
	switch v := v.(type) {
	case *zset.Set:
		return v.Packed()
	case *hash.Hash:
		zl, ok := v.Packed()
		return zl, ok || v.Encoding() == "listpackex"
	case *set.Set:
		return v.Ziplist()
	case *list.List:
		zl, ok := v.Packed()
		return zl, ok || zl != nil
	}
	return nil, false
}

// overview returns the properties of a key and the parts of its entry.
func overview(c *engine.Call, key []byte, v keyspace.Value, l keyspace.Layout) report {
	n, unit := v.Len(), "element"
	if v.Type() == keyspace.String {
		unit = "byte"
	}
	entry, rounding := report{{"form", "packed", "one cell outside of Go's heap, which the collector never looks into"},
		{"header", l.Header, "access clock and kind 4, lengths 4, a deadline 8"}}, "up to a multiple of 8"
	switch {
	case l.Packed && l.Header+l.Key+l.Value > slab.SmallCell:
		rounding = "up to the next size of a cell: eight from one power of two to the next"
	case !l.Packed:
		rounding = "up to what the allocator hands out"
		entry = report{{"form", "boxed", "a cell with the key, and an object that points to the value"},
			{"header", l.Header, "as in a packed entry, and that object"}}
	}
	entry = append(entry, item{"key", l.Key, ""}, item{"value", l.Value, ""}, item{"rounding", l.Rounding, rounding},
		item{"slot", l.Slot, "in the table of keys"})
	if l.Index > 0 {
		entry = append(entry, item{"deadline", l.Index, "in the index of deadlines"})
	}
	return report{{"key", key, ""}, {"type", v.Type().String(), ""}, encodingOf(c, v),
		{"length", n, unit + "s"}, {"bytes", l.Bytes(), "what MEMORY USAGE tells"},
		{"bytes-per-" + unit, float64(l.Bytes()) / float64(max(n, 1)), ""}, {"entry", entry, ""}}
}

// encodingOf returns what the server calls the encoding of a value, and what it is if that is
// something else.
func encodingOf(c *engine.Call, v keyspace.Value) item {
	name, note := c.Engine.Encoding(v), ""
	if held := v.Encoding(); held == "ziplist" && name != held {
		note = "in memory a ziplist"
	}
	return item{"encoding", name, note}
}

// deadlinesReport returns the size of the deadlines of elements, nil if there are none.
func deadlinesReport(v keyspace.Value) report {
	c, ok := v.(keyspace.Collection)
	if !ok || c.DeadlineBytes() == 0 {
		return nil
	}
	return report{{"deadlines", report{{"elements", c.Volatile(), "that have one"}, {"bytes", c.DeadlineBytes(), ""}},
		"of elements, kept beside them"}}
}

// valueReport returns the parts of a value, with up to ends entries at each end.
func valueReport(v keyspace.Value, ends int) report {
	switch v := v.(type) {
	case *str.Value:
		return stringReport(v)
	case *zset.Set:
		if d, ok := v.Layout(); ok {
			return skiplistReport(v, d, ends)
		}
		zl, _ := v.Packed()
		return ziplistReport(zl, ends)
	case *hash.Hash:
		if d, ok := v.Layout(); ok {
			return cellsReport("pairs", "fields and values", d)
		}
		zl, _ := v.Packed()
		return ziplistReport(zl, ends)
	case *set.Set:
		return setReport(v, ends)
	case *list.List:
		return listReport(v, ends)
	case *stream.Stream:
		return streamReport(v, ends)
	}
	return nil
}

// detailsReport returns what the part that added its type tells of a value.
func detailsReport(c *engine.Call, v keyspace.Value) (r report) {
	if explain := c.Engine.Parts.Types.Of(v.Type()).Explain; explain != nil {
		for _, d := range explain(v) {
			r = append(r, item{d.Name, d.Value, d.Note})
		}
	}
	return r
}

// stringReport returns the parts of a string.
func stringReport(v *str.Value) report {
	if n, ok := v.Int(); ok {
		return report{{"integer", int(n), "kept as 8 bytes, not as text"}}
	}
	return report{{"text",
		report{{"length", v.Len(), ""}, {"capacity", v.Bytes(), "more only where APPEND and its like made room"}}, ""}}
}

// ziplistReport returns the parts of a ziplist and the layout of the entries at both ends.
func ziplistReport(zl ziplist.List, ends int) report {
	n := zl.Len()
	tail, kinds := 0, map[string]int{}
	entries := table{columns: []string{"index", "offset", "prevlen", "prevlen-bytes", "encoding", "encoding-bytes",
		"data-bytes", "content"}}
	overhead, i := 0, 0
	for cell := range zl.Layout() {
		tail = cell.Offset
		kinds[cell.Encoding.String()]++
		overhead += cell.PrevlenBytes + cell.HeadBytes
		if i < ends || i >= n-ends {
			entries.add(i, cell.Offset, cell.Prevlen, cell.PrevlenBytes, cell.Encoding.String(), cell.HeadBytes,
				cell.DataBytes, content(cell.Entry))
		}
		i++
	}
	if n == 0 {
		tail = len(zl) - 1
	}
	r := report{
		{"header", 10, fmt.Sprintf("zlbytes %d, zltail %d, zllen %d", len(zl), tail, n)},
		{"lengths", overhead, "of the entry before and of the entry itself: prevlen and encoding"},
		{"data", len(zl) - ziplist.EmptyBytes - overhead, "texts and integers"}, {"end", 1, "ff"},
		{"spare", cap(zl) - len(zl), "room to grow"}}
	if len(kinds) > 0 {
		r = append(r, item{"encodings", countsReport(kinds), ""})
	}
	return report{{"ziplist", append(r, item{"entries", entries, entries.without(n)}), ""}}
}

// encodingOrder is the order of the encodings of entries in a report.
var encodingOrder = []string{"imm", "int8", "int16", "int24", "int32", "int64", "str6", "str14", "str32"}

// countsReport returns how many entries have each encoding.
func countsReport(kinds map[string]int) report {
	var r report
	for _, name := range encodingOrder {
		if n := kinds[name]; n > 0 {
			r = append(r, item{name, n, ""})
		}
	}
	return r
}

// content returns the integer or the text of an entry. A long text is cut to maxContent bytes.
func content(e ziplist.Entry) any {
	if e.IsInt() {
		return strconv.FormatInt(e.Int, 10)
	}
	return append([]byte(nil), e.Str[:min(len(e.Str), maxContent)]...)
}

// skiplistReport returns the parts of a sorted set with a skiplist and a dict, and the nodes at
// both ends.
func skiplistReport(v *zset.Set, d zset.Layout, ends int) report {
	levels := table{columns: []string{"height", "nodes", "share"}}
	for i, n := range d.Nodes.Heights {
		levels.add(i+1, n, fmt.Sprintf("%.1f%%", float64(n)*100/float64(max(d.Members.Len, 1))))
	}
	_, _, head := v.Tower(-1)
	entries := towers(v, ends)
	return report{{"skiplist", report{
		{"head", d.Nodes.Head, "links of the first node of each level"},
		{"nodes", d.Nodes.Fixed, fmt.Sprintf("score, two links and a height for each of %d", d.Members.Len)},
		{"levels", d.Nodes.Levels, "links and spans above the lowest level"},
		{"members", d.Nodes.Members, "stored once, in the nodes; the dict refers to them"},
		{"rounding", d.Nodes.Waste, "lengths, rounding to 8 bytes, cells that are free"},
		{"heights", levels, "each level has a quarter of the nodes of the one below"},
		{"spans", head, "of the links of the head, from level 1 upward; on level 0 a span is always 1, and not stored"},
		{"entries", entries, entries.without(v.Len())},
	}, ""}, {"dict", dictReport(d.Members), ""}, {"fixed", d.Fixed, "what holds skiplist and dict together"}}
}

// towers returns the nodes at both ends of a skiplist. The span of a link to the end counts the
// nodes behind, as in Redis.
func towers(v *zset.Set, ends int) table {
	nodes, n := table{columns: []string{"index", "height", "spans", "score", "content"}}, v.Len()
	for i := 0; i < n; i++ {
		if i == ends {
			i = max(i, n-ends)
		}
		if i < n {
			member, score, spans := v.Tower(i)
			nodes.add(i, len(spans)+1, spans, string(resp.FormatShortest(nil, score)),
				append([]byte(nil), member[:min(len(member), maxContent)]...))
		}
	}
	return nodes
}

// cellsReport returns the parts of a hash or a set with a dict, whose elements are one cell of an
// arena each.
func cellsReport(name, about string, d tables.Layout) report {
	return report{{name, report{
		{"texts", d.Texts, about}, {"rounding", d.Held - d.Texts, "lengths, rounding to 8 bytes, cells that are free"},
	}, "side by side in large blocks without pointers"}, {"dict", dictReport(d.Index), ""},
		{"fixed", d.Fixed, "what holds it together"}}
}

// dictReport returns the parts of a dict.
func dictReport(s dict.Stats) report {
	chains := table{columns: []string{"elements", "chains"}}
	for k, n := range s.Chains {
		if n > 0 {
			chains.add(k, n)
		}
	}
	r := report{{"bytes", s.Bytes, "buckets of 64 bytes: 12 fingerprints of 8 bits, 12 references of 32, a link"},
		{"buckets", s.Buckets, ""},
		{"overflow", s.Overflow, "further buckets at the end of a full one"}}
	return append(r, item{"chains", chains, ""})
}

// setReport returns the parts of a set.
func setReport(v *set.Set, ends int) report {
	if d, ok := v.Layout(); ok {
		return cellsReport("members", "members", d)
	}
	if zl, ok := v.Ziplist(); ok {
		return ziplistReport(zl, ends)
	}
	ints, _ := v.Intset()
	return intsetReport(ints, ends)
}

// intsetReport returns the parts of an intset and the integers at both ends.
func intsetReport(s intset.Set, ends int) report {
	n := s.Len()
	entries := table{columns: []string{"index", "offset", "integer"}}
	for i := range n {
		if i < ends || i >= n-ends {
			entries.add(i, 8+i*s.Width(), strconv.FormatInt(s.At(i), 10))
		}
	}
	return report{{"intset", report{{"header", 8, "width and length"},
		{"width", s.Width(), "bytes of each integer, by the largest there ever was"},
		{"data", n * s.Width(), ""}, {"entries", entries, entries.without(n)}}, ""}}
}

// listReport returns the parts of a list and the nodes at both ends.
func listReport(v *list.List, ends int) report {
	nodes := table{columns: []string{"index", "kind", "elements", "bytes", "used"}}
	held, used, n := 0, 0, 0
	chained := v.Nodes(func(d list.Node) bool { n++; return true })
	if !chained {
		zl, _ := v.Packed()
		return ziplistReport(zl, ends)
	}
	i := 0
	v.Nodes(func(d list.Node) bool {
		kind := "ziplist"
		if d.Plain {
			kind = "plain"
		}
		held, used = held+d.Bytes, used+d.Used
		if i < ends || i >= n-ends {
			nodes.add(i, kind, d.Len, d.Bytes, d.Used)
		}
		i++
		return true
	})
	parts := report{{"nodes", n, fmt.Sprintf("%d bytes each beside their blocks", list.NodeBytes)},
		{"blocks", held, ""}, {"used", used, "of the blocks"}}
	if spare := v.SpareBytes(); spare > 0 {
		parts = append(parts, item{"spare", spare, "bytes of a removed node, kept for the next"})
	}
	return report{{"quicklist", append(parts, item{"chain", nodes, "from head to tail"}), ""}}
}

// streamReport returns the parts of a stream and the nodes at both ends.
func streamReport(v *stream.Stream, ends int) report {
	nodes := table{columns: []string{"index", "first-id", "bytes"}}
	i, used := 0, 0
	for id, pack := range v.Packs() {
		used += len(pack)
		if i < ends || i >= v.NodeCount()-ends {
			nodes.add(i, id.String(), len(pack))
		}
		i++
	}
	pending, consumers := 0, 0
	for _, g := range v.Groups() {
		pending, consumers = pending+g.Pending(), consumers+len(g.Consumers())
	}
	return report{{"stream",
		report{{"nodes", v.NodeCount(), "listpacks of entries"}, {"used", used, "bytes of the listpacks"},
			{"groups", len(v.Groups()), ""}, {"consumers", consumers, ""},
			{"pending", pending, "messages read and not acknowledged"},
			{"chain", nodes, "by ID"}}, ""}}
}

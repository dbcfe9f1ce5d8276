package explain

import (
	"fmt"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// explained is how many entries are shown of each end of a packed collection.
const explained = 5

// shownText is how many bytes of an entry's text are shown.
const shownText = 40

// MEMORY EXPLAIN key [ENTRIES count]
//
// It draws how the key lies in memory: what the entry of the key consists of, and what the value does.
// O(n) for a table, O(bytes) for a ziplist.
func cmdMemoryExplain(c *engine.Call) {
	key, ends := c.Arg(), explained
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
	layout, ok := c.DB.Layout(key)
	if !ok {
		c.Fail(engine.ErrNoKey)
		return
	}
	v, _ := c.DB.Peek(key)
	replyReport(c, append(append(overview(key, v, layout), inside(v, ends)...), deadlines(v)...))
}

// DEBUG ZIPLIST | LISTPACK key
//
// Redis prints the entries to the server's standard output; here they are the reply.
func cmdDebugZiplist(c *engine.Call) {
	v, ok := c.DB.Peek(c.Arg())
	if !ok {
		c.Fail(engine.ErrNoKey)
		return
	}
	zl, ok := ziplistOf(v)
	if !ok {
		c.Fail(errNotPacked)
		return
	}
	replyReport(c, insideZiplist(zl, zl.Len()))
}

// ziplistOf returns the ziplist that a value is; false if it is none.
func ziplistOf(v keyspace.Value) (ziplist.List, bool) {
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

// overview tells of what the entry of a key consists.
func overview(key []byte, v keyspace.Value, l keyspace.Layout) report {
	n, unit := v.Len(), "element"
	if v.Type() == keyspace.String {
		unit = "byte"
	}
	entry := report{{"form", "packed", "one allocation without pointers, which the collector never looks into"},
		{"header", l.Header, "deadline 8, access clock and kind 4, lengths 4"}}
	if !l.Packed {
		entry = report{{"form", "boxed", "an object that points to the key and the value"},
			{"header", l.Header, "as in a packed entry, and pointers to key and value"}}
	}
	entry = append(entry, fact{"key", l.Key, ""}, fact{"value", l.Value, ""}, fact{"rounding", l.Rounding, "up to what the allocator hands out"},
		fact{"slot", l.Slot, "in the table of keys"})
	if l.Index > 0 {
		entry = append(entry, fact{"deadline", l.Index, "in the index of deadlines"})
	}
	return report{{"key", key, ""}, {"type", v.Type().String(), ""}, {"encoding", v.Encoding(), ""},
		{"length", n, plural(unit)}, {"bytes", l.Bytes(), "what MEMORY USAGE tells"},
		{"bytes-per-" + unit, float64(l.Bytes()) / float64(max(n, 1)), ""}, {"entry", entry, ""}}
}

// deadlines tells of the deadlines of elements, if there are any.
func deadlines(v keyspace.Value) report {
	c, ok := v.(keyspace.Collection)
	if !ok || c.DeadlineBytes() == 0 {
		return nil
	}
	return report{{"deadlines", report{{"elements", c.Volatile(), "that have one"}, {"bytes", c.DeadlineBytes(), ""}}, "of elements, kept beside them"}}
}

func plural(unit string) string { return unit + "s" }

// inside tells of what a value consists.
func inside(v keyspace.Value, ends int) report {
	switch v := v.(type) {
	case *str.Value:
		return insideString(v)
	case *zset.Set:
		if d, ok := v.Layout(); ok {
			return insideSorted(d)
		}
		zl, _ := v.Packed()
		return insideZiplist(zl, ends)
	case *hash.Hash:
		if d, ok := v.Layout(); ok {
			return insideTable("pairs", "fields and values", d.Fixed, d.Texts, d.Held, d.Pairs)
		}
		zl, _ := v.Packed()
		return insideZiplist(zl, ends)
	case *set.Set:
		return insideSet(v, ends)
	case *list.List:
		return insideList(v, ends)
	case *stream.Stream:
		return insideStream(v, ends)
	}
	return nil
}

func insideString(v *str.Value) report {
	if n, ok := v.Int(); ok {
		return report{{"integer", int(n), "kept as 8 bytes, not as text"}}
	}
	return report{{"text", report{{"length", v.Len(), ""}, {"capacity", v.Bytes(), "more only where APPEND and its like made room"}}, ""}}
}

// insideZiplist tells how the entries lie, those of both ends.
func insideZiplist(zl ziplist.List, ends int) report {
	n := zl.Len()
	tail, kinds := 0, map[string]int{}
	entries := grid{columns: []string{"index", "offset", "prevlen", "prevlen-bytes", "encoding", "encoding-bytes", "data-bytes", "content"}}
	overhead, i := 0, 0
	for cell := range zl.Layout() {
		tail = cell.Offset
		kinds[cell.Encoding.String()]++
		overhead += cell.PrevlenBytes + cell.HeadBytes
		if i < ends || i >= n-ends {
			entries.add(i, cell.Offset, cell.Prevlen, cell.PrevlenBytes, cell.Encoding.String(), cell.HeadBytes, cell.DataBytes, content(cell.Entry))
		}
		i++
	}
	if n == 0 {
		tail = len(zl) - 1
	}
	r := report{
		{"header", 10, fmt.Sprintf("zlbytes %d, zltail %d, zllen %d", len(zl), tail, n)},
		{"lengths", overhead, "of the entry before and of the entry itself: prevlen and encoding"},
		{"data", len(zl) - ziplist.EmptyBytes - overhead, "texts and integers"}, {"end", 1, "ff"}, {"spare", cap(zl) - len(zl), "room to grow"}}
	if len(kinds) > 0 {
		r = append(r, fact{"encodings", counts(kinds), ""})
	}
	if left := n - len(entries.rows); left > 0 {
		return report{{"ziplist", append(r, fact{"entries", entries, fmt.Sprintf("without %d in the middle", left)}), ""}}
	}
	return report{{"ziplist", append(r, fact{"entries", entries, ""}), ""}}
}

// encodingOrder is the order in which encodings are counted.
var encodingOrder = []string{"imm", "int8", "int16", "int24", "int32", "int64", "str6", "str14", "str32"}

func counts(kinds map[string]int) report {
	var r report
	for _, name := range encodingOrder {
		if n := kinds[name]; n > 0 {
			r = append(r, fact{name, n, ""})
		}
	}
	return r
}

// content returns an entry's text, or the beginning of a long one.
func content(e ziplist.Entry) any {
	if e.IsInt() {
		return strconv.FormatInt(e.Int, 10)
	}
	return append([]byte(nil), e.Str[:min(len(e.Str), shownText)]...)
}

// insideSorted tells how a skiplist and its dict lie.
func insideSorted(d zset.Layout) report {
	levels := grid{columns: []string{"height", "nodes", "share"}}
	for i, n := range d.Nodes.Heights {
		levels.add(i+1, n, fmt.Sprintf("%.1f%%", float64(n)*100/float64(max(d.Members.Len, 1))))
	}
	return report{{"skiplist", report{
		{"head", d.Nodes.Head, "links of the first node of each level"},
		{"nodes", d.Nodes.Fixed, fmt.Sprintf("score, two links and a size for each of %d", d.Members.Len)},
		{"levels", d.Nodes.Levels, "links and spans above the lowest level"},
		{"members", d.Nodes.Members, "stored once, in the nodes; the dict points to them"},
		{"rounding", d.Nodes.Waste, "up to what the allocator hands out"},
		{"heights", levels, "each level has a quarter of the nodes of the one below"},
	}, ""}, {"dict", dictReport(d.Members), ""}, {"fixed", d.Fixed, "what holds skiplist and dict together"}}
}

// insideTable tells how a dict of blocks lies.
func insideTable(name, about string, fixed, texts, held int, stats dict.Stats) report {
	return report{{name, report{
		{"texts", texts, about}, {"rounding", held - texts, "lengths, and up to what the allocator hands out"},
	}, "each one block without pointers"}, {"dict", dictReport(stats), ""}, {"fixed", fixed, "what holds it together"}}
}

func dictReport(s dict.Stats) report {
	chains := grid{columns: []string{"elements", "chains"}}
	for k, n := range s.Chains {
		if n > 0 {
			chains.add(k, n)
		}
	}
	r := report{{"bytes", s.Bytes, "buckets of 64 bytes: tags of 8 bits, six pointers, a link"}, {"buckets", s.Buckets, ""},
		{"overflow", s.Overflow, "further buckets at the end of a full one"}}
	if s.Old > 0 {
		r = append(r, fact{"old-buckets", s.Old, fmt.Sprintf("being moved, %d are", s.Moved)})
	}
	return append(r, fact{"chains", chains, ""})
}

func insideSet(v *set.Set, ends int) report {
	if d, ok := v.Layout(); ok {
		return insideTable("members", "members", d.Fixed, d.Texts, d.Held, d.Members)
	}
	if zl, ok := v.Ziplist(); ok {
		return insideZiplist(zl, ends)
	}
	ints, _ := v.Intset()
	return insideIntset(ints, ends)
}

func insideIntset(s intset.Set, ends int) report {
	n := s.Len()
	entries := grid{columns: []string{"index", "offset", "integer"}}
	for i := range n {
		if i < ends || i >= n-ends {
			entries.add(i, 8+i*s.Width(), strconv.FormatInt(s.At(i), 10))
		}
	}
	note := ""
	if left := n - len(entries.rows); left > 0 {
		note = fmt.Sprintf("without %d in the middle", left)
	}
	return report{{"intset", report{{"header", 8, "width and length"}, {"width", s.Width(), "bytes of each integer, by the largest there ever was"},
		{"data", n * s.Width(), ""}, {"entries", entries, note}}, ""}}
}

// insideList tells how the nodes of a quicklist lie, those of both ends.
func insideList(v *list.List, ends int) report {
	nodes := grid{columns: []string{"index", "kind", "elements", "bytes", "used"}}
	held, used, n := 0, 0, 0
	chained := v.Nodes(func(d list.Node) bool { n++; return true })
	if !chained {
		zl, _ := v.Packed()
		return insideZiplist(zl, ends)
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
	return report{{"quicklist", report{{"nodes", n, fmt.Sprintf("%d bytes each beside their blocks", list.NodeBytes)},
		{"blocks", held, ""}, {"used", used, "of the blocks"}, {"chain", nodes, "from head to tail"}}, ""}}
}

// insideStream tells how the nodes of a stream lie, those of both ends.
func insideStream(v *stream.Stream, ends int) report {
	nodes := grid{columns: []string{"index", "first-id", "bytes"}}
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
	return report{{"stream", report{{"nodes", v.NodeCount(), "listpacks of entries"}, {"used", used, "bytes of the listpacks"},
		{"groups", len(v.Groups()), ""}, {"consumers", consumers, ""}, {"pending", pending, "messages read and not acknowledged"},
		{"chain", nodes, "by ID"}}, ""}}
}

package explain

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/internal/commands/encodings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// defaultEnds is how many entries MEMORY EXPLAIN shows at each end of a collection.
const defaultEnds = 5

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
	replyReport(c, slices.Concat(overview(c, key, v, layout), valueReport(c, v, ends), deadlinesReport(v)))
}

// valueReport returns the parts of a value, with up to ends entries at each end.
func valueReport(c *engine.Call, v keyspace.Value, ends int) report {
	if explain := c.Engine.Parts.Types.Of(v.Type()).Explain; explain != nil {
		return explain(v, ends)
	}
	return nil
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
	name, note := encodings.Of(c.Engine, v), ""
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

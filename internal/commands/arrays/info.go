package arrays

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// ARINFO key [FULL]
func cmdARInfo(c *engine.Call) {
	key, full := c.Arg(), c.More()
	if full && (!c.Word("FULL") || c.More()) {
		c.Refuse(engine.ErrSyntax)
	}
	a, found := engine.Read[*array.Array](c, key)
	if !found {
		c.Refuse(engine.ErrNoKey)
	}
	if !c.OK() {
		return
	}
	l, next := a.Layout(limits(c), full), a.Next()
	if next == array.Exhausted {
		next = 0
	}
	fields := []struct {
		name string
		n    uint64
	}{{"count", uint64(a.Len())}, {"len", a.Span()}, {"next-insert-index", next}, {"slices", uint64(l.Slices)},
		{"directory-size", uint64(l.Directory)}, {"super-dir-entries", uint64(l.Blocks)},
		{"slice-size", uint64(l.SliceSize)}, {"dense-slices", uint64(l.Dense)}, {"sparse-slices", uint64(l.Sparse)}}
	ratios := []struct {
		name    string
		of, per int
	}{{"avg-dense-size", l.Windows, l.Dense}, {"avg-dense-fill", l.InWindows, l.Windows},
		{"avg-sparse-size", l.SparseRoom, l.Sparse}}
	if !full {
		fields, ratios = fields[:7], nil
	}
	c.Reply.Map(len(fields) + len(ratios))
	for _, f := range fields {
		c.Reply.BulkString(f.name)
		c.Reply.Uint(f.n)
	}
	for _, r := range ratios {
		c.Reply.BulkString(r.name)
		c.Reply.Double(ratio(r.of, r.per))
	}
}

// ratio returns n for each of some; 0 if there are none.
func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// explain returns where the bytes of an array are, and its elements at both ends.
func explain(v keyspace.Value, ends int) []engine.Detail {
	a := v.(*array.Array)
	form, note := "packed", "a ziplist: the next index, and index and text of each element"
	l := a.Layout(array.Defaults, true)
	if !l.Packed {
		form, note = "slices", "of indexes that follow one another, in cells of their own"
	}
	parts := []engine.Detail{{"form", form, note},
		{"length", strconv.FormatUint(a.Span(), 10), "the greatest index plus 1"},
		{"next", strconv.FormatUint(a.Next(), 10), "the index of the next insertion"}}
	if !l.Packed {
		parts = append(parts, engine.Detail{"slices", l.Slices, ""},
			engine.Detail{"dense", l.DenseHere, "of them, with a word for each index of a window"},
			engine.Detail{"pages", l.Pages, "bytes that say where the slices are"},
			engine.Detail{"cells", l.Cells, "bytes of the slices, and of texts that take more than a word"},
			engine.Detail{"free", l.Free, "bytes of cells"})
	}
	elements, seen := engine.Table{Columns: []string{"index", "text"}}, 0
	a.Scan(0, array.MaxIndex, func(index uint64, e ziplist.Entry) bool {
		if seen < ends || seen >= a.Len()-ends {
			elements.Add(strconv.FormatUint(index, 10), e.Append(nil))
		}
		seen++
		return true
	})
	parts = append(parts, engine.Detail{"elements", elements, elements.Without(a.Len())})
	return []engine.Detail{{"array", parts, ""}}
}

package hash

import "github.com/miniserver-go/miniserver/ds/dict"

// Layout lists what the table of a hash consists of; all but the last in bytes.
type Layout struct {
	Fixed int        // what holds the rest together
	Texts int        // fields and values
	Held  int        // the arena: texts, their lengths, rounding, cells not in use
	Pairs dict.Stats // of the buckets
}

// Layout returns what the hash consists of; false if it is packed. O(n).
func (h *Hash) Layout() (Layout, bool) {
	if h.table == nil {
		return Layout{}, false
	}
	t := h.table
	d := Layout{Held: t.pairs.Bytes(), Pairs: t.index.Stats()}
	d.Fixed = t.bytes() - d.Held - d.Pairs.Bytes - h.DeadlineBytes()
	t.index.Each(func(p pair) bool {
		d.Texts += len(t.field(p)) + len(t.value(p))
		return true
	})
	return d, true
}

// DeadlineBytes returns the bytes that the deadlines of fields take, part of Bytes. O(1).
func (h *Hash) DeadlineBytes() int {
	if h.table != nil {
		return h.table.deadlines.Bytes()
	}
	return h.deadlines.Bytes()
}

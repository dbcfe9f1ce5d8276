package arrays

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// forms returns an array as a hash, whose fields are the indexes, and if there is no index without
// an element below the last one, as a list.
func forms(w *engine.World, v keyspace.Value) []engine.Form {
	a, n := v.(*array.Array), 0
	fields, row := new(hash.Hash), new(list.List)
	limits, lengths := w.HashLimits(), w.Engine().Config.List
	var index, buf [24]byte
	a.Scan(0, array.MaxIndex, func(i uint64, e ziplist.Entry) bool {
		text := e.Text(buf[:])
		fields.Set(strconv.AppendUint(index[:0], i, 10), text, limits)
		row.Push(list.Tail, text, lengths)
		n++
		return n < engine.MostBuilt
	})
	first := 0
	if n < a.Len() {
		first = n
	}
	all := []engine.Form{{Name: "array", Value: a}}
	if n > 0 {
		all = append(all, engine.Form{Name: "hash", Value: fields, First: first})
	}
	if n > 0 && a.Span() == uint64(a.Len()) {
		all = append(all, engine.Form{Name: "list", Value: row, First: first})
	}
	return all
}

package arrays

import (
	"fmt"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// nextRow is the name of the row that tells the next index, in formats for people.
const nextRow = "next"

// Type is the data type of arrays.
var Type = engine.Type{Type: array.Type, Explain: explain, Forms: forms, Rewrite: rewrite,
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		a, lines := v.(*array.Array), []string(nil)
		each(a, func(index uint64, text []byte) {
			lines = append(lines, fmt.Sprintf("%d %s", index, elements.Quoted(text)))
		})
		return fmt.Sprintf("array, next %d", a.Next()), lines
	},
	Plain: &engine.Plain{Columns: 2,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			a := v.(*array.Array)
			if next := a.Next(); next > 0 {
				add(nextRow, strconv.FormatUint(next, 10))
			}
			each(a, func(index uint64, text []byte) { add(strconv.FormatUint(index, 10), string(text)) })
		},
		Build: func(w *engine.World, rows [][]string) (keyspace.Value, error) {
			a := new(array.Array)
			for _, row := range rows {
				if err := addRow(a, row[0], row[1], w.Engine().Config.Array); err != nil {
					return nil, err
				}
			}
			return a, nil
		},
	}}

// addRow adds a row of Plain to an array.
func addRow(a *array.Array, name, text string, lim array.Limits) error {
	if name == nextRow {
		next, err := strconv.ParseUint(text, 10, 64)
		if err == nil {
			a.Seek(next)
		}
		return err
	}
	index, err := strconv.ParseUint(name, 10, 64)
	if err != nil || index > array.MaxIndex {
		return errIndex
	}
	a.Set(index, []byte(text), lim)
	return nil
}

// each calls fn for all elements. The text is valid during the call.
func each(a *array.Array, fn func(index uint64, text []byte)) {
	buf := make([]byte, 0, 32)
	a.Scan(0, array.MaxIndex, func(index uint64, e ziplist.Entry) bool {
		fn(index, e.Text(buf))
		return true
	})
}

// rewrite tells the commands that make an array.
func rewrite(v keyspace.Value, to engine.Rewriter) {
	a := v.(*array.Array)
	a.Scan(0, array.MaxIndex, func(index uint64, e ziplist.Entry) bool {
		to.Add("ARMSET", strconv.AppendUint(nil, index, 10), e.Append(nil))
		return true
	})
	if next := a.Next(); next > 0 {
		to.Command("ARSEEK", strconv.AppendUint(nil, next, 10))
	}
}

package json

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// TestExplainTellsAllBytes: the parts that MEMORY EXPLAIN names are all of a document, to the byte.
func TestExplainTellsAllBytes(t *testing.T) {
	record := `{"id":%d,"name":"a pair of shoes","price":80.5,"sold":false,"tags":["x","y",null],"long":"%s"},`
	for _, n := range []int{0, 1, 20, 300, 5000} {
		var b strings.Builder
		b.WriteString(`[1.25,-7,`)
		for i := range n {
			fmt.Fprintf(&b, record, i, strings.Repeat("z", i%7*100))
		}
		d, _, err := new(json.Parser).Parse([]byte(b.String() + `{"last":{}}]`))
		require.NoError(t, err)
		for range 100 { // a tree that has changed has room that is not used
			new(json.Editor).Insert(d, nil, 0, json.TextValue([]byte("some text")))
		}
		parts := explain(d, 0)[0].Value.([]engine.Detail)
		sum, values := 0, sumOf(parts, "members")
		for _, row := range parts[2].Value.(engine.Table).Rows {
			values += row[2].(int)
		}
		if packed, small := d.Packed(); small {
			sum = sumOf(parts, "names-bytes", "head") + values
			require.Equal(t, len(packed), sum, n)
		} else {
			require.Equal(t, sumOf(parts, "used"), values, n)
			sum = sumOf(parts, "names-bytes", "cells-bytes", "structure")
			require.Equal(t, keyspace.BoxedLayout(1, d).Value, sum, n)
		}
	}
}

// sumOf returns the sum of details.
func sumOf(parts []engine.Detail, names ...string) (n int) {
	for _, name := range names {
		for _, part := range parts {
			if part.Name == name {
				n += part.Value.(int)
			}
		}
	}
	return n
}

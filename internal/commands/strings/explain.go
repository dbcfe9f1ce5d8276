package strings

import (
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns the parts of a string.
func explain(value keyspace.Value, _ int) []engine.Detail {
	v := value.(*str.Value)
	if n, ok := v.Int(); ok {
		return []engine.Detail{{"integer", int(n), "kept as 8 bytes, not as text"}}
	}
	return []engine.Detail{{"text", []engine.Detail{{"length", v.Len(), ""},
		{"capacity", v.Bytes(), "more only where APPEND and its like made room"}}, ""}}
}

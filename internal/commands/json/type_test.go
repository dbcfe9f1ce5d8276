package json

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// told is what a rewrite was told.
type told struct {
	command  []string
	restored keyspace.Value
	rests    int
	bytes    int
}

func (w *told) Command(name string, args ...[]byte) {
	w.command = []string{name, string(args[0]), string(args[1])}
}
func (w *told) Add(string, ...[]byte)    {}
func (w *told) Restore(v keyspace.Value) { w.restored = v }
func (w *told) Rest(bytes int)           { w.rests++; w.bytes += bytes }

// A rewrite may pause while it makes the text of a large document.
func TestRewritePauses(t *testing.T) {
	text := `{"list":[` + strings.Repeat(`{"name":"shoes","price":80.5},`, 20_000) + `1]}`
	d, _, err := new(json.Parser).Parse([]byte(text))
	require.NoError(t, err)
	var to told
	rewrite(d, &to)
	require.Equal(t, []string{"JSON.SET", "$", text}, to.command)
	require.Greater(t, to.rests, 20)
	require.InDelta(t, len(text), to.bytes, float64(len(text)/20))
}

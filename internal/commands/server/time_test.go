package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// TIME in a transaction stands still since Redis 7.2.
func TestTimeInATransaction(t *testing.T) {
	for like, still := range map[string]bool{"redis:7.0": false, "redis:7.2": true, "redis:8.0": true,
		"valkey:8.1": true} {
		r, err := release.Find(like)
		require.NoError(t, err)
		now := int64(1e15)
		e := engine.New(engine.Options{Release: r, Clock: func() int64 { now++; return now }})
		e.Join(engine.Commands(Family), transactions.Part())
		words := func(text string) [][]byte { return [][]byte{[]byte(text)} }
		out := e.Do(e.NewSession(nil), [][][]byte{words("MULTI"), words("TIME"), words("TIME"), words("EXEC")}).Out
		times := string(out[len(out)-2*len("*2\r\n$10\r\n1000000000\r\n$1\r\n4\r\n"):])
		first, second := times[:len(times)/2], times[len(times)/2:]
		require.Equal(t, still, first == second, "%s: %q", like, out)
	}
}

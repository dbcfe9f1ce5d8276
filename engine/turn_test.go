package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTurnIsDueOnceAfterItsTime: an event loop yields to a save when its time has come, and then not again until the save asks.
func TestTurnIsDueOnceAfterItsTime(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	e := New(Options{Clock: func() int64 { return now }})
	require.False(t, e.TurnDue(), "none was asked for")
	e.AskTurn(200 * time.Microsecond)
	now += 199
	require.False(t, e.TurnDue(), "too early")
	now++
	require.True(t, e.TurnDue())
	require.False(t, e.TurnDue(), "only once")
	e.AskTurn(200 * time.Microsecond)
	now += 1000
	require.True(t, e.TurnDue())
}

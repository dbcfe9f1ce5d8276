package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// What removes keys without a command is among the events of LATENCY, with the names that Redis
// gives it.
func TestLatencyOfWhatNoCommandCauses(t *testing.T) {
	now := int64(1e15)
	e := engine.New(engine.Options{Clock: func() int64 { now += 2000; return now }}) // two milliseconds with each look
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	s := e.NewSession(nil)
	latest := func() string { return string(run(e, s, "LATENCY LATEST").Out) }
	run(e, s, "SET due x PX 1")
	now += 1e6
	e.Tick()
	require.Equal(t, "*0\r\n", latest(), "it is off")

	run(e, s, "CONFIG SET latency-monitor-threshold 1")
	run(e, s, "LATENCY RESET")
	run(e, s, "SET due x PX 1")
	now += 1e6
	e.Tick()
	require.Contains(t, latest(), "$12\r\nexpire-cycle\r\n")
	require.Contains(t, latest(), "$10\r\nexpire-del\r\n")
	require.NotContains(t, latest(), "eviction")

	require.True(t, run(e, e.NewSession(nil), "BLPOP none 0.001").Blocked)
	now += 1e6
	e.Tick()
	require.Contains(t, latest(), "$18\r\ncommand-unblocking\r\n")

	run(e, s, "SET evicted x")
	run(e, s, "CONFIG SET maxmemory-policy allkeys-lru maxmemory 1")
	run(e, s, "GET evicted")
	require.Contains(t, latest(), "$14\r\neviction-cycle\r\n")
	require.Contains(t, latest(), "$12\r\neviction-del\r\n")
}

// XREADGROUP waits also for the deletion of its key.
func TestKeysOnWhoseDeletionClientsWait(t *testing.T) {
	e, s := newComplete()
	ask := func(line string) string { return string(run(e, s, line).Out) }
	ask("XGROUP CREATE a g $ MKSTREAM")
	ask("XGROUP CREATE b g $ MKSTREAM")
	for _, line := range []string{"XREADGROUP GROUP g c BLOCK 0 STREAMS a b > >",
		"XREADGROUP GROUP g d BLOCK 0 STREAMS a >", "BLPOP l 0"} {
		require.True(t, run(e, e.NewSession(nil), line).Blocked)
	}
	require.Contains(t, ask("INFO clients"), "total_blocking_keys:3\r\n")
	require.Contains(t, ask("INFO clients"), "total_blocking_keys_on_nokey:2\r\n")
	ask("DEL a")
	require.Contains(t, ask("INFO clients"), "total_blocking_keys_on_nokey:0\r\n")
}

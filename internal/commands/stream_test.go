package commands_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/streams"
)

// filledStream adds a thousand entries, and a group at the first of them.
var filledStream = append(repeated("XADD s {n}-0 sensor 5 temperature 21.5", 10000, 1000), "XGROUP CREATE s g 0",
	"XGROUP CREATECONSUMER s g c")

// streamSteps are the commands on streams that servers execute most, with the allocations they may
// make. Entries share a node, which grows now and then; a pending message is an allocation.
var streamSteps = []step{
	{"XADD", filledStream, "XADD s * sensor 5 temperature {n}", 0},
	{"XADD with trimming", filledStream, "XADD s MAXLEN ~ 1000 * sensor 5 temperature {n}", 0},
	{"XLEN", filledStream, "XLEN s", 0},
	{"XRANGE", filledStream, "XRANGE s 10500 + COUNT 10", 0},
	{"XREVRANGE", filledStream, "XREVRANGE s + - COUNT 10", 0},
	{"XREAD", filledStream, "XREAD COUNT 1 STREAMS s 10700", 0},
	{"XREADGROUP and XACK", filledStream, "XREADGROUP GROUP g c COUNT 1 STREAMS s > ; XACK s g {n}-0", 1},
}

func TestStreamCommandsHardlyAllocate(t *testing.T) {
	requireAllocs(t, streamSteps, 600, streams.Family)
}

func BenchmarkStreamCommands(b *testing.B) { benchmarkSteps(b, streamSteps, streams.Family) }

package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
)

// filledStream adds a thousand entries, which a group may read.
var filledStream = append(repeated("XADD s {n}-0 sensor 5 temperature 21.5", 1000), "XGROUP CREATE s g 0", "XGROUP CREATECONSUMER s g c")

func repeated(line string, n int) (lines []string) {
	for _, batch := range steps(line, n) {
		var words []string
		for _, arg := range batch[0] {
			words = append(words, string(arg))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// streamSteps are the commands on streams that are executed most, with the allocations they may make:
// entries fill their node, which grows now and then, and a message is one.
var streamSteps = []struct {
	name    string
	prepare []string
	step    string // {n} counts up
	allocs  float64
}{
	{"XADD", filledStream, "XADD s * sensor 5 temperature {n}", 0},
	{"XADD with trimming", filledStream, "XADD s MAXLEN ~ 1000 * sensor 5 temperature {n}", 0},
	{"XLEN", filledStream, "XLEN s", 0},
	{"XRANGE", filledStream, "XRANGE s 10500 + COUNT 10", 0},
	{"XREVRANGE", filledStream, "XREVRANGE s + - COUNT 10", 0},
	{"XREAD", filledStream, "XREAD COUNT 1 STREAMS s 10700", 0},
	{"XREADGROUP and XACK", filledStream, "XREADGROUP GROUP g c COUNT 1 STREAMS s > ; XACK s g {n}-0", 1},
}

func streamEngine() (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Add(engine.Streams())
	return e, e.NewSession(nil)
}

func TestStreamCommandsHardlyAllocate(t *testing.T) {
	for _, s := range streamSteps {
		e, session := streamEngine()
		e.Do(session, commands(s.prepare...))
		batches := steps(s.step, 1000)
		for _, batch := range batches[:600] {
			e.Do(session, batch)
		}
		i := 600
		got := testing.AllocsPerRun(390, func() {
			if out := e.Do(session, batches[i]).Out; out[0] == '-' {
				t.Fatalf("%s: %s", s.step, out)
			}
			i++
		})
		require.LessOrEqual(t, got, s.allocs, s.name)
	}
}

func BenchmarkStreamCommands(b *testing.B) {
	for _, s := range streamSteps {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			e, session := streamEngine()
			e.Do(session, commands(s.prepare...))
			batches := steps(s.step, 1000)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Do(session, batches[i])
				if i++; i == len(batches) {
					i = 0
				}
			}
		})
	}
}

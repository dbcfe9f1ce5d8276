package commands_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	families "github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// step is a line of commands that servers execute often, with the allocations it may make each
// time.
type step struct {
	name    string
	prepare []string
	line    string // commands, " ; " between them; {n} counts up
	allocs  float64
}

// frozen returns an engine with some families of commands and a clock that stands still, and a
// session.
func frozen(families ...command.Family) (*engine.Engine, *engine.Session) {
	return frozenWith(engine.Commands(families...))
}

// frozenWith is frozen with parts.
func frozenWith(parts ...engine.Part) (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Join(engine.Part{Types: families.Types})
	e.Join(parts...)
	return e, e.NewSession(nil)
}

// commands turns lines into commands whose arguments have no blanks.
func commands(lines ...string) (batch [][][]byte) {
	for _, line := range lines {
		batch = append(batch, bytes.Fields([]byte(line)))
	}
	return batch
}

// repeated returns a line n times, with {n} counting up.
func repeated(line string, from, n int) (lines []string) {
	for i := from; i < from+n; i++ {
		lines = append(lines, strings.ReplaceAll(line, "{n}", strconv.Itoa(i)))
	}
	return lines
}

// large returns the line 600 times, which makes a collection too large to be packed.
func large(line string) []string { return repeated(line, 0, 600) }

// batches returns a step's line n times, as commands.
func batches(line string, n int) (list [][][][]byte) {
	for _, line := range repeated(line, 10000, n) {
		list = append(list, commands(strings.Split(line, " ; ")...))
	}
	return list
}

// requireAllocs requires the steps to allocate no more than they may, after warm repetitions
// without a count. A reply with an error fails the test.
func requireAllocs(t *testing.T, list []step, warm int, families ...command.Family) {
	requireAllocsWith(t, list, warm, engine.Commands(families...))
}

// requireAllocsWith is requireAllocs with a part.
func requireAllocsWith(t *testing.T, list []step, warm int, part engine.Part) {
	quick.Unchecked(t)
	const runs = 90
	for _, s := range list {
		e, session := frozenWith(part)
		e.Do(session, commands(s.prepare...))
		list := batches(s.line, warm+runs+1)
		for _, batch := range list[:warm] {
			e.Do(session, batch)
		}
		i := warm
		got := testing.AllocsPerRun(runs, func() {
			if out := e.Do(session, list[i]).Out; out[0] == '-' {
				t.Fatalf("%s: %s", s.line, out)
			}
			i++
		})
		require.LessOrEqual(t, got, s.allocs, s.name)
	}
}

// benchmarkSteps measures each of the steps.
func benchmarkSteps(b *testing.B, list []step, families ...command.Family) {
	for _, s := range list {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			e, session := frozen(families...)
			e.Do(session, commands(s.prepare...))
			list := batches(s.line, 1000)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Do(session, list[i])
				if i++; i == len(list) {
					i = 0
				}
			}
		})
	}
}

package commands_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	families "github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// The iterations: commands that add and remove an element, a step, and whether a step returns
// pairs.
var iterations = []struct {
	add, remove, step string // {n} is the element, {c} the cursor
	paired            bool
}{
	{"SET e{n} v", "DEL e{n}", "SCAN {c}", false},
	{"SET e{n} v", "DEL e{n}", "SCAN {c} COUNT 3 MATCH e* TYPE string", false},
	{"HSET k e{n} v", "HDEL k e{n}", "HSCAN k {c}", true},
	{"HSET k e{n} v", "HDEL k e{n}", "HSCAN k {c} COUNT 50 NOVALUES", false},
	{"SADD k e{n}", "SREM k e{n}", "SSCAN k {c} MATCH e*", false},
	{"SADD k 7{n}", "SREM k 7{n}", "SSCAN k {c} COUNT 1", false},
	{"ZADD k {n} e{n}", "ZREM k e{n}", "ZSCAN k {c}", true},
}

// TestScanReturnsWhatStays checks that an iteration returns each element that exists from the first
// step to the last, while a hundred elements are added or removed between two steps.
func TestScanReturnsWhatStays(t *testing.T) {
	const stay = 1000
	for _, it := range iterations {
		e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 3})
		e.Join(engine.Commands(stringcmds.Family, keys.Family, hashes.Family, sets.Family, zsets.Family),
			engine.Part{Types: families.Types})
		s := e.NewSession(nil)
		do := func(line string, n int) {
			out := e.Do(s, commands(strings.ReplaceAll(line, "{n}", strconv.Itoa(n)))).Out
			require.NotEqual(t, byte('-'), out[0], "%s: %s", line, out)
		}
		for n := range stay {
			do(it.add, n)
		}
		seen, cursor, steps, come := map[string]bool{}, "0", 0, 0
		for {
			var elements []resp.Value
			cursor, elements = scanStep(t, e, s, it.step, cursor)
			for i := 0; i < len(elements); i++ {
				seen[elements[i].Text[1:]] = true
				if it.paired {
					i++
				}
			}
			if steps++; cursor == "0" {
				break
			}
			for range 100 { // the collection grows for 40 steps, then shrinks for 40
				if steps/40%2 == 0 {
					come++
					do(it.add, stay+come)
				} else if come > 0 {
					do(it.remove, stay+come)
					come--
				}
			}
		}
		for n := range stay {
			require.True(t, seen[strconv.Itoa(n)], "%s did not return %d in %d steps", it.step, n, steps)
		}
		require.Greater(t, steps, 10, it.step)
	}
}

// TestScanPages checks that a step returns as many elements as COUNT says, in small collections
// too, and that a huge COUNT is not cut off.
func TestScanPages(t *testing.T) {
	long := strings.Repeat("x", 100) // too long for a packed encoding
	for _, it := range []struct{ add, step string }{
		{"SET e{n} v", "SCAN {c}"},
		{"HSET k e{n} " + long, "HSCAN k {c} NOVALUES"},
		{"SADD k {n}" + long, "SSCAN k {c}"},
		{"ZADD k 1 {n}" + long, "ZSCAN k {c}"},
	} {
		e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 3})
		e.Join(engine.Commands(stringcmds.Family, keys.Family, hashes.Family, sets.Family, zsets.Family),
			engine.Part{Types: families.Types})
		s := e.NewSession(nil)
		const size = 5
		for n := range size {
			e.Do(s, commands(strings.ReplaceAll(it.add, "{n}", strconv.Itoa(n))))
		}
		width := 1
		if strings.HasPrefix(it.step, "ZSCAN") {
			width = 2 // members and scores
		}
		for count := 1; count <= size; count++ {
			sum, cursor := 0, "0"
			for sum < size {
				var elements []resp.Value
				cursor, elements = scanStep(t, e, s, it.step+" COUNT "+strconv.Itoa(count), cursor)
				require.Len(t, elements, width*min(count, size-sum), it.step)
				sum += count
			}
		}
		next, elements := scanStep(t, e, s, it.step+" COUNT 4611686018427387904", "0")
		require.Equal(t, "0", next)
		require.Len(t, elements, width*size)
	}
}

// scanStep returns the next cursor and the elements of a step.
func scanStep(t *testing.T, e *engine.Engine, s *engine.Session,
	step, cursor string) (next string, elements []resp.Value) {
	line := strings.ReplaceAll(step, "{c}", cursor)
	v, err := resp.NewReader(bytes.NewReader(e.Do(s, commands(line)).Out)).Read()
	require.NoError(t, err)
	require.Equal(t, 2, v.Len(), "%s: %s", line, v)
	return v.Elems[0].Text, v.Elems[1].Elems
}

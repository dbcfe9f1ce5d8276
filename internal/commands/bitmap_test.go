package commands_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/bitmaps"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TestBitOpOnLongStrings combines strings of several blocks, also into an operand and into a value
// of the same size, whose memory BITOP reuses.
func TestBitOpOnLongStrings(t *testing.T) {
	e, s := stringEngine()
	e.Join(engine.Commands(bitmaps.Family))
	do := func(args ...[]byte) string { return string(e.Do(s, [][][]byte{args}).Out) }
	word := func(text string) []byte { return []byte(text) }
	rng := rand.New(rand.NewPCG(1, 1))
	combine := map[string]func(a, b byte) byte{
		"AND": func(a, b byte) byte { return a & b }, "OR": func(a, b byte) byte { return a | b },
		"XOR": func(a, b byte) byte { return a ^ b }, "NOT": func(a, _ byte) byte { return ^a },
	}
	for _, size := range []int{8191, 8193, 20_000, 50_001} {
		for name, op := range combine {
			for _, dest := range []string{"a", "b", "new", "same", "other"} {
				a, b := make([]byte, size), make([]byte, size/3)
				for i := range a {
					a[i] = byte(rng.Uint32())
				}
				copy(b, a[size/2:])
				want := make([]byte, size)
				for i := range want {
					other := byte(0)
					if i < len(b) {
						other = b[i]
					}
					want[i] = op(a[i], other)
				}
				do(word("DEL"), word("new"))
				do(word("SET"), word("a"), a)
				do(word("SET"), word("b"), b)
				do(word("SET"), word("same"), bytes.Repeat([]byte("x"), size), word("EX"), word("100"))
				do(word("SET"), word("other"), word("12"))
				args := [][]byte{word("BITOP"), word(name), word(dest), word("a"), word("b")}
				if name == "NOT" {
					args = args[:4]
				}
				require.Equal(t, fmt.Sprintf(":%d\r\n", size), do(args...))
				got := do(word("GET"), word(dest))
				require.True(t, strings.HasSuffix(got, "\r\n"+string(want)+"\r\n"), "%s of %d bytes to %s",
					name, size, dest)
				require.Equal(t, ":-1\r\n", do(word("TTL"), word(dest)))
				require.NoError(t, e.Home().Keyspace.DB(0).Check())
			}
		}
	}
}

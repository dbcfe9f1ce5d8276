package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TestErrorsDoNotAllocate executes commands that end with a constant error, and one that succeeds.
// An error of a handler allocates once: INFO counts errors by their text, which needs a string.
func TestErrorsDoNotAllocate(t *testing.T) {
	e, session := frozenWith(engine.Commands(strings.Family, keys.Family, lists.Family), transactions.Part())
	e.Do(session, commands("SET text abc", "SET n 1"))
	runs := func(line, reply string, allocs float64) {
		batch := commands(line)
		require.Equal(t, reply, string(e.Do(session, batch).Out), line)
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() { e.Do(session, batch) }), allocs, line)
	}
	runs("INCR n", ":2\r\n", 0)
	runs("INCR text", "-"+string(engine.ErrNotInt)+"\r\n", 1)
	runs("LPUSH text x", "-"+string(engine.ErrWrongType)+"\r\n", 1)
	runs("SET text x EX", "-"+string(engine.ErrSyntax)+"\r\n", 1)
	e.Join(engine.Part{Name: "disk"})
	e.With(func() { e.DenyWrites("disk", engine.ErrOOM) })
	runs("SET text x", "-"+string(engine.ErrOOM)+"\r\n", 0)
	runs("GET text", "$3\r\nabc\r\n", 0)
}

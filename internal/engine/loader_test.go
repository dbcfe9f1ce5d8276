package engine_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TestLoaderIgnoresTheRulesOfUsers loads a transaction that the default user may not run any more.
func TestLoaderIgnoresTheRulesOfUsers(t *testing.T) {
	ran := 0
	e := engine.New(engine.Options{Clock: func() int64 { return 1 }})
	e.Join(transactions.Part(), engine.Part{Families: []command.Family{{Group: "string", Commands: []command.Line{{
		Name: "put", Arity: 2, Flags: command.Write, Keys: command.Key(1, "OW update"), Run: func(c *engine.Call) {
			ran++
			c.Reply.Status("OK")
		}}}}}})
	require.NoError(t, e.Users.Declare("default", []string{"off"}))
	var batch [][][]byte
	for _, line := range []string{"MULTI", "PUT k", "EXEC"} {
		batch = append(batch, bytes.Fields([]byte(line)))
	}
	_, err := e.NewLoader().Do(batch)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
}

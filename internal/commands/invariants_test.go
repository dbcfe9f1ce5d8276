package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/invariants"
)

// A value that changes without a Commit is what a forgotten step of a command leaves behind.
func TestABrokenDatabaseEndsTheProgram(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("needs the build tag invariants")
	}
	e, s := newComplete()
	run(e, s, "CONFIG SET hash-max-listpack-entries 0", "HSET h a 1", "PING")
	e.With(func() {
		db := e.Home().Keyspace.DB(0)
		v, _ := db.Edit([]byte("h"))
		v.(*hash.Hash).Delete([]byte("a"))
	})
	require.PanicsWithValue(t, `engine: after ping: database 0: key "h" holds an empty hash`, func() { run(e, s, "PING") })
}

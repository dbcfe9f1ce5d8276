package corpus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// TestUnitsInTheJournal compares where MULTI and EXEC stand before Redis 7.0 and since.
func TestUnitsInTheJournal(t *testing.T) {
	for _, c := range []struct{ commands, older, newer string }{
		{"MULTI; SET k v; EXEC", "MULTI SET EXEC", "SET"},
		{"MULTI; SET k v; SET m v; exec", "MULTI SET SET exec", "MULTI SET SET EXEC"},
		{"MULTI; GET k; EXEC", "", ""},
		{`EVAL "redis.call('set','k','v')" 0`, "MULTI set EXEC", "set"},
		{`EVAL "redis.call('del','k')" 0`, "MULTI EXEC", ""},
		{`EVAL "redis.call('get','k')" 0`, "", ""},
		{`EVAL "redis.set_repl(redis.REPL_REPLICA) redis.call('set','k','v')" 0`, "MULTI EXEC", ""},
		{"SADD s 1 2 3; SPOP s 2", "SADD MULTI SREM SREM EXEC", "SADD SREM"},
		{"SET k v EX 100; EXPIRE k 100; GETEX k EX 100", "SET PEXPIREAT PEXPIREAT", "SET PEXPIREAT PEXPIREAT"},
		{`SCRIPT LOAD "return 1"; SCRIPT FLUSH`, "SCRIPT SCRIPT", ""},
	} {
		require.Equal(t, c.older, journalOf(t, reference.Redis62, c.commands), "%s, like 6.2", c.commands)
		require.Equal(t, c.newer, journalOf(t, reference.Default, c.commands), "%s, like 8.0", c.commands)
	}
}

// journalOf returns the names of the commands in the journal of a server of the release.
func journalOf(t *testing.T, r reference.Release, commands string) string {
	w := memoryLike(t, r, fmt.Sprintf("an engine like %s", r))
	var names []string
	w.Journal = func(_ int, args [][]byte) { names = append(names, string(args[0])) }
	require.NoError(t, w.Reset())
	s := w.Engine().NewSession(nil)
	for command := range strings.SplitSeq(commands, "; ") {
		args, ok := resp.Words([]byte(command), nil)
		require.True(t, ok)
		w.Engine().Do(s, [][][]byte{args})
	}
	return strings.Join(names, " ")
}

package commands_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// setSteps are the commands on sets that servers execute most, with the allocations they may make:
// only a new member of a hash table needs a block.
var setSteps = []step{
	{"SADD of a known integer", []string{"SADD s 1 2 3"}, "SADD s 2", 0},
	{"SADD of an integer and SREM", []string{"SADD s 1 2 3 70000"}, "SADD s {n} ; SREM s {n}", 0},
	{"SADD of a known text", []string{"SADD s a b c"}, "SADD s b", 0},
	{"SADD of a text and SREM", []string{"SADD s a b c d e f g h"}, "SADD s m{n} ; SREM s m{n}", 0},
	{"SADD to a large set", large("SADD s m{n}"), "SADD s m{n}", 1},
	{"SADD of a known member to a large set", large("SADD s m{n}"), "SADD s m200", 0},
	{"SISMEMBER of integers", []string{"SADD s 1 2 3"}, "SISMEMBER s {n}", 0},
	{"SISMEMBER of texts", []string{"SADD s a b c"}, "SISMEMBER s c", 0},
	{"SISMEMBER of a large set", large("SADD s m{n}"), "SISMEMBER s m300", 0},
	{"SMISMEMBER", []string{"SADD s a b c"}, "SMISMEMBER s a x c", 0},
	{"SMEMBERS of integers", []string{"SADD s 1 2 3"}, "SMEMBERS s", 0},
	{"SMEMBERS of a large set", large("SADD s m{n}"), "SMEMBERS s", 0},
	{"SPOP and SADD of integers", []string{"SADD s 5000 6000 7000"}, "SPOP s ; SADD s {n}", 0},
	{"SPOP and SADD of texts", []string{"SADD s m50000 m60000 m70000 m80000"}, "SPOP s ; SADD s m{n}", 0},
	{"SPOP of a large set", large("SADD s m{n}"), "SPOP s", 0},
	{"SRANDMEMBER of a large set", large("SADD s m{n}"), "SRANDMEMBER s", 0},
	{"SMOVE of integers", []string{"SADD s 1 2 3", "SADD t 1 4 5 6"}, "SMOVE s t 2 ; SMOVE t s 2", 0},
	{"SINTER", []string{"SADD s a b c 1", "SADD t b c 2"}, "SINTER s t", 0},
	{"SINTERCARD of large sets", append(large("SADD s m{n}"), large("SADD t m{n}")...),
		"SINTERCARD 2 s t LIMIT 100", 0},
	{"SUNION", []string{"SADD s a b c 1", "SADD t b c 2"}, "SUNION s t", 0},
	{"SDIFF", []string{"SADD s a b c 1", "SADD t b c 2"}, "SDIFF s t", 0},
}

func setEngine(journal engine.Propagate) (*engine.Engine, *engine.Session) {
	return frozenWith(transactions.Part(),
		engine.Part{Families: []command.Family{sets.Family, keys.Family}, Propagate: journal})
}

func TestSetCommandsDoNotAllocate(t *testing.T) { requireAllocs(t, setSteps, 1, sets.Family) }

func BenchmarkSetCommands(b *testing.B) { benchmarkSteps(b, setSteps, sets.Family) }

// The journal removes the members that SPOP chose at random.
func TestSPopIsJournaledByItsEffect(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare []string
		pop     string
		journal []string // beginnings of the lines
	}{
		{"one", []string{"SADD s a b c"}, "SPOP s", []string{"SREM s "}},
		{"the last", []string{"SADD s a"}, "SPOP s", []string{"SREM s a"}},
		{"a few", []string{"SADD s a b c 17"}, "SPOP s 2", []string{"SREM s "}},
		{"all", []string{"SADD s a b c 17"}, "SPOP s 4", []string{"DEL s"}},
		{"more than all", []string{"SADD s a b c 17"}, "SPOP s 100", []string{"DEL s"}},
		{"none", []string{"SADD s a b c"}, "SPOP s 0", nil},
		{"of nothing", nil, "SPOP s 10", nil},
		{"a thousand and more", thousands("SADD s m{n}"), "SPOP s 1100",
			[]string{"MULTI", "SREM s ", "SREM s ", "EXEC"}},
	} {
		var journal []string
		var replay [][][]byte
		log := func(_ int, args [][]byte) {
			journal = append(journal, string(bytes.Join(args, []byte(" "))))
			replay = append(replay, bytes.Fields([]byte(journal[len(journal)-1])))
		}
		e, session := setEngine(log)
		e.Do(session, commands(c.prepare...))
		before := len(journal)
		popped := e.Do(session, commands(c.pop)).Out
		require.NotEqual(t, "-", string(popped[:1]), c.name)
		require.Len(t, journal, before+len(c.journal), c.name)
		for i, line := range c.journal {
			require.True(t, strings.HasPrefix(journal[before+i], line), "%s: %q", c.name, journal[before+i])
		}
		copied, other := setEngine(nil)
		copied.Do(other, replay)
		require.Equal(t, e.Home().Keyspace.Digest(), copied.Home().Keyspace.Digest(), c.name)
	}
}

func thousands(line string) (lines []string) {
	for n := range 3000 {
		lines = append(lines, strings.ReplaceAll(line, "{n}", fmt.Sprint(n)))
	}
	return lines
}

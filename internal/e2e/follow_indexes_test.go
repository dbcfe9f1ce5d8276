package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// indexQuestions are queries of the indexes of the test, whose answers tell what is in
// them. Arguments are separated by two blanks.
var indexQuestions = []string{"FT.SEARCH  a  *  NOCONTENT  LIMIT  0  1000",
	"FT.SEARCH  a  house  NOCONTENT  LIMIT  0  1000",
	"FT.SEARCH  named  @n:[3 7]  NOCONTENT  LIMIT  0  1000", "FT.SEARCH  j  @t:{red}  NOCONTENT  LIMIT  0  1000",
	"FT.SEARCH  j  -@t:{blue}  NOCONTENT  LIMIT  0  1000", "FT._LIST", "FT.SYNDUMP  a", "FT.DICTDUMP  d"}

// indexed are the commands that make indexes, with an alias, synonyms and a dictionary.
var indexed = [][]string{strings.Fields("FLUSHALL"),
	strings.Fields("FT.CREATE a PREFIX 1 h: SCHEMA t TEXT n NUMERIC SORTABLE"),
	strings.Fields("FT.CREATE j ON JSON PREFIX 1 j: SCHEMA $.t AS t TAG"), strings.Fields("FT.ALIASADD named a"),
	strings.Fields("FT.SYNUPDATE a g house home"), strings.Fields("FT.DICTADD d one two")}

// indexChanges returns commands that change documents of the indexes. None of them renames a
// document to another one, which Redis Stack then finds twice.
func indexChanges(seed uint64) (commands [][]string) {
	dice := rand.New(rand.NewPCG(seed, 5))
	word := func() string { return []string{"red", "blue", "house", "home", "tree"}[dice.IntN(5)] }
	for range 200 {
		key, other := dice.IntN(20), dice.IntN(20)
		lines := []string{fmt.Sprintf("HSET h:%d t %s n %d", key, word(), dice.IntN(9)),
			fmt.Sprintf(`JSON.SET j:%d $ {"t":%q}`, key, word()), fmt.Sprintf("DEL h:%d j:%d", key, other),
			fmt.Sprintf("RENAMENX h:%d h:%d", key, other), fmt.Sprintf("HDEL h:%d n", key),
			fmt.Sprintf("HSET h:%d n many", key)}
		commands = append(commands, strings.Fields(lines[dice.IntN(len(lines))]))
	}
	return commands
}

// sendAll sends commands, whatever they reply.
func sendAll(t *testing.T, a *asker, commands [][]string) {
	for _, args := range commands {
		a.send(t, args...)
	}
}

// requireIndexes waits until a replica tells of the indexes what its master does. Redis Stack reads
// existing keys in the background.
func requireIndexes(t *testing.T, master, replica *asker) {
	t.Helper()
	eventually(t, "the replica has what the master sent", func() bool {
		return field(t, replica, "master_link_status") == "up" &&
			field(t, replica, "slave_repl_offset") == field(t, master, "master_repl_offset")
	})
	answer := func(a *asker, question string) []string {
		reply := a.send(t, strings.Split(question, "  ")...)
		require.False(t, reply.IsError(), "%s: %s", question, reply.Text)
		return slices.Sorted(slices.Values(reply.Strings()))
	}
	for _, question := range indexQuestions {
		eventually(t, question, func() bool {
			return slices.Equal(answer(master, question), answer(replica, question))
		})
	}
}

// requireSound checks the indexes of a server of ours.
func requireSound(t *testing.T, ours *asker) {
	t.Helper()
	for _, name := range []string{"a", "j"} {
		require.Equal(t, "OK", ours.ask(t, "FT.INDEX CHECK "+name))
	}
}

// TestFollowingIndexes: indexes and what they hold reach replicas of ours and of Redis Stack, in a
// snapshot and as commands, from masters of ours and of theirs, and those of a replica that becomes
// a master.
func TestFollowingIndexes(t *testing.T) {
	theirs, port := realMaster(t, reference.RedisStack74)
	sendAll(t, theirs, slices.Concat(indexed, indexChanges(1)))
	ours, own := follower(t, port, "--like", string(reference.RedisStack74))
	requireIndexes(t, theirs, ours)
	below := newAsker(t, reference.RedisStack74.Start(t, "--replicaof", "127.0.0.1", own).Dial(t), nil)
	requireIndexes(t, theirs, below)
	sendAll(t, theirs, indexChanges(2))
	require.False(t, theirs.send(t, strings.Fields("FT.ALTER a SCHEMA ADD u TEXT")...).IsError())
	requireIndexes(t, theirs, ours)
	requireIndexes(t, theirs, below)
	requireSound(t, ours)
	require.Equal(t, "0", field(t, ours, "unexpected_error_replies"))

	require.Equal(t, "OK", ours.ask(t, "REPLICAOF NO ONE"))
	sendAll(t, ours, indexChanges(3))
	requireIndexes(t, ours, below)
	sendAll(t, ours, slices.Concat(indexed, indexChanges(4)))
	requireIndexes(t, ours, below)
	requireSound(t, ours)
}

// TestIndexesInAGroup: all members have the indexes of the leader, from its commands and from its
// snapshot, and the next leader goes on with them.
func TestIndexesInAGroup(t *testing.T) {
	g := startGroup(t, 3, "--group-snapshot-entries", "100")
	leader := g.leader()
	send := func(commands [][]string) (replies []string) {
		for _, args := range commands {
			reply, err := g.ask(leader, args...)
			require.NoError(t, err)
			replies = append(replies, reply)
		}
		return replies
	}
	var questions [][]string
	for _, question := range indexQuestions {
		questions = append(questions, strings.Split(question, "  "))
	}
	send(indexed)
	behind := leader%3 + 1
	g.kill(behind)
	send(indexChanges(1)[:40])
	g.start(behind)
	g.agree()
	want := send(questions)
	g.kill(leader)
	leader = g.leader()
	require.Equal(t, want, send(questions))
	send(indexChanges(2)[:20])
	require.Equal(t, []string{"OK", "OK"}, send([][]string{{"FT.INDEX", "CHECK", "a"}, {"FT.INDEX", "CHECK", "j"}}))
}

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// send executes a command whose arguments may be anything.
func (a *asker) send(t *testing.T, args ...string) resp.Value {
	t.Helper()
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, arg := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	_, err := a.Write(b)
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return v
}

// documents is how many documents a master has.
const documents = 50

// changeDocuments sets all documents, and changes some of them in many ways. What fails changes
// nothing.
func changeDocuments(t *testing.T, a *asker, seed uint64) {
	g, rng := dataset.New(seed), rand.New(rand.NewPCG(seed, 3))
	for i := range documents {
		a.send(t, "JSON.SET", fmt.Sprint("doc", i), "$", g.Document())
	}
	paths := []string{"$", "$.*", "$..id1", "$.a1", ".tags3", "$[0]", "$[-1]", "$[?(@.id1)]"}
	for range 500 {
		key, path := fmt.Sprint("doc", rng.IntN(documents)), paths[rng.IntN(len(paths))]
		a.send(t, [][]string{
			{"JSON.SET", key, path, g.Document()}, {"JSON.SET", key, "$.new", g.Document(), "NX"},
			{"JSON.MERGE", key, path, g.Document()}, {"JSON.DEL", key, "$.id1"}, {"JSON.DEL", key, "$[0]"},
			{"JSON.NUMINCRBY", key, path, "0.5"}, {"JSON.NUMMULTBY", key, path, "2"}, {"JSON.TOGGLE", key, path},
			{"JSON.STRAPPEND", key, path, `"more"`}, {"JSON.ARRAPPEND", key, path, "1", `{"x":[]}`},
			{"JSON.ARRINSERT", key, path, "0", "null"}, {"JSON.ARRPOP", key, path, "-1"},
			{"JSON.ARRTRIM", key, path, "0", "5"},
			{"JSON.CLEAR", key, path}, {"JSON.MSET", key, "$", g.Document(), "doc0", "$.m", "1"},
			{"EVAL", "return redis.call('JSON.SET', KEYS[1], '$.script', '[1]')", "1", key},
		}[rng.IntN(16)]...)
	}
}

// requireDocuments waits until a replica has the documents of its master.
func requireDocuments(t *testing.T, master, replica *asker) {
	t.Helper()
	eventually(t, "the replica has what the master sent", func() bool {
		return field(t, replica, "master_link_status") == "up" &&
			field(t, replica, "slave_repl_offset") == field(t, master, "master_repl_offset")
	})
	for i := range documents {
		key := fmt.Sprint("doc", i)
		require.Equal(t, master.send(t, "JSON.GET", key).Text, replica.send(t, "JSON.GET", key).Text, key)
	}
}

// Documents of JSON reach replicas of ours and of Redis Stack, in a snapshot and as commands, from
// masters of ours and of Redis Stack.
func TestFollowingDocuments(t *testing.T) {
	theirs, port := realMaster(t, reference.RedisStack74)
	changeDocuments(t, theirs, 1)
	ours, own := follower(t, port, "--like", string(reference.RedisStack74))
	requireDocuments(t, theirs, ours)
	below := newAsker(t, reference.RedisStack74.Start(t, "--replicaof", "127.0.0.1", own).Dial(t), nil)
	requireDocuments(t, theirs, below)
	changeDocuments(t, theirs, 2)
	requireDocuments(t, theirs, ours)
	requireDocuments(t, theirs, below)
	require.Equal(t, "0", field(t, ours, "unexpected_error_replies"))

	require.Equal(t, "OK", ours.ask(t, "REPLICAOF NO ONE"))
	changeDocuments(t, ours, 3)
	requireDocuments(t, ours, below)
}

package engine_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	"github.com/miniserver-go/miniserver/internal/commands/cluster"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// replica is an engine whose data a master writes.
type replica struct {
	*engine.Engine
	t      *testing.T
	now    int64 // microseconds
	sent   []string
	client *engine.Session
	master *engine.Session
}

func newReplica(t *testing.T) *replica {
	r := &replica{t: t, now: 1_700_000_000_000_000}
	r.Engine = engine.New(engine.Options{Clock: func() int64 { return r.now }, Seed: 1})
	r.Join(engine.Commands(stringcmds.Family, lists.Family, keys.Family, keys.Databases), cluster.Part(r.Engine),
		configcmds.Part(r.Release), servercmds.Part(), pubsub.Part(),
		engine.Part{Name: "journal",
			Propagate: func(_ int, args [][]byte) { r.sent = append(r.sent, string(bytes.Join(args, []byte(" ")))) }})
	r.Join(transactions.Part())
	r.Join(clients.Parts(r.Engine)...)
	r.client, r.master = r.NewSession(nil), r.ConnectMaster(nil, engine.Endpoint{})
	r.With(func() { r.SetRole(engine.Role{Replica: true}) })
	return r
}

// do returns the reply to a client's command.
func (r *replica) do(line string) string {
	return string(r.Do(r.client, [][][]byte{bytes.Fields([]byte(line))}).Out)
}

// apply executes commands of the master, and returns the last error.
func (r *replica) apply(lines ...string) (err error) {
	r.With(func() {
		for _, line := range lines {
			err = r.Home().Apply(r.master, bytes.Fields([]byte(line)))
		}
	})
	return err
}

func TestOnlyTheMasterWrites(t *testing.T) {
	r := newReplica(t)
	require.NoError(t, r.apply("SET k v"))
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
	require.Contains(t, r.do("SET k w"), "-READONLY")
	r.do("MULTI")
	require.Contains(t, r.do("SET k w"), "-READONLY")
	require.Contains(t, r.do("EXEC"), "-EXECABORT")
	require.Contains(t, r.do("CLIENT LIST TYPE master"), " flags=M ")

	require.NoError(t, r.apply("MULTI", "SET a 1", "SET b 2"))
	require.Equal(t, "$-1\r\n", r.do("GET a"), "before EXEC")
	require.NoError(t, r.apply("EXEC"))
	require.Equal(t, []string{"SET k v", "MULTI", "SET a 1", "SET b 2", "EXEC"}, r.sent, "the journal has all")
	require.EqualError(t, r.apply("LPUSH k x"), string(engine.ErrWrongType))
	require.EqualError(t, r.apply("NOSUCH k"), "ERR unknown command 'NOSUCH', with args beginning with: 'k' ")

	require.NoError(t, r.apply("MULTI", "SET c 3"))
	require.Error(t, r.apply("NOSUCH"))
	require.EqualError(t, r.apply("EXEC"), string(engine.ErrExecAbort))
	require.Equal(t, "$-1\r\n", r.do("GET c"), "all or nothing")

	require.Equal(t, "+OK\r\n", r.do("CONFIG SET replica-read-only no"))
	require.Equal(t, "+OK\r\n", r.do("SET own 1"))
}

func TestRepliesToTheMasterTakeNoMemory(t *testing.T) {
	r := newReplica(t)
	require.NoError(t, r.apply("SETRANGE k 99999 x", "MULTI"))
	for range 100 {
		require.NoError(t, r.apply("GET k"))
	}
	require.NoError(t, r.apply("EXEC", "SET k w"))
	require.Less(t, cap(r.master.Reply.Bytes()), 1<<20)
	require.Equal(t, "$1\r\nw\r\n", r.do("GET k"))
}

func TestStaleDataAreRefusedIfConfigured(t *testing.T) {
	r := newReplica(t)
	r.apply("SET k v")
	r.With(func() { r.SetRole(engine.Role{Replica: true, Down: true}) })
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
	r.do("CONFIG SET replica-serve-stale-data no")
	require.Contains(t, r.do("GET k"), "-MASTERDOWN")
	require.Contains(t, r.do("INFO server"), "redis_version")
	r.With(func() { r.SetRole(engine.Role{}) })
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
}

func TestOnlyTheMasterDeletesWhatExpires(t *testing.T) {
	r := newReplica(t)
	r.apply("SET k v PX 100", "SET n 5 PX 100")
	r.now += 200_000
	r.Tick()
	require.Equal(t, "$-1\r\n", r.do("GET k"))
	require.Equal(t, ":2\r\n", r.do("DBSIZE"))
	require.NoError(t, r.apply("INCR n", "PERSIST n"), "for the master nothing is due")
	require.Equal(t, "$1\r\n6\r\n", r.do("GET n"))
	require.NoError(t, r.apply("DEL k"))
	require.Equal(t, ":1\r\n", r.do("DBSIZE"))

	r.apply("SET k v PX 100")
	r.now += 200_000
	r.With(func() { r.SetRole(engine.Role{}) })
	r.Tick()
	require.Equal(t, ":1\r\n", r.do("DBSIZE"), "a new master removes what is due")
	require.Equal(t, "DEL k", r.sent[len(r.sent)-1])
}

func TestBlockedClientsOfANewReplicaGetAnError(t *testing.T) {
	r := newReplica(t)
	r.With(func() { r.SetRole(engine.Role{}) })
	require.Empty(t, r.do("BLPOP list 0"))
	r.With(func() { r.SetRole(engine.Role{Replica: true}) })
	o := r.Collect(r.client)
	require.Contains(t, string(o.Out), "-UNBLOCKED force unblock from blocking operation")
	require.True(t, o.Closing)
}

// CLIENT UNPAUSE, and the end of a client's pause, leave that of a failover.
func TestPausesLastSideBySide(t *testing.T) {
	r := newReplica(t)
	r.With(func() {
		r.SetRole(engine.Role{})
		r.Home().Pause(engine.PausedForFailover, math.MaxInt64, false)
	})
	requireWaits := func(waits bool, line string) {
		reply := r.Do(r.NewSession(nil), [][][]byte{bytes.Fields([]byte(line))}).Out
		require.Equal(t, waits, len(reply) == 0, line)
	}
	require.Equal(t, "+OK\r\n", r.do("CLIENT PAUSE 100000 WRITE"))
	require.Equal(t, "+OK\r\n", r.do("CLIENT UNPAUSE"))
	requireWaits(true, "SET k v")
	requireWaits(false, "GET k")

	require.Equal(t, "+OK\r\n", r.do("CLIENT PAUSE 100 ALL"))
	requireWaits(true, "GET k")
	r.now += 200_000
	r.Tick()
	requireWaits(false, "GET k")
	requireWaits(true, "SET k v")

	r.With(func() { r.Home().Unpause(engine.PausedForFailover) })
	requireWaits(false, "SET k v")
}

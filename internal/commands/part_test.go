package commands_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func partEngine() (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1e15 }})
	e.Join(engine.Commands(strings.Family, keys.Family, keys.Databases, servercmds.Family),
		shutdown.Part(e), configcmds.Part(e.Release))
	e.Join(clients.Parts(e)...)
	return e, e.NewSession(nil)
}

func do(e *engine.Engine, s *engine.Session, command string) string {
	return string(e.Do(s, [][][]byte{bytes.Fields([]byte(command))}).Out)
}

func TestHooksAreCalledInTheOrderOfJoining(t *testing.T) {
	e, s := partEngine()
	var called string
	part := func(name string, refusal error) engine.Part {
		return engine.Part{
			Name:      name,
			Tick:      func() int64 { called += name + " ticks "; return 0 },
			Flushed:   func() { called += name + " flushed " },
			Shutdown:  func(engine.Shutdown) error { called += name + " shuts down "; return refusal },
			Propagate: func(int, [][]byte) { called += name + " propagates " },
		}
	}
	e.Join(part("a", command.Error("ERR not now")))
	e.Join(part("b", nil))
	e.Join(engine.Part{Host: engine.Host{Exit: func() { called += "exit " }}})
	for _, c := range []struct{ command, reply, called string }{
		{"SET k v", "+OK\r\n", "a propagates b propagates "},
		{"FLUSHALL", "+OK\r\n", "a flushed b flushed a propagates b propagates "},
		{"SHUTDOWN", "-ERR not now\r\n", "b shuts down a shuts down "}, // what joined last may lean on the others
	} {
		called = ""
		require.Equal(t, c.reply, do(e, s, c.command))
		require.Equal(t, c.called, called, c.command)
	}
	called = ""
	e.Tick()
	require.Equal(t, "a ticks b ticks ", called)

	called = ""
	e.With(func() { e.SetPropagate("a", nil) })
	do(e, s, "SET k w")
	require.Equal(t, "b propagates ", called)
}

func TestTheFirstPartDecidesWhyWritesAreRefused(t *testing.T) {
	e, s := partEngine()
	e.Join(engine.Part{Name: "a"})
	e.Join(engine.Part{Name: "b"})
	for _, c := range []struct {
		part  string
		err   error
		reply string
	}{
		{"b", command.Error("MISCONF b"), "-MISCONF b\r\n"},
		{"a", command.Error("MISCONF a"), "-MISCONF a\r\n"},
		{"a", nil, "-MISCONF b\r\n"},
		{"b", nil, "+OK\r\n"},
	} {
		e.With(func() { e.DenyWrites(c.part, c.err) })
		require.Equal(t, c.reply, do(e, s, "SET k v"))
	}
}

// EXEC is refused as a write only if the transaction has a command that always writes: one that may
// write, such as a script, finds out itself.
func TestTransactionsWhileWritesAreRefused(t *testing.T) {
	e, s := newComplete()
	e.Join(engine.Part{Name: "disk"})
	e.With(func() { e.DenyWrites("disk", command.Error("MISCONF full")) })
	do(e, s, "MULTI")
	require.Equal(t, "+QUEUED\r\n", do(e, s, "EVAL return(redis.call('GET','a')) 0"))
	require.Equal(t, "*1\r\n$-1\r\n", do(e, s, "EXEC"))
	do(e, s, "MULTI")
	do(e, s, "EVAL return(1) 0")
	require.Equal(t, "-MISCONF full\r\n", do(e, s, "SET a 1"))
	require.Equal(t, "-"+string(engine.ErrExecAbort)+"\r\n", do(e, s, "EXEC"))
}

func TestJoinPanicsAtDuplicates(t *testing.T) {
	e, _ := partEngine()
	var n int
	e.Join(engine.Part{Name: "a", Params: []config.Param{config.Int("n", &n, 0, 1)},
		Host: engine.Host{Purge: func() {}}})
	require.Panics(t, func() { e.Join(engine.Part{Name: "a"}) })
	require.Panics(t, func() { e.Join(engine.Commands(strings.Family)) })
	require.Panics(t, func() { e.Join(engine.Part{Params: []config.Param{config.Int("n", &n, 0, 1)}}) })
	require.Panics(t, func() { e.Join(engine.Part{Host: engine.Host{Purge: func() {}}}) })
	require.Panics(t, func() { e.SetPropagate("nosuch", nil) })
}

// SCAN and RANDOMKEY remove each expired key that they meet by itself; in a transaction it is part
// of that.
func TestKeysThatAreMetExpireByThemselves(t *testing.T) {
	now, sent := int64(1e15), ""
	e := engine.New(engine.Options{Clock: func() int64 { return now }})
	e.Join(engine.Commands(strings.Family, keys.Family, keys.Databases), transactions.Part(),
		engine.Part{Propagate: func(_ int, args [][]byte) { sent += string(bytes.Join(args, []byte(" "))) + "\n" }})
	s := e.NewSession(nil)
	const both = "DEL a\nDEL b\n"
	for _, c := range []struct{ commands, want string }{
		{"SCAN 0 COUNT 100", both},
		{"MGET a b", "MULTI\n" + both + "EXEC\n"},
		{"MULTI\nSCAN 0 COUNT 100\nEXEC", "MULTI\n" + both + "EXEC\n"},
	} {
		e.Config.ActiveExpire = false
		for _, line := range []string{"SET a 1 PX 1", "SET b 1 PX 1"} {
			require.Equal(t, "+OK\r\n", do(e, s, line))
		}
		now, sent = now+1e6, ""
		for _, line := range bytes.Split([]byte(c.commands), []byte("\n")) {
			do(e, s, string(line))
		}
		require.Len(t, sent, len(c.want), c.commands)
		require.Equal(t, c.want, string(bytes.ReplaceAll([]byte(sent), []byte("DEL b\nDEL a\n"), []byte(both))))
	}
}

// A writable replica removes the due keys that its own clients have written, and leaves those of
// the master to it.
func TestAWritableReplicaExpiresItsOwnKeys(t *testing.T) {
	now := int64(1e15)
	e := engine.New(engine.Options{Clock: func() int64 { return now }})
	e.Join(engine.Commands(strings.Family, keys.Family, keys.Databases, servercmds.Family),
		shutdown.Part(e), configcmds.Part(e.Release))
	s := e.NewSession(nil)
	require.Equal(t, "+OK\r\n", do(e, s, "SET master 1 PX 10"))
	e.With(func() { e.SetRole(engine.Role{Replica: true}) })
	require.Equal(t, "+OK\r\n", do(e, s, "CONFIG SET replica-read-only no"))
	for _, line := range []string{"SET own 1 PX 10", "SET later 1", "PEXPIRE later 10", "SET kept 1 PX 10",
		"PERSIST kept"} {
		require.NotContains(t, do(e, s, line), "-", line)
	}
	now += 1e6
	e.Tick()
	require.Equal(t, ":2\r\n", do(e, s, "DBSIZE"))
	require.Equal(t, "$-1\r\n", do(e, s, "GET master"))
	require.Equal(t, ":1\r\n", do(e, s, "DEL master"), "as in Redis")
	require.Equal(t, ":1\r\n", do(e, s, "DBSIZE"))
}

package engine_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// effects is an engine that writes down what changes of keys bring about.
type effects struct {
	*engine.Engine
	session *engine.Session
	now     int64 // microseconds
	seen    []string
}

func newEffects() *effects {
	e := &effects{now: 1_700_000_000_000_000}
	e.Engine = engine.New(engine.Options{Clock: func() int64 { return e.now }, Seed: 1})
	note := func(what string, words ...[]byte) {
		e.seen = append(e.seen, what+" "+string(bytes.Join(words, []byte(" "))))
	}
	await := command.Line{Name: "await", Arity: 2, Keys: command.Key(1, "RO access"), Run: func(c *engine.Call) {
		if c.Woken() {
			note("woken", c.ReadyKey())
		}
		c.BlockOnKeys([][]byte{c.Arg()}, 0, engine.ReplyNullArray)
		c.WakeOnDelete()
	}}
	e.Join(configcmds.Part(e.Release), engine.Part{
		Types: []engine.Type{stringcmds.Type, hashes.Type, streams.Type},
		Families: []command.Family{stringcmds.Family, keys.Family, hashes.Family, streams.Family,
			{Group: "generic", Commands: []command.Line{await}}},
		Event:     func(_ *engine.World, _ int, key []byte, ev event.Event, _ [][]byte) { note(ev.Name, key) },
		Propagate: func(_ int, args [][]byte) { note("sent", args...) },
	})
	e.session = e.NewSession(nil)
	e.With(func() {
		e.Home().Observe(&engine.Observer{Changed: func(_ int, key []byte, _ event.Event, _ *engine.Session) {
			note("observed", key)
		}})
	})
	e.do("CONFIG SET notify-keyspace-events KEAn")
	return e
}

// do executes a command and returns what was seen since the last one.
func (e *effects) do(line string) (seen []string) {
	e.Do(e.session, [][][]byte{bytes.Fields([]byte(line))})
	seen, e.seen = e.seen, nil
	return seen
}

// Each cause of a change has its effects, in the order of Redis 8.6.
func TestEffectsOfChanges(t *testing.T) {
	e := newEffects()
	for _, key := range []string{"k", "h", "s"} {
		e.Do(e.NewSession(nil), [][][]byte{{[]byte("AWAIT"), []byte(key)}})
	}
	const milli = 1000
	for _, step := range []struct {
		cause, command string
		later          int64 // microseconds that pass before
		want           []string
	}{
		{"creation, command", "SET k v", 0, []string{"new k", "observed k", "set k", "sent SET k v", "woken k"}},
		{"command", "APPEND k v", 0, []string{"observed k", "append k", "sent APPEND k v", "woken k"}},
		{"command that removes", "DEL k", 0, []string{"observed k", "del k", "sent DEL k", "woken k"}},
		{"", "HSET h f v", 0, []string{"new h", "observed h", "hset h", "sent HSET h f v", "woken h"}},
		{"command that empties", "HDEL h f", 0, []string{"observed h", "hdel h", "del h", "sent HDEL h f", "woken h"}},
		{"", "XADD s 1-0 f v", 0, []string{"new s", "observed s", "xadd s", "sent XADD s 1-0 f v", "woken s"}},
		{"group", "XGROUP CREATE s g 0", 0, []string{"xgroup-create s", "sent XGROUP CREATE s g 0"}},
		{"", "SET k v PX 1", 0, []string{"new k", "observed k", "set k", "observed k", "expire k",
			"sent SET k v PXAT 1700000000001", "woken k"}},
		{"deadline", "EXISTS k", 2 * milli, []string{"expired k", "observed k", "sent DEL k", "woken k"}},
		{"", "HSETEX h PX 1 FIELDS 1 f v", 0, []string{"new h", "observed h", "hset h", "observed h", "hexpire h",
			"sent HSETEX h PXAT 1700000000003 FIELDS 1 f v", "woken h"}},
		{"", "HSET h g w", 0, []string{"observed h", "hset h", "sent HSET h g w", "woken h"}},
		{"element", "HLEN h", 2 * milli, []string{"hexpired h", "observed h", "sent HDEL h f"}},
		{"", "HPEXPIRE h 1 FIELDS 1 g", 0,
			[]string{"observed h", "hexpire h", "sent HPEXPIREAT h 1700000000005 FIELDS 1 g", "woken h"}},
		{"last element", "EXISTS h", 2 * milli, []string{"hexpired h", "del h", "observed h", "sent HDEL h g"}},
		{"", "CONFIG SET maxmemory-policy allkeys-random maxmemory 1", 0, nil},
		{"eviction", "EXISTS s", 0, []string{"evicted s", "observed s", "sent DEL s", "woken s"}},
	} {
		e.now += step.later
		require.Equal(t, step.want, e.do(step.command), "%s: %s", step.cause, step.command)
	}
}

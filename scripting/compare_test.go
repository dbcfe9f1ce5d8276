package scripting_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting"
)

// wire gives an engine the families that scripts in these tests call.
func wire(e *engine.Engine) {
	e.Join(engine.Commands(stringcmds.Family, keys.Family, keys.Databases, keys.Selection, hashes.Family, zsets.Family),
		pubsub.Part(), transactions.Part())
	e.Join(scripting.New(e).Part())
}

// wireWith is wire with settings.
func wireWith(t *testing.T, settings []string) func(e *engine.Engine) {
	return func(e *engine.Engine) {
		wire(e)
		for pair := range slices.Chunk(settings, 2) {
			require.NoError(t, e.Params.Named(strings.TrimPrefix(pair[0], "--")).Set(pair[1]))
		}
	}
}

// rivals are an engine in process and a redis-server that get the same commands.
type rivals struct {
	t           *testing.T
	memory      *transcript.Memory
	ours, redis transcript.Conn
	began       time.Time // by the clock of redis-server; the other one stands still
}

// newRivals starts them with settings that both have, each as "--name" and its value.
func newRivals(t *testing.T, proto int, settings ...string) *rivals {
	server := reference.Start(t, settings...)
	world, err := transcript.Connect("unix", server.Socket, transcript.Traits{Name: "redis", Proto: proto})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, world.Close()) })
	r := &rivals{t: t, memory: transcript.NewMemory(transcript.Traits{Name: "ours", Proto: proto},
		wireWith(t, settings)), began: time.Now()}
	r.ours, err = r.memory.Dial("")
	require.NoError(t, err)
	r.redis, err = world.Dial("")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, r.redis.Close())
		require.NoError(t, r.memory.Check())
	})
	return r
}

// ask sends a command to both and returns their replies.
func (r *rivals) ask(args ...string) (ours, theirs resp.Value) {
	r.t.Helper()
	answer := func(c transcript.Conn) resp.Value {
		require.NoError(r.t, c.Send(args))
		v, came, err := c.Next(true)
		require.NoError(r.t, err, "%q", args)
		require.True(r.t, came, "no reply to %q", args)
		return v
	}
	return answer(r.ours), answer(r.redis)
}

// same sends a command to both, requires equal replies and returns them.
func (r *rivals) same(args ...string) resp.Value {
	r.t.Helper()
	ours, theirs := r.ask(args...)
	require.Equal(r.t, theirs.String(), ours.String(), "%q", args)
	require.True(r.t, ours.Equal(theirs), "%q: ours %#v, theirs %#v", args, ours, theirs)
	return ours
}

// sameData requires equal keys with equal values, and times to live that differ by no more than the
// time of the test.
func (r *rivals) sameData() {
	r.t.Helper()
	ours, theirs := r.ask("KEYS", "*")
	keys := words(ours)
	require.Equal(r.t, words(theirs), keys)
	for _, key := range keys {
		switch r.same("TYPE", key).Text {
		case "string":
			r.same("GET", key)
		case "hash":
			ours, theirs := r.ask("HGETALL", key)
			require.Equal(r.t, transcript.Arrange(theirs, transcript.Pairs).String(),
				transcript.Arrange(ours, transcript.Pairs).String(), key)
		case "zset":
			r.same("ZRANGE", key, "0", "-1", "WITHSCORES")
		default:
			r.t.Fatalf("no way to compare %s", key)
		}
		ours, theirs := r.ask("PTTL", key)
		require.InDelta(r.t, theirs.Int, ours.Int, float64((time.Since(r.began) + time.Second).Milliseconds()), key)
		require.Equal(r.t, theirs.Int < 0, ours.Int < 0, key)
	}
}

// words returns the texts of an array's elements in order.
func words(v resp.Value) (list []string) {
	for _, elem := range v.Elems {
		list = append(list, elem.Text)
	}
	slices.Sort(list)
	return list
}

// bothProtocols runs a comparison with RESP2 and RESP3.
func bothProtocols(t *testing.T, scene func(r *rivals)) {
	t.Run("RESP2", func(t *testing.T) { scene(newRivals(t, 2)) })
	t.Run("RESP3", func(t *testing.T) { scene(newRivals(t, 3)) })
}

// keysAndArgs makes the arguments of EVAL from "k1 k2 , a1 a2", as redis-cli --eval takes them.
func keysAndArgs(line string) []string {
	keys, args, _ := strings.Cut(" "+line+" ", " , ")
	names := strings.Fields(keys)
	return append(append([]string{itoa(len(names))}, names...), strings.Fields(args)...)
}

// TestPairsMeetsLongKeysAsInRedis: lua5.1 has another order from 32 bytes on.
func TestPairsMeetsLongKeysAsInRedis(t *testing.T) {
	r := newRivals(t, 2)
	r.same("EVAL", `
		local t, r = {}, {}
		for i = 1, 60 do t[("k"):rep(30) .. i .. ("z"):rep(i * i % 450)] = i end
		for k, v in pairs(t) do r[#r + 1] = v end
		return r`, "0")
}

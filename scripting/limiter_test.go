package scripting_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// newEngine returns an engine with the data families and scripts, whose clock does not move.
func newEngine() *engine.Engine {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	wire(e)
	return e
}

// windowScript is the common sliding window over a sorted set. Its arguments are the time, the
// window's length and the limit.
const windowScript = `
local key = KEYS[1]
local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, 0, now - window)
if redis.call('ZCARD', key) >= most then
	return false
end
redis.call('ZADD', key, now, now)
redis.call('EXPIRE', key, window)
return true`

// window is the zset limiter through Engine.Do.
type window struct {
	engine  *engine.Engine
	session *engine.Session
	args    [][][]byte
	now     int64
}

func newWindow(t testing.TB, command, script string) *window {
	e := newEngine()
	w := &window{engine: e, session: e.NewSession(nil), now: 1_700_000_000_000}
	w.args = [][][]byte{{[]byte(command), []byte(script), []byte("1"), []byte("limiter:user:17"), make([]byte, 13),
		[]byte("1000"), []byte("10")}}
	require.Equal(t, "+OK\r\n", string(e.Do(w.session, [][][]byte{{[]byte("SET"), []byte("k"), []byte("v")}}).Out))
	return w
}

// step advances the time and calls the limiter.
func (w *window) step() []byte {
	w.now += 150
	strconv.AppendInt(w.args[0][4][:0], w.now, 10)
	return w.engine.Do(w.session, w.args).Out
}

func TestLimiterAllocatesItsDataOnly(t *testing.T) {
	quick.Unchecked(t)
	w := newWindow(t, "EVAL", windowScript)
	allowed := 0
	for range 100 {
		if string(w.step()) == ":1\r\n" {
			allowed++
		}
	}
	require.Greater(t, allowed, 50)
	var bad []byte
	got := testing.AllocsPerRun(200, func() {
		if out := w.step(); out[0] == '-' {
			bad = out
		}
	})
	require.Empty(t, bad)
	require.LessOrEqual(t, got, 3.0, "with the set's own reallocations")

	w = newFunction(t)
	got = testing.AllocsPerRun(200, func() { w.step() })
	require.Equal(t, "+OK\r\n",
		string(w.engine.Do(w.session, [][][]byte{{[]byte("SET"), []byte("k"), []byte("v")}}).Out))
	require.LessOrEqual(t, got, 5.0, "and the tables of keys and arguments")
}

// newFunction is newWindow with the limiter as a function.
func newFunction(t testing.TB) *window {
	w := newWindow(t, "FCALL", "limit")
	body := strings.NewReplacer("KEYS", "keys", "ARGV", "args").Replace(windowScript)
	library := "#!lua name=limiters\nredis.register_function('limit', function(keys, args)" + body + " end)"
	out := w.engine.Do(w.session, [][][]byte{{[]byte("FUNCTION"), []byte("LOAD"), []byte(library)}}).Out
	require.Equal(t, "$8\r\nlimiters\r\n", string(out))
	return w
}

func BenchmarkWindow(b *testing.B) {
	evalsha := func() *window {
		w := newWindow(b, "EVALSHA", "")
		sha := w.engine.Do(w.session, [][][]byte{{[]byte("SCRIPT"), []byte("LOAD"), []byte(windowScript)}}).Out[5:45]
		w.args[0][1] = bytes.Clone(sha)
		return w
	}
	b.Run("EVAL", func(b *testing.B) { benchmarkWindow(b, newWindow(b, "EVAL", windowScript), false) })
	b.Run("EVAL-detachable", func(b *testing.B) { benchmarkWindow(b, newWindow(b, "EVAL", windowScript), true) })
	b.Run("EVALSHA", func(b *testing.B) { benchmarkWindow(b, evalsha(), false) })
	b.Run("FCALL", func(b *testing.B) { benchmarkWindow(b, newFunction(b), false) })
}

func benchmarkWindow(b *testing.B, w *window, slow bool) {
	if slow {
		w.engine.Join(engine.Part{Host: engine.Host{Spawn: func(func()) {}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		w.step()
	}
}

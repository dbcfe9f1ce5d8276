package scripting_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
)

// newEngine returns an engine with the data families and scripts, whose clock does not move.
func newEngine() *engine.Engine {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	wire(e)
	return e
}

// windowScript is the sliding window over a sorted set as people write it: told the time, the window's
// length and how many may pass.
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
	w.args = [][][]byte{{[]byte(command), []byte(script), []byte("1"), []byte("limiter:user:17"), make([]byte, 13), []byte("1000"), []byte("10")}}
	require.Equal(t, "+OK\r\n", string(e.Do(w.session, [][][]byte{{[]byte("SET"), []byte("k"), []byte("v")}}).Out))
	return w
}

// step lets time pass and calls the limiter.
func (w *window) step() []byte {
	w.now += 150
	strconv.AppendInt(w.args[0][4][:0], w.now, 10)
	return w.engine.Do(w.session, w.args).Out
}

func TestLimiterAllocatesItsDataOnly(t *testing.T) {
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
}

func BenchmarkWindow(b *testing.B) {
	b.Run("EVAL", func(b *testing.B) { benchmarkWindow(b, false) })
	b.Run("EVAL-detachable", func(b *testing.B) { benchmarkWindow(b, true) })
}

func benchmarkWindow(b *testing.B, slow bool) {
	w := newWindow(b, "EVAL", windowScript)
	if slow {
		w.engine.EnableSlow(func(func()) {})
	}
	b.ReportAllocs()
	for b.Loop() {
		w.step()
	}
}

package scripting_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// Scripts in use elsewhere: limiters of two articles, and those of Redisson's RRateLimiter with
// both formats of its records. They are not part of the repository, and the tests look for them
// beside it.
var seeds = filepath.Join("..", "..", "shared", "seeds", "scripts")

func itoa(n int) string { return strconv.Itoa(n) }

// seed returns a script; without the folder the test is skipped.
func seed(t *testing.T, name string) string {
	t.Helper()
	if _, err := os.Stat(seeds); os.IsNotExist(err) {
		t.Skipf("NOT COMPARED: the collected scripts are not at %s", seeds)
	}
	body, err := os.ReadFile(filepath.Join(seeds, name+".lua"))
	require.NoError(t, err)
	return string(body)
}

// eval runs a script on both servers and compares replies and data.
func (r *rivals) eval(script string, keysAndArgs ...string) string {
	r.t.Helper()
	reply := r.same(append([]string{"EVAL", script}, keysAndArgs...)...)
	r.sameData()
	return reply.String()
}

// dice returns the same numbers in every run.
func dice() *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }

func TestSlidingWindowSeeds(t *testing.T) {
	quick.OneGoroutine(t, "compares thousands of calls")
	for _, name := range []string{"sliding-window-hash", "sliding-window-zset"} {
		script := seed(t, name)
		t.Run(name, func(t *testing.T) {
			bothProtocols(t, func(r *rivals) {
				allowed, refused := 0, 0
				call := func(key string, now, window, most int) {
					reply := r.eval(script, "1", key, itoa(now), itoa(window), itoa(most))
					r.same("PERSIST", key) // the scripts' time has passed, redis-server's might
					if reply == "(integer) 1" {
						allowed++
					} else {
						refused++
					}
				}
				for now := 1000; now < 1030; now++ { // allow, refuse, recover
					call("steady", now, 10, 4)
				}
				require.True(t, allowed > 5 && refused > 5, "%d %d", allowed, refused)
				d := dice()
				for now := 5000; now < 9000; now += d.IntN(60) {
					call("random", now, 300, 5+d.IntN(3))
				}
				for now := 20000; now < 20700; now += 1 + d.IntN(2) { // beyond the packed encodings
					call("large", now, 600, 1000)
				}
				call("zero", 1, 10, 0)
				call("many in one instant", 7, 10, 3)
				call("many in one instant", 7, 10, 3)
				call("back in time", 7000, 10, 3)
				call("back in time", 5000, 10, 3)
			})
		})
	}
}

func TestSeedsWithBadArguments(t *testing.T) {
	for _, name := range []string{"sliding-window-hash", "sliding-window-zset", "redisson-try-acquire-fI",
		"redisson-try-acquire-fI-zremrangebyscore", "redisson-try-acquire-Bc0I", "redisson-set-rate",
		"redisson-try-set-rate", "unlock"} {
		script := seed(t, name)
		t.Run(name, func(t *testing.T) {
			bothProtocols(t, func(r *rivals) {
				r.same("SET", "text", "x")
				for _, line := range []string{"", "k", "k , 1", "k , x y z", "k , 1 2", "text , 1 2 3",
					"text text text text text , 1 2 3", "k , 1e3 1e2 3", "k , 0x10 10 3", "k , nan 10 3", ", 1 2 3"} {
					r.eval(script, keysAndArgs(line)...)
					r.same("PERSIST", "k")
				}
			})
		})
	}
}

func TestUnlockSeed(t *testing.T) {
	script := seed(t, "unlock")
	bothProtocols(t, func(r *rivals) {
		require.Equal(t, "(integer) 0", r.eval(script, "1", "lock", "me"))
		r.same("SET", "lock", "me", "PX", "30000")
		require.Equal(t, "(integer) 0", r.eval(script, "1", "lock", "you"))
		require.Equal(t, "(integer) 1", r.eval(script, "1", "lock", "me"))
		require.Equal(t, "(integer) 0", r.eval(script, "1", "lock", "me"))
		r.same("SET", "lock", "17")
		require.Equal(t, "(integer) 1", r.eval(script, "1", "lock", "17"))
	})
}

// redisson calls the scripts of an RRateLimiter as Redisson does.
type redisson struct {
	*rivals
	setRate, trySetRate, acquire string
	random                       func() string // the record's salt
}

func (l *redisson) limit(script, rate, interval, kind string) string {
	l.t.Helper()
	return l.eval(script, "3", "limiter", "{limiter}:value", "{limiter}:permits", rate, interval, kind)
}

// take asks for permits at the time now.
func (l *redisson) take(permits, now int) string {
	l.t.Helper()
	return l.eval(l.acquire, "5", "limiter", "{limiter}:value", "{limiter}:value:client",
		"{limiter}:permits", "{limiter}:permits:client", itoa(permits), itoa(now), l.random())
}

func TestRedissonSeeds(t *testing.T) {
	for name, record := range map[string]string{
		"redisson-try-acquire-fI": "number", "redisson-try-acquire-fI-zremrangebyscore": "number",
		"redisson-try-acquire-Bc0I": "bytes",
	} {
		acquire := seed(t, name)
		t.Run(name, func(t *testing.T) {
			bothProtocols(t, func(r *rivals) {
				l := &redisson{rivals: r, setRate: seed(t, "redisson-set-rate"),
					trySetRate: seed(t, "redisson-try-set-rate"), acquire: acquire}
				l.play(record)
			})
		})
	}
}

// salts returns a function that draws the random part of a record: a number in the first format,
// eight bytes in the later one.
func salts(d *rand.Rand, record string) func() string {
	if record == "number" {
		return func() string { return strconv.FormatInt(d.Int64(), 10) }
	}
	return func() string {
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(d.IntN(256))
		}
		return string(b)
	}
}

const t0 = 1_700_000_000_000

func (l *redisson) play(record string) {
	t, d := l.t, dice()
	l.random = salts(d, record)
	require.Contains(t, l.take(1, t0), "RateLimiter is not initialized")
	require.Equal(t, "(integer) 1", l.limit(l.trySetRate, "3", "1000", "0"))
	require.Equal(t, "(integer) 0", l.limit(l.trySetRate, "9", "9000", "1"))
	require.Contains(t, l.take(4, t0), "could not exceed defined rate")
	for i := range 3 {
		require.Equal(t, "(nil)", l.take(1, t0+100*i))
	}
	require.NotEqual(t, "(nil)", l.take(1, t0+300), "refused, with the time to wait")
	require.Equal(t, "(nil)", l.take(1, t0+1001), "the first permit has come back")
	require.Equal(t, "(nil)", l.take(2, t0+2500))
	l.take(3, t0+2600)

	// More permits are out than the rate allows, because it was lowered meanwhile.
	l.limit(l.setRate, "10", "1000", "0")
	require.Equal(t, "(nil)", l.take(9, t0+5000))
	l.same("HSET", "limiter", "rate", "5")
	l.take(5, t0+5001)
	l.take(6, t0+5002)
	l.take(5, t0+6500)
	l.take(5, t0+6501)

	// Some versions give the keys of permits the limiter's time to live.
	l.limit(l.setRate, "3", "1000", "0")
	l.same("PEXPIRE", "limiter", "600000")
	for i := range 5 {
		l.take(1, t0+10_000+i*300)
	}
	l.same("PERSIST", "limiter")

	// A rate per client, then a rate that is no number.
	l.limit(l.setRate, "2", "1000", "1")
	for i := range 5 {
		l.take(1, t0+20_000+i*300)
	}
	l.same("HSET", "limiter", "rate", "many")
	l.take(1, t0+30_000)

	l.limit(l.setRate, "7", "2000", "0")
	for now := t0 + 40_000; now < t0+70_000; now += d.IntN(900) {
		l.take(d.IntN(5), now)
	}
}

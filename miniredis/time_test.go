package miniredis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis"
)

// Keys grow older by FastForward and by nothing else.
func TestKeysStandStill(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	require.NoError(t, m.Set("k", "v"))
	m.SetTTL("k", time.Minute)
	require.Equal(t, "OK", c.do("SET short v PX 1"))
	require.Equal(t, "(nil)", c.do("BLPOP nothing 0.01"), "real time has passed")
	m.SetTime(time.Now().Add(time.Hour))
	require.True(t, m.Exists("short"))
	require.Equal(t, time.Minute, m.TTL("k"))
	m.FastForward(time.Minute - time.Microsecond)
	require.Equal(t, "(integer) 1", c.do("PTTL k"))
	require.False(t, m.Exists("short"))
	m.FastForward(-time.Hour)
	require.True(t, m.Exists("k"))
	m.FastForward(time.Microsecond)
	require.Equal(t, "(nil)", c.do("GET k"))
	require.Zero(t, m.TTL("k"))
}

// What expires tells of it, in order, before FastForward returns.
func TestFastForwardTellsOfKeys(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	require.Equal(t, "OK", c.do("CONFIG SET notify-keyspace-events Ex"))
	sub := m.NewSubscriber()
	defer sub.Close()
	sub.Subscribe("__keyevent@0__:expired")
	const n = 3000 // more than a Tick removes
	for i := range n {
		key := "k" + string(rune('a'+i%26))
		if i >= 26 {
			key += time.Duration(i).String()
		}
		require.NoError(t, m.Set(key, "v"))
		m.SetTTL(key, time.Duration(n-i)*time.Millisecond)
	}
	m.FastForward(time.Hour)
	require.Equal(t, "(integer) 0", c.do("DBSIZE"))
	first := <-sub.Messages()
	require.Equal(t, "k"+string(rune('a'+(n-1)%26))+time.Duration(n-1).String(), first.Message)
	for range n - 1 {
		<-sub.Messages()
	}
}

// SetTime is what dates are compared with; what is left of a key's time stays.
func TestSetTime(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	m.SetTime(time.Unix(1700000000, 123456789))
	require.Equal(t, "1) \"1700000000\"\n2) \"123456\"", c.do("TIME"))
	c.send("EVAL", "return redis.call('TIME')[1]", "0")
	require.Equal(t, `"1700000000"`, c.next())
	require.Equal(t, "OK", c.do("SET k v EXAT 1700000010"))
	require.Equal(t, "(integer) 1700000010", c.do("EXPIRETIME k"))
	m.SetTime(time.Unix(1700000005, 0))
	require.Equal(t, "(integer) 1700000015", c.do("EXPIRETIME k"))
	m.FastForward(4 * time.Second)
	require.Equal(t, "(integer) 1700000011", c.do("EXPIRETIME k"))
	require.Equal(t, "1) \"1700000005\"\n2) \"0\"", c.do("TIME"), "FastForward leaves it")
	require.Equal(t, `"1700000005000-0"`, c.do("XADD s * f v"))
	id, err := m.XAdd("s", "*", []string{"f", "v"})
	require.NoError(t, err)
	require.Equal(t, "1700000005000-1", id)
	require.Equal(t, "(integer) 1", c.do("EXPIREAT k 1700000004"))
	require.False(t, m.Exists("k"))
	before := time.Now().Unix()
	m.SetTime(time.Time{})
	require.Regexp(t, `^1\) "\d+"`, c.do("TIME"))
	require.Equal(t, "OK", c.do("SET k v EX 1000"))
	n, err := m.Incr("now", int(before))
	require.NoError(t, err)
	require.LessOrEqual(t, int64(n), time.Now().Unix())
}

// Who blocks has real patience, also while the clock stands, and FastForward does not use it up.
func TestPatience(t *testing.T) {
	m := miniredis.RunT(t)
	m.SetTime(time.Unix(1, 0))
	c := dial(t, m)
	c.send("BLPOP", "l", "3600")
	awaitBlocked(t, m, 1)
	m.FastForward(2 * time.Hour)
	m.SetTime(time.Unix(1e9, 0))
	awaitBlocked(t, m, 1)
	_, err := m.Push("l", "x")
	require.NoError(t, err)
	require.Equal(t, "1) \"l\"\n2) \"x\"", c.next())
	require.Equal(t, "(nil)", c.do("BRPOP l 0.01"))
	require.Equal(t, "(nil)", c.do("XREAD BLOCK 10 STREAMS s $"))
	require.Equal(t, "(integer) 0", c.do("WAIT 1 10"))
}

func TestClockTTL(t *testing.T) {
	m := miniredis.RunT(t)
	at := time.Unix(1700000000, 0)
	m.SetTime(at)
	require.NoError(t, m.Set("k", "v"))
	m.SetTTL("k", 10*time.Second)
	m.SetTime(at.Add(time.Hour))
	require.Equal(t, 10*time.Second, m.TTL("k"), "not yet")
	m.ClockTTL(true)
	m.SetTime(at.Add(time.Hour + 4*time.Second))
	require.Equal(t, 6*time.Second, m.TTL("k"))
	m.FastForward(time.Second)
	require.Equal(t, 5*time.Second, m.TTL("k"))
	m.SetTime(at)
	require.Equal(t, 5*time.Second, m.TTL("k"), "it does not grow younger")
	m.SetTime(at.Add(2 * time.Second))
	require.Equal(t, 3*time.Second, m.TTL("k"))
	m.ClockTTL(false)
	m.SetTime(at.Add(time.Hour))
	require.Equal(t, 3*time.Second, m.TTL("k"))
	m.ClockTTL(true)
	m.HSet("h", "f", "v")
	require.True(t, m.HExpire("h", "f", time.Second))
	m.SetTime(at.Add(time.Hour + 3*time.Second))
	require.False(t, m.Exists("k"))
	require.False(t, m.Exists("h"))
}

// A rate limiter in a script, and the built-in one, begin anew after their window.
func TestLimitersFastForward(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	const window = "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('EXPIRE', KEYS[1], 60) end " +
		"return n <= 2"
	for range 3 {
		for _, want := range []string{"(integer) 1", "(integer) 1", "(nil)"} {
			c.send("EVAL", window, "1", "visits")
			require.Equal(t, want, c.next())
		}
		for _, want := range []string{"0", "0", "1"} {
			require.Contains(t, c.do("CL.THROTTLE user 1 2 60"), "1) (integer) "+want)
		}
		m.FastForward(time.Minute)
	}
}

// The times of fields.
func TestFieldTTL(t *testing.T) {
	m := miniredis.RunT(t)
	m.HSetEX("h", time.Second, "a", "1", "b", "2")
	m.HSet("h", "c", "3")
	require.Equal(t, time.Second, m.HTTL("h", "a"))
	require.Zero(t, m.HTTL("h", "c"))
	require.Zero(t, m.HTTL("none", "c"))
	require.True(t, m.HPersist("h", "b"))
	require.False(t, m.HPersist("h", "b"))
	require.False(t, m.HExpire("h", "none", time.Second))
	require.False(t, m.HExpire("none", "f", time.Second))
	m.FastForward(time.Second)
	keys, err := m.HKeys("h")
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, keys)
	require.True(t, m.HExpire("h", "b", 0))
	require.Empty(t, m.HGet("h", "b"))
}

// The same seed, the same choices.
func TestSeed(t *testing.T) {
	m := miniredis.RunT(t)
	_, err := m.SetAdd("s", "a", "b", "c", "d", "e", "f", "g")
	require.NoError(t, err)
	c := dial(t, m)
	var runs [2]string
	for i := range runs {
		m.Seed(42)
		for range 10 {
			runs[i] += c.do("SRANDMEMBER s")
		}
	}
	require.Equal(t, runs[0], runs[1])
}

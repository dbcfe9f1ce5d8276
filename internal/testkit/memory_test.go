package testkit_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

const outOfMemory = "OOM command not allowed when used memory > 'maxmemory'."

// used returns used_memory.
func used(t *testing.T, s *miniserver.Server) int {
	t.Helper()
	m := regexp.MustCompile(`used_memory:(\d+)`).FindStringSubmatch(s.Do("INFO", "memory").Text)
	require.NotNil(t, m)
	n, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	return n
}

// Snapshots and other worlds are in use and count for maxmemory, and their bytes end with them.
func TestCopiesCount(t *testing.T) {
	s := miniserver.Run(t)
	empty := used(t, s)
	s.Do("EVAL", "for i = 1, 1000 do redis.call('SET', i, string.rep('x', 1000)) end", "0")
	data := used(t, s) - empty
	require.Greater(t, data, 1_000_000)
	one := used(t, s)
	for _, c := range []struct{ name, make, remove string }{{"snapshots", "SNAPSHOT", "FORGET"},
		{"forks", "FORK default", "DROP"}} {
		require.Equal(t, "OK", s.Do("CONFIG", "SET", "maxmemory", strconv.Itoa(10*data)).Text)
		made := 0
		for ; ; made++ {
			if reply := s.Do(strings.Fields(fmt.Sprint("MINI.WORLD ", c.make, " copy", made))...).Text; reply != "OK" {
				require.Equal(t, outOfMemory, reply, c.name)
				break
			}
			require.InEpsilon(t, one+(made+1)*data, used(t, s), 0.05, c.name)
		}
		require.InDelta(t, 9, made, 1, c.name)
		for i := range made {
			require.Equal(t, "OK", s.Do("MINI.WORLD", c.remove, fmt.Sprint("copy", i)).Text)
		}
		require.InEpsilon(t, one, used(t, s), 0.01, c.name)
	}
}

// What MINI.LEAKS remembers is in use until its world is reset or dropped, and is refused without
// room.
func TestMarksCount(t *testing.T) {
	s := miniserver.Run(t)
	c := connect(t, s)
	require.Equal(t, "OK", c.ask(t, "MINI.WORLD", "USE", "w").Text)
	c.ask(t, "EVAL", "for i = 1, 10000 do redis.call('SET', 'key:' .. i, i) end", "0")
	before := used(t, s)
	require.Equal(t, "OK", c.ask(t, "MINI.LEAKS", "MARK", "a").Text)
	one := used(t, s) - before
	require.InDelta(t, 650_000, one, 150_000)
	require.Equal(t, "OK", c.ask(t, "MINI.LEAKS", "MARK", "a").Text)
	require.Equal(t, "OK", c.ask(t, "MINI.LEAKS", "MARK", "b").Text)
	require.InDelta(t, before+2*one, used(t, s), 10_000)
	require.Equal(t, "OK", s.Do("CONFIG", "SET", "maxmemory", strconv.Itoa(used(t, s)+one/2)).Text)
	require.Equal(t, outOfMemory, c.ask(t, "MINI.LEAKS", "MARK", "c").Text)
	require.Equal(t, "OK", s.Do("CONFIG", "SET", "maxmemory", "0").Text)
	require.Equal(t, "OK", c.ask(t, "MINI.WORLD", "USE", "default").Text)
	require.Equal(t, "OK", c.ask(t, "MINI.WORLD", "DROP", "w").Text)
	require.Less(t, used(t, s), before)
}

// Worlds without keys cost something, too.
func TestEmptyWorldsCount(t *testing.T) {
	s := miniserver.Run(t)
	c := connect(t, s)
	require.Equal(t, "OK", c.ask(t, "CONFIG", "SET", "maxmemory", "1mb").Text)
	made := 0
	for ; c.ask(t, "MINI.WORLD", "USE", fmt.Sprint("w", made)).Text == "OK"; made++ {
		require.Less(t, made, 200)
	}
	require.Equal(t, outOfMemory, c.ask(t, "MINI.WORLD", "USE", "another").Text)
	require.Equal(t, outOfMemory, c.ask(t, "MINI.WORLD", "SNAPSHOT", "another").Text)
	require.Regexp(t, "^WRONGPASS", c.ask(t, "AUTH", "world", "another").Text)
	require.Equal(t, "OK", c.ask(t, "MINI.WORLD", "USE", "w0").Text, "it is there")
}

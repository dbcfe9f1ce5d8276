package testkit_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// An iteration with chaos ends, and returns every element: some twice, and between them empty
// pages.
func TestScanningInChaos(t *testing.T) {
	s := miniserver.Run(t, "set-max-listpack-entries 0", "hash-max-listpack-entries 0", "zset-max-listpack-entries 0")
	s.Do("MINI.SEED", "1")
	for i := range 200 {
		n := fmt.Sprint(i)
		s.Do("SET", "key:"+n, n)
		s.Do("SADD", "set", "key:"+n)
		s.Do("HSET", "hash", "key:"+n, n)
		s.Do("ZADD", "zset", n, "key:"+n)
	}
	s.Do("MINI.CHAOS", "SCAN", "ON")
	for command, step := range map[string]int{"SCAN": 1, "SSCAN set": 1, "HSCAN hash": 2, "ZSCAN zset": 2} {
		seen, empty := make(map[string]int), 0
		for cursor := "0"; ; {
			page := s.Do(append(strings.Fields(command), cursor, "MATCH", "key:*", "COUNT", "5")...)
			elements := page.Elems[1].Elems
			for i := 0; i < len(elements); i += step {
				seen[elements[i].Text]++
			}
			if len(elements) == 0 {
				empty++
			}
			if cursor = page.Elems[0].Text; cursor == "0" {
				break
			}
			n, err := strconv.ParseInt(cursor, 10, 64)
			require.NoError(t, err)
			require.Less(t, n, int64(1)<<53, "numbers of JavaScript are exact as far")
		}
		require.Len(t, seen, 200, command)
		repeats := 0
		for _, times := range seen {
			repeats += times - 1
		}
		require.NotZero(t, repeats, command)
		require.NotZero(t, empty, command)
	}
}

// What is shuffled stays complete, and pairs stay pairs, in both versions of the protocol.
func TestShuffledReplies(t *testing.T) {
	s := miniserver.Run(t)
	s.Do("MINI.CHAOS", "ORDER", "ON")
	for i := range 50 {
		s.Do("HSET", "hash", fmt.Sprint("f", i), fmt.Sprint("v\r\n", i))
		s.Do("SADD", "set", fmt.Sprint(i))
	}
	c := connect(t, s)
	for _, proto := range []string{"2", "3"} {
		c.ask(t, "HELLO", proto)
		all := c.ask(t, "HGETALL", "hash").Elems
		require.Len(t, all, 100)
		for i := 0; i < len(all); i += 2 {
			require.Equal(t, "v\r\n"+all[i].Text[1:], all[i+1].Text)
		}
		first, second := c.ask(t, "SMEMBERS", "set"), c.ask(t, "SMEMBERS", "set")
		require.NotEqual(t, first, second)
		require.Len(t, slices.Compact(slices.Sorted(func(yield func(string) bool) {
			for _, member := range first.Elems {
				yield(member.Text)
			}
		})), 50)
	}
}

// Chaos in one world leaves the handlers of others as they are, and none of it stays when its world
// is gone.
func TestChaosEndsWithItsWorld(t *testing.T) {
	s := miniserver.Run(t)
	c := connect(t, s)
	c.ask(t, "MINI.WORLD", "USE", "wild")
	for _, whim := range []string{"ORDER", "SCAN", "TIME", "EVICT"} {
		require.Equal(t, "OK", c.ask(t, "MINI.CHAOS", whim, "ON").Text)
	}
	for range 30 {
		s.Do("SADD", "s", "a", "b", "c", "d")
		require.Equal(t, "1) \"a\"\n2) \"b\"\n3) \"c\"\n4) \"d\"", s.Do("SMEMBERS", "s").String())
		require.Equal(t, "0", s.Do("SSCAN", "s", "0").Elems[0].Text)
	}
	c.ask(t, "MINI.WORLD", "USE", "default")
	require.Equal(t, "OK", s.Do("MINI.WORLD", "DROP", "wild").Text)
	c.ask(t, "MINI.WORLD", "USE", "wild")
	require.Equal(t, "off", c.ask(t, "MINI.CHAOS", "STATUS").Elems[1].Text)
	require.Equal(t, int64(4), c.ask(t, "SADD", "s", "a", "b", "c", "d").Int)
	for range 30 {
		require.Equal(t, "0", c.ask(t, "SSCAN", "s", "0").Elems[0].Text)
	}
}

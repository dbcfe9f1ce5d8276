package testkit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// Equal data have equal text, in whichever encoding and order they were made.
func TestDumpIsCanonical(t *testing.T) {
	a := miniserver.Run(t)
	b := miniserver.Run(t, "hash-max-listpack-entries 0", "set-max-listpack-entries 0", "set-max-intset-entries 0",
		"zset-max-listpack-entries 0", "list-max-listpack-size 1", "stream-node-max-entries 1")
	var commands [][]string
	for i := range 30 {
		n := fmt.Sprint(i)
		commands = append(commands, []string{"SET", "string:" + n, n}, []string{"SADD", "ints", n}, []string{"SADD",
			"set", "m" + n}, []string{"HSET", "hash", "f" + n, n}, []string{"ZADD", "zset", fmt.Sprint(i % 7), "m" + n})
	}
	for _, words := range commands {
		require.False(t, a.Do(words...).IsError())
	}
	slices.Reverse(commands)
	for _, words := range commands {
		require.False(t, b.Do(words...).IsError())
	}
	for i := range 30 {
		for _, s := range []*miniserver.Server{a, b} {
			s.Do("RPUSH", "list", fmt.Sprint(i))
			s.Do("XADD", "stream", fmt.Sprintf("%d-0", i+1), "f", "v")
		}
	}
	require.Equal(t, a.Do("MINI.DUMP").String(), b.Do("MINI.DUMP").String())
	require.Len(t, a.Do("MINI.DUMP").Elems, 1+30+1+30+1+30+1+30+1+30+1+30+1+30)
}

package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lazyfreed_objects counts what Redis gives to the thread that frees values. The numbers are those of redis-server 8.0 and 8.6.
func TestLazilyFreedObjects(t *testing.T) {
	e, s := newComplete()
	ask := func(line string) string { return string(run(e, s, line).Out) }
	fill := func(command string, n int, element string) {
		for i := range n {
			ask(fmt.Sprintf("%s big %s", command, strings.ReplaceAll(element, "#", fmt.Sprint(i))))
		}
	}
	set := func(n int) { fill("SADD", n, "m#") }
	for _, test := range []struct {
		what  string
		do    func()
		freed int
	}{
		{"a set with a table", func() { set(200); ask("UNLINK big") }, 1},
		{"DEL", func() { set(200); ask("DEL big") }, 0},
		{"a packed set", func() { set(64); ask("UNLINK big") }, 0},
		{"a set of 65", func() { ask("CONFIG SET set-max-listpack-entries 10"); set(65); ask("UNLINK big") }, 1},
		{"a set of 64", func() { set(64); ask("UNLINK big") }, 0},
		{"a hash", func() { fill("HSET", 600, "f# v"); ask("UNLINK big") }, 1},
		{"a sorted set", func() { fill("ZADD", 600, "# m#"); ask("UNLINK big") }, 1},
		{"a list of many nodes", func() { fill("RPUSH", 600, strings.Repeat("x", 1000)); ask("UNLINK big") }, 1},
		{"a list of few nodes", func() { fill("RPUSH", 100, strings.Repeat("x", 1000)); ask("UNLINK big") }, 0},
		{"a string", func() { ask("SET big " + strings.Repeat("x", 100_000)); ask("UNLINK big") }, 0},
		{"lazyfree-lazy-user-del", func() { ask("CONFIG SET lazyfree-lazy-user-del yes"); set(200); ask("DEL big") }, 1},
		{"expiry", func() { set(200); ask("PEXPIRE big -1") }, 0},
		{"FLUSHDB", func() { set(1); ask("FLUSHDB") }, 1},
		{"FLUSHALL of two databases", func() { set(1); ask("SELECT 1"); set(2); ask("FLUSHALL") }, 2},
		{"FLUSHALL ASYNC", func() { set(1); ask("FLUSHALL ASYNC") }, 1},
		{"SCRIPT FLUSH ASYNC", func() {
			for i := range 65 {
				ask(fmt.Sprintf("SCRIPT LOAD 'return %d'", i))
			}
			ask("SCRIPT FLUSH ASYNC")
		}, 65},
		{"FLUSHALL in MULTI", func() { set(1); ask("MULTI"); ask("FLUSHALL"); ask("EXEC") }, 0},
	} {
		ask("CONFIG RESETSTAT")
		test.do()
		require.Contains(t, ask("INFO memory"), fmt.Sprintf("lazyfreed_objects:%d\r\n", test.freed), test.what)
	}
}

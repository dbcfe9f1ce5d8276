package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lazyfreed_objects counts what Redis gives to the thread that frees values. The numbers are those
// of redis-server 8.0 and 8.6.
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
		{"lazyfree-lazy-user-del",
			func() { ask("CONFIG SET lazyfree-lazy-user-del yes"); set(200); ask("DEL big") }, 1},
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
		{"FUNCTION FLUSH ASYNC of 64", func() { ask(library(64)); ask("FUNCTION FLUSH ASYNC") }, 0},
		{"FUNCTION FLUSH ASYNC", func() { ask(library(65)); ask("FUNCTION FLUSH ASYNC") }, 66},
		{"FUNCTION FLUSH", func() { ask(library(65)); ask("FUNCTION FLUSH") }, 0},
		{"SET", func() { set(200); ask("SET big x") }, 0},
		{"lazyfree-lazy-server-del",
			func() { ask("CONFIG SET lazyfree-lazy-server-del yes"); set(200); ask("SET big x") }, 1},
		{"RENAME", func() { set(200); ask("SET a x"); ask("RENAME a big") }, 1},
		{"RENAME of the large one", func() { set(200); ask("RENAME big a") }, 0},
		{"SUNIONSTORE of nothing", func() { set(200); ask("SUNIONSTORE big none") }, 1},
		{"COPY", func() { set(200); ask("SET a x"); ask("COPY a big REPLACE") }, 1},
		{"SPOP of all: the set, and the one for the reply", func() { set(200); ask("SPOP big 200") }, 2},
		{"SPOP of most", func() { set(200); ask("SPOP big 170") }, 1},
		{"SPOP of many", func() { set(200); ask("SPOP big 160") }, 0},
		{"SPOP of one after the other", func() { set(65); fill("SPOP", 65, "") }, 0},
		{"SPOP of all of a small set", func() { set(64); ask("SPOP big 64") }, 0},
		{"SUNION", func() { set(65); ask("SUNION big") }, 1},
		{"SUNION of many", func() { set(200); ask("SUNION big a b c d e f") }, 1},
		{"SUNION of 64", func() { set(64); ask("SUNION big") }, 0},
		{"SUNION of integers", func() { fill("SADD", 500, "#"); ask("SUNION big") }, 0},
		{"SUNION of many integers", func() { fill("SADD", 513, "#"); ask("SUNION big") }, 1},
		{"SUNION of integers and a word", func() { fill("SADD", 100, "#"); ask("SADD a x"); ask("SUNION big a") }, 1},
		{"SDIFF", func() { set(200); ask("SADD a m1"); ask("SDIFF big a") }, 1},
		{"SDIFF by removal", func() { set(200); ask("SADD a m1"); ask("SDIFF big a none none none none none") }, 1},
		{"SDIFF of little", func() { set(200); ask("SADD a x"); ask("SDIFF a big") }, 0},
		{"SINTER, which needs none", func() { set(200); ask("SINTER big big") }, 0},
		{"ZUNION", func() { fill("ZADD", 100, "# m#"); ask("ZUNION 1 big") }, 1},
		{"ZINTER and ZDIFF", func() { fill("ZADD", 100, "# m#"); ask("ZINTER 1 big"); ask("ZDIFF 1 big") }, 2},
		{"ZDIFF of 64", func() { fill("ZADD", 64, "# m#"); ask("ZDIFF 1 big") }, 0},
		{"SREM of all",
			func() { set(200); ask("EVAL \"for i = 0, 199 do redis.call('SREM', 'big', 'm' .. i) end\" 0") }, 0},
		{"expiry, which has a parameter of its own", func() { set(200); ask("PEXPIRE big -1") }, 0},
		{"lazyfree-lazy-expire",
			func() { ask("CONFIG SET lazyfree-lazy-expire yes"); set(200); ask("PEXPIRE big -1") }, 1},
		{"FLUSHALL in MULTI", func() { set(1); ask("MULTI"); ask("FLUSHALL"); ask("EXEC") }, 0},
	} {
		for _, line := range []string{"MULTI", "FLUSHALL", "EXEC", "CONFIG RESETSTAT"} {
			ask(line)
		}
		test.do()
		require.Contains(t, ask("INFO memory"), fmt.Sprintf("lazyfreed_objects:%d\r\n", test.freed), test.what)
	}
}

// library returns the command that loads so many functions.
func library(functions int) string {
	code := "#!lua name=l\\n"
	for i := range functions {
		code += fmt.Sprintf("redis.register_function('f%d', function() return 1 end)\\n", i)
	}
	return `FUNCTION LOAD REPLACE "` + code + `"`
}

// dump_payload_sanitizations counts what sanitize-dump-payload makes the server check.
func TestSanitizationsAreCounted(t *testing.T) {
	e, s := newComplete()
	run(e, s, "SADD ints 1 2 3", "SET text abc")
	for _, c := range []struct {
		sanitize string
		counted  int
	}{{"no", 0}, {"yes", 1}, {"clients", 1}} {
		run(e, s, "CONFIG RESETSTAT", "CONFIG SET sanitize-dump-payload "+c.sanitize)
		for _, key := range []string{"ints", "text"} {
			require.Equal(t, "+OK\r\n", string(run(e, s,
				"EVAL \"return redis.call('RESTORE', 'copy', 0, redis.call('DUMP', KEYS[1]), 'REPLACE')\" 1 "+key).Out))
		}
		require.Contains(t, string(run(e, s, "INFO stats").Out),
			fmt.Sprintf("dump_payload_sanitizations:%d\r\n", c.counted), c.sanitize)
	}
}

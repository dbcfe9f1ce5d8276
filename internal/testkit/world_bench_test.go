package testkit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// BenchmarkReset measures what a client waits until its world has the data of a snapshot again.
func BenchmarkReset(b *testing.B) {
	eachFixture(b, func(b *testing.B, c *connection) {
		require.Equal(b, "OK", c.ask(b, "MINI.WORLD", "SNAPSHOT", "fixture").Text)
		for b.Loop() {
			c.ask(b, "MINI.WORLD", "RESTORE", "fixture")
		}
		require.Equal(b, fixture(7, "strings")[2], c.ask(b, "GET", "key:7").Text)
	})
}

// BenchmarkFork measures what a client waits for a new world with the data of another one.
func BenchmarkFork(b *testing.B) {
	eachFixture(b, func(b *testing.B, c *connection) {
		for b.Loop() {
			c.ask(b, "MINI.WORLD", "FORK", "default", "fork")
			b.StopTimer()
			require.Equal(b, "OK", c.ask(b, "MINI.WORLD", "DROP", "fork").Text)
			b.StartTimer()
		}
	})
}

// eachFixture runs a benchmark with strings of 32 bytes, and with as many keys of all types, over a
// connection.
func eachFixture(b *testing.B, run func(b *testing.B, c *connection)) {
	for _, n := range []int{10_000, 100_000} {
		for _, kind := range []string{"strings", "all types"} {
			b.Run(fmt.Sprint(n, " keys, ", kind), func(b *testing.B) {
				c := connect(b, miniserver.Run(b))
				for i := range n {
					c.send(b, fixture(i, kind)...)
				}
				for range n {
					c.next(b)
				}
				run(b, c)
			})
		}
	}
}

// fixture returns the command that makes a key.
func fixture(i int, kind string) []string {
	name := func(kind string) string { return fmt.Sprint(kind, ":", i) }
	value := fmt.Sprintf("%-32d", i)
	if kind == "strings" || i < 10 {
		return []string{"SET", name("key"), value}
	}
	switch i % 5 {
	case 0:
		return []string{"HSET", name("hash"), "name", value, "mail", value, "visits", "7"}
	case 1:
		return []string{"SADD", name("set"), "red", "green", "blue"}
	case 2:
		return []string{"ZADD", name("zset"), "1", "ann", "2.5", "ben"}
	case 3:
		return []string{"RPUSH", name("list"), value, value}
	}
	return []string{"SET", name("key"), value, "EX", "3600"}
}

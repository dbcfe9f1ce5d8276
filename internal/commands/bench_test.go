package commands_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/keys"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// hotSteps are the commands on strings and keys that servers execute most, with the allocations
// they may make. A value that keeps its size class is overwritten in place.
var hotSteps = []step{
	{"GET", []string{"SET k 0123456789"}, "GET k", 0},
	{"GET of an integer", []string{"SET k 1234567"}, "GET k", 0},
	{"GET of an absent key", nil, "GET k", 0},
	{"SET", []string{"SET k 0123456789"}, "SET k 012345{n}", 0},
	{"SET of an integer", []string{"SET k 1"}, "SET k {n}", 0},
	{"SET of a long value", []string{"SET k " + strings.Repeat("x", 3000)}, "SET k {n}" + strings.Repeat("x", 2990), 0},
	{"SET with a deadline", []string{"SET k v EX 10"}, "SET k v EX {n}", 0},
	{"SET to a new key", nil, "SET key:{n} v", 1},
	{"SET NX on a key", []string{"SET k v"}, "SET k {n} NX PX 1000", 0},
	{"SETEX", []string{"SETEX k 10 v"}, "SETEX k {n} v", 0},
	{"MSET and MGET", []string{"MSET a 1 b 2"}, "MSET a {n} b {n} ; MGET a b", 0},
	{"APPEND", []string{"SETRANGE k 20000 x"}, "APPEND k {n}", 0},
	{"INCR", []string{"SET k 100"}, "INCR k", 0},
	{"INCR and EXPIRE", []string{"SET k 100"}, "INCR k ; EXPIRE k {n}", 0},
	{"EXPIRE to a later time", []string{"SET k 100 EX 10"}, "EXPIRE k {n}", 0},
	{"TTL", []string{"SET k 100 EX 10"}, "TTL k", 0},
	{"EXISTS", []string{"SET k 100"}, "EXISTS k", 0},
	{"INCRBYFLOAT", []string{"SET k 0.1"}, "INCRBYFLOAT k 0.1", 0},
	{"SET and DEL", []string{"SET other v"}, "SET k v ; DEL k", 1},
}

func stringEngine() (*engine.Engine, *engine.Session) {
	return frozen(stringcmds.Family, keys.Family)
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	requireAllocs(t, hotSteps, 200, stringcmds.Family, keys.Family) // the table of keys may grow at first
}

func BenchmarkHotPaths(b *testing.B) { benchmarkSteps(b, hotSteps, stringcmds.Family, keys.Family) }

// BenchmarkManyKeys runs single commands over many keys, so that the memory of keys is cold.
func BenchmarkManyKeys(b *testing.B) {
	const keys = 1 << 18
	for _, line := range []string{"GET key:{n}", "SET key:{n} 9876543210", "INCR count:{n}", "EXPIRE key:{n} 100",
		"SET key:{n} v EX 100"} {
		b.Run(strings.ReplaceAll(line, " ", "-"), func(b *testing.B) {
			e, session := stringEngine()
			for i := range keys {
				n := strconv.Itoa(i * 40503 % keys)
				e.Do(session, commands("SET key:"+n+" 0123456789", "SET count:"+n+" 1"))
			}
			batches := make([][][][]byte, 1<<14)
			for i := range batches {
				batches[i] = commands(strings.ReplaceAll(line, "{n}", strconv.Itoa(i*7919%keys)))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Do(session, batches[i])
				i = (i + 1) & (len(batches) - 1)
			}
		})
	}
}

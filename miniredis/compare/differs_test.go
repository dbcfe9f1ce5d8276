package compare

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// texts is a tester that keeps the last text of Errorf.
type texts string

func (*texts) Helper() {}

func (f *texts) Errorf(format string, args ...any) { *f = texts(fmt.Sprintf(format, args...)) }

// TestWhatDiffers shows the differences that docs/start/miniredis.md lists: what the last call of a
// scene returns with the original, and with this package. If they come to agree, the page is wrong.
func TestWhatDiffers(t *testing.T) {
	for name, differs := range map[string]struct {
		play         func(s *scene)
		theirs, ours string
	}{
		"error texts": {func(s *scene) { s.do("NOPE x") },
			"NOPE x: error ERR unknown command `NOPE`, with args beginning with: `x`, ",
			"NOPE x: error ERR unknown command 'NOPE', with args beginning with: 'x' "},
		"databases": {func(s *scene) { s.do("SELECT 16") },
			`SELECT 16: "OK"`, "SELECT 16: error ERR DB index is out of range"},
		"HyperLogLogs": {func(s *scene) {
			s.call("PfAdd", "hll", "x")
			s.do("TYPE hll")
		}, `TYPE hll: "hll"`, `TYPE hll: "string"`},
		"fractions": {func(s *scene) {
			s.call("Set", "k", "v")
			s.call("SetTTL", "k", 1500*time.Millisecond)
			s.do("TTL k")
		}, "TTL k: 1", "TTL k: 2"},
		"the last field": {func(s *scene) {
			s.call("HSet", "h", "f", "v")
			s.call("HDel", "h", "f")
			s.call("Exists", "h")
		}, "Exists[h] = [true]", "Exists[h] = [false]"},
		"an empty set": {func(s *scene) {
			s.call("SetAdd", "set")
			s.call("Exists", "set")
		}, "Exists[set] = [true]", "Exists[set] = [false]"},
		"an empty list": {func(s *scene) {
			s.call("Push", "list")
			s.call("Exists", "list")
		}, "Exists[list] = [true]", "Exists[list] = [false]"},
		"a negative time": {func(s *scene) {
			s.call("Set", "k", "v")
			s.call("SetTTL", "k", -time.Second)
			s.call("Exists", "k")
		}, "Exists[k] = [true]", "Exists[k] = [false]"},
		"the time of what will come": {func(s *scene) {
			s.call("SetTTL", "list", time.Second)
			s.call("Push", "list", "x")
			s.call("TTL", "list")
		}, "TTL[list] = [1s]", "TTL[list] = [0s]"},
		"an entry of nothing": {func(s *scene) { s.call("XAdd", "s", "1-1", []string{}) },
			"XAdd[s 1-1 []] = [1-1 <nil>]", "XAdd[s 1-1 []] = [ ERR wrong number of arguments for 'xadd' command]"},
		"texts of checks": {func(s *scene) {
			f := new(texts)
			s.call("CheckGet", f, "k", "v")
			s.say("%s", *f)
		}, `GET error, key "k": ERR no such key`, `string "k": ERR no such key`},
		"raw commands in RESP3": {func(s *scene) {
			s.call("XAdd", "s", "1-1", []string{"f", "v"})
			require.NoError(s.t, s.c.send("HELLO", "3"))
			require.NoError(s.t, s.c.send("XREAD", "STREAMS", "s", "0"))
			require.NoError(s.t, s.c.send("QUIT"))
			replies, err := io.ReadAll(s.c)
			require.NoError(s.t, err)
			before, _, found := strings.Cut(string(replies), "$1\r\ns\r\n")
			require.True(s.t, found)
			s.say("%q", before[len(before)-4:])
		}, `"*2\r\n"`, `"%1\r\n"`},
		"payloads": {func(s *scene) { s.do("RESTORE k 0 v") },
			`RESTORE k 0 v: "OK"`, "RESTORE k 0 v: error ERR DUMP payload version or checksum are wrong"},
		"a flush of what is watched": {func(s *scene) {
			s.call("Set", "k", "v")
			for _, line := range []string{"WATCH k", "FLUSHALL", "MULTI", "EXEC"} {
				s.do(line)
			}
		}, "EXEC: []interface {}(nil)", "EXEC: <nil>"},
		"a swap of what is watched": {func(s *scene) {
			s.call("Set", "k", "v")
			for _, line := range []string{"WATCH k", "SWAPDB 0 1", "MULTI", "EXEC"} {
				s.do(line)
			}
		}, "EXEC: []interface {}(nil)", "EXEC: <nil>"},
		"hooks in scripts": {func(s *scene) {
			s.lib.hook(s.m, "PING", "hooked")
			s.say("%s", s.c.ask("EVAL", "return redis.call('PING')", "0"))
		}, `"hooked"`, `"PONG"`},
		"commands in scripts": {func(s *scene) {
			require.NoError(s.t, s.lib.register(s.m, "mine", "own"))
			s.say("%.40s", s.c.ask("EVAL", "return redis.call('MINE')[1]", "0"))
		}, `"own"`, "error ERR Unknown Redis command called f"},
	} {
		for i, want := range []string{differs.theirs, differs.ours} {
			m, err := libraries[i].run()
			require.NoError(t, err)
			s := &scene{t: t, lib: libraries[i], m: m}
			s.dial()
			differs.play(s)
			call(m, "Close")
			require.Equal(t, want, s.log[len(s.log)-1], "%s, %s", name, s.lib.name)
		}
	}
}

package compare

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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

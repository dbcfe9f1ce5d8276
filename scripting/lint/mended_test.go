package lint_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// states are the commands that make what the scripts of rules may find at k.
var states = map[string]string{"nothing": "", "a number": "SET k 7", "a large number": "SET k 10",
	"a set": "SADD k a b", "a hash": "HSET k next l limit 5"}

// TestMendedScriptsRun: what the rules advise works, whatever the key has; and where a rule is
// about what always fails, the script that has the fault does something else, or fails.
func TestMendedScriptsRun(t *testing.T) {
	for _, rule := range lint.Rules {
		worked, differ := 0, false
		for state, command := range states {
			bad, good := evaluated(t, rule.For, command, rule.Bad), evaluated(t, rule.For, command, rule.Good)
			if strings.Contains(good.Text, "WRONGTYPE") {
				continue // of a key that the script is not for
			}
			require.False(t, good.IsError(), "%s, %s at the key: %s", rule.Name, state, good)
			worked++
			differ = differ || !bad.Equal(good)
		}
		require.Positive(t, worked, rule.Name)
		require.True(t, differ || rule.Level != lint.Error || sameReply[rule.Name], "%s: %s", rule.Name, rule.Bad)
	}
}

// sameReply are rules about scripts whose fault does not show in their reply, or only in Redis 4.
var sameReply = map[string]bool{"ignore": true, "write-after-random": true}

// evaluated returns the reply of a script in a server of a release, "" for the default one, to
// which a command was sent before.
func evaluated(t *testing.T, version, command, script string) resp.Value {
	o := assembly.Options{Disk: new(disk.Memory)}
	if r, err := release.Parse(version); err == nil {
		o.Engine.Release = r
	}
	e := assembly.New(o).Engine
	s := e.NewSession(nil)
	do := func(words ...string) resp.Value {
		args := make([][]byte, len(words))
		for i, word := range words {
			args[i] = []byte(word)
		}
		reply, err := resp.NewReader(bytes.NewReader(e.Do(s, [][][]byte{args}).Out)).Read()
		require.NoError(t, err)
		return reply
	}
	if command != "" {
		require.NoError(t, do(strings.Fields(command)...).Err())
	}
	arguments := []string{"10", "9"}
	if strings.Contains(script, "#ARGV ~= 1") {
		arguments = arguments[:1]
	}
	return do(append([]string{"EVAL", script, "2", "k", "l"}, arguments...)...)
}

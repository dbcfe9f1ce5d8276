// Package examples_test runs the scripts of this directory in two places: in an engine in process,
// whose clock the tests move, and on redis-server, where only the time in the scripts' arguments
// moves.
package examples_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting"
)

// start is the first time of a stage's clock, in milliseconds since the epoch.
const start = 1_700_000_000_000

// stage is a server with scripts on it.
type stage struct {
	t      *testing.T
	memory *transcript.Memory // nil on redis-server
	conn   transcript.Conn
	now    int64
	began  time.Time // by the clock of redis-server
}

// inProcess returns a stage whose clock the test moves.
func inProcess(t *testing.T) *stage {
	memory := transcript.NewMemory(transcript.Traits{Name: "in process"}, func(e *engine.Engine) {
		e.Join(engine.Commands(stringcmds.Family, keys.Family, keys.Databases, servercmds.Family, hashes.Family,
			sets.Family, lists.Family, zsets.Family), engine.Part{Types: commands.Types})
		e.Join(scripting.New(e).Part())
	})
	conn, err := memory.Dial("")
	require.NoError(t, err)
	s := &stage{t: t, memory: memory, conn: conn, now: start}
	t.Cleanup(func() { require.NoError(t, memory.Check()) })
	return s
}

// onRedis returns a stage on redis-server, or skips the test.
func onRedis(t *testing.T) *stage {
	server := reference.Start(t)
	world, err := transcript.Connect("unix", server.Socket, transcript.Traits{Name: "redis-server"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, world.Close()) })
	conn, err := world.Dial("")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return &stage{t: t, conn: conn, now: start, began: time.Now()}
}

// everywhere plays a scene in process and on redis-server.
func everywhere(t *testing.T, scene func(s *stage)) {
	t.Run("in process", func(t *testing.T) { scene(inProcess(t)) })
	t.Run("redis-server", func(t *testing.T) { scene(onRedis(t)) })
}

// pass moves the clock. On redis-server it moves only the time in the scripts' arguments.
func (s *stage) pass(d time.Duration) {
	s.now += d.Milliseconds()
	if s.memory != nil {
		require.NoError(s.t, s.memory.Advance(d))
	}
}

// do sends a command and returns its reply.
func (s *stage) do(args ...any) resp.Value {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
	}
	require.NoError(s.t, s.conn.Send(words))
	reply, came, err := s.conn.Next(true)
	require.NoError(s.t, err)
	require.True(s.t, came, "no reply to %q", words)
	return reply
}

// run runs a script, keys separated by blanks, and returns the reply on one line: 1, "a", [1 2 0].
func (s *stage) run(script, keys string, args ...any) string {
	body, err := os.ReadFile(script + ".lua")
	require.NoError(s.t, err)
	names := strings.Fields(keys)
	command := []any{"EVAL", string(body), len(names)}
	for _, name := range names {
		command = append(command, name)
	}
	return text(s.do(append(command, args...)...))
}

// text returns a reply on one line.
func text(v resp.Value) string {
	if !v.IsAggregate() {
		return strings.TrimPrefix(v.String(), "(integer) ")
	}
	parts := make([]string, v.Len())
	for i, elem := range v.Elems {
		parts[i] = text(elem)
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// triple reads the reply of a limiter.
func triple(t *testing.T, reply string) (allowed bool, left, wait int64) {
	var ok int64
	_, err := fmt.Sscanf(reply, "[%d %d %d]", &ok, &left, &wait)
	require.NoError(t, err, reply)
	return ok == 1, left, wait
}

// requireGone checks that no key is left. It does not access any key, since that would expire it.
// It does nothing on redis-server, where no time has passed.
func (s *stage) requireGone() {
	if s.memory != nil {
		require.Equal(s.t, "0", text(s.do("DBSIZE")), "keys are left over")
	}
}

// requireTTL checks a key's time to live. On redis-server as much of it may have passed as since
// the scene began.
func (s *stage) requireTTL(key string, d time.Duration) {
	left := s.do("PTTL", key).Int
	if s.memory != nil {
		require.Equal(s.t, d.Milliseconds(), left)
		return
	}
	require.LessOrEqual(s.t, left, d.Milliseconds())
	require.Greater(s.t, left, (d - time.Since(s.began) - time.Second).Milliseconds())
}

// sameReplies calls a script a thousand times in process and on redis-server, with arguments from
// next, and requires equal replies.
func sameReplies(t *testing.T, script string, next func(s *stage, dice *rand.Rand) (keys string, args []any)) {
	t.Run("replies of redis-server", func(t *testing.T) {
		ours, theirs := inProcess(t), onRedis(t)
		dice := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			ours.pass(time.Duration(dice.IntN(120_000)) * time.Millisecond)
			keys, args := next(ours, dice)
			theirs.now = ours.now
			want := theirs.run(script, keys, args...)
			require.Equal(t, want, ours.run(script, keys, args...), "%s %s , %v", script, keys, args)
		}
	})
}

// TestEveryScriptSaysHowToRunIt checks the form of the headers, which the test of the README's
// commands reads too.
func TestEveryScriptSaysHowToRunIt(t *testing.T) {
	scripts, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		body, err := os.ReadFile(script)
		require.NoError(t, err)
		for _, line := range []string{"redis-cli --eval examples/", "miniserver eval examples/"} {
			require.Contains(t, string(body), "--   "+line+script+" ", script)
		}
		for _, line := range []string{"-- KEYS", "-- ARGV ", "-- reply "} {
			require.Contains(t, string(body), "\n"+line, script)
		}
	}
}

// TestScriptsTellWhatIsWrongBeforeTheyWrite runs each script without arguments.
func TestScriptsTellWhatIsWrongBeforeTheyWrite(t *testing.T) {
	scripts, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	everywhere(t, func(s *stage) {
		for _, script := range scripts {
			name := strings.TrimSuffix(script, ".lua")
			if name == "unlock" || name == "reentrant-unlock" {
				continue // without a token the lock has no holder
			}
			require.Contains(s.t, s.run(name, "k k k"), "ERR usage: ", script)
			if name != "delay-ack" {
				require.Contains(s.t, s.run(name, "k k k", "x", "y", "z"), "ERR usage: ", script)
			}
		}
		require.Equal(s.t, "0", text(s.do("DBSIZE")))
	})
}

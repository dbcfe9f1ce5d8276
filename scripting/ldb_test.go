package scripting_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting/ldb"
)

var writeSessions = flag.Bool("sessions", false, "write the answers of the debugger into testdata/debugger")

// console types the requests of a session and writes down what is answered. It leaves when all are
// typed.
type console struct {
	requests []string
	out      strings.Builder
}

func (c *console) Ask() (words []string, ok bool) {
	if len(c.requests) == 0 {
		return nil, false
	}
	request := c.requests[0]
	c.requests = c.requests[1:]
	c.out.WriteString("> " + request + "\n")
	return strings.Fields(request), true
}

func (c *console) Answer(lines []string) {
	for _, line := range lines {
		c.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (c *console) Gone() error { return nil }

func (c *console) End(lines []string, reply []byte) {
	c.Answer(lines)
	c.out.WriteString("reply " + strings.ReplaceAll(strings.TrimSpace(string(reply)), "\r\n", " ") + "\n")
}

// TestSessions: the sessions in testdata/debugger are as they are written there. A file has,
// between lines of "---", the requests that come before the session, one a line, of which the last
// is debugged and has $ for the script; the script; and the session, in which "> " begins what is
// typed. A file whose name begins with "sync" is debugged on the data.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/debugger/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			if name == "endless" {
				quick.OneGoroutine(t, "runs endless loops until the debugger stops them")
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			parts := strings.Split(string(text), "\n---\n")
			require.Len(t, parts, 3)
			session := runSession(t, strings.HasPrefix(name, "sync"), strings.Split(parts[0], "\n"), parts[1], parts[2])
			if *writeSessions {
				require.NoError(t, os.WriteFile(file, []byte(parts[0]+"\n---\n"+parts[1]+"\n---\n"+session), 0o600))
				return
			}
			require.Equal(t, parts[2], session)
		})
	}
}

// runSession runs the requests, the last of them under the debugger, and returns the session.
func runSession(t *testing.T, sync bool, requests []string, script, typed string) string {
	out, left := playSession(t, sync, requests, script, typed)
	require.True(t, *writeSessions || left == 0, "the session ended before all was typed")
	return out
}

// playSession is runSession that also returns how many of the requests were left when the session
// ended.
func playSession(t *testing.T, sync bool, requests []string, script, typed string) (out string, left int) {
	c := &console{}
	for _, line := range strings.Split(typed, "\n") {
		if request, ok := strings.CutPrefix(line, "> "); ok {
			c.requests = append(c.requests, request)
		}
	}
	s, e := newScripts()
	client := e.NewSession(nil)
	last := len(requests) - 1
	for i, request := range requests {
		var words [][]byte
		for _, w := range strings.Fields(request) {
			words = append(words, []byte(strings.ReplaceAll(w, "$", script)))
		}
		if i < last {
			out := e.Do(client, [][][]byte{words}).Out
			require.NotEqual(t, "-", string(out[:1]), string(out))
			continue
		}
		mode := engine.DebugCopy
		if sync {
			mode = engine.DebugData
		}
		s.Debug(client, mode, words, ldb.New(c))
	}
	return numbers.ReplaceAllString(c.out.String(), "@0x0"), len(c.requests)
}

// numbers are what stands for the addresses of functions.
var numbers = regexp.MustCompile("@0x[0-9a-f]+")

// TestRandomRequests: whatever is typed, a session answers, and ends with a reply.
func TestRandomRequests(t *testing.T) {
	verbs := strings.Fields("s n o f c l w t frame u d p e r k b watch unwatch m back rc h nosuch step OVER print " +
		"eval redis break trace")
	nouns := strings.Fields("0 1 2 3 9 -1 -3 64 65 99999999999999999999 n t key a if true false n>2 n==3 (for x. " +
		") KEYS[1] t.list nil error('x') GET SET INCR DEL SELECT MULTI " +
		"SUBSCRIBE EVAL return redis.call('INCR','a') redis.breakpoint() redis.debug(t) coroutine.yield(1) " +
		"setmetatable({},{}) string.rep('x',1e9) f(3) f() \x00 \xff")
	const script = `local n, t = 0, {list = {1, 2}}
local function f(i)
  local half = i / 2
  if i % 3 == 0 then
    n = n + i
    redis.pcall('INCRBY', 'a', i)
  end
  return half
end
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(f(i)) end end)
for i = 1, 4 do
  f(i)
  if i < 4 then co() end
end
pcall(f)
redis.breakpoint()
return n`
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var typed strings.Builder
		for range 60 {
			typed.WriteString("> " + verbs[rng.IntN(len(verbs))])
			for range rng.IntN(4) {
				typed.WriteString(" " + nouns[rng.IntN(len(nouns))])
			}
			typed.WriteByte('\n')
		}
		request := []string{"EVAL $ 1 key"}
		session, _ := playSession(t, seed%5 == 0, request, script, typed.String())
		require.Regexp(t, "<endsession>\nreply .+\n$", session)
	}
}

// TestRequestsAreDescribed: docs/debugger.md has each line of the debugger's help.
func TestRequestsAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/debugger.md")
	require.NoError(t, err)
	text := strings.NewReplacer("`", "", "**", "").Replace(string(page))
	help := runSession(t, false, []string{"EVAL $ 0"}, "return 1", "> help")
	_, help, _ = strings.Cut(help, "is enough.\n")
	help, _, _ = strings.Cut(help, "Functions for scripts")
	for _, line := range strings.Split(strings.TrimSpace(help), "\n") {
		syntax, _, _ := strings.Cut(line, "  ")
		if name, arguments, _ := strings.Cut(syntax, " "); !strings.Contains(syntax, ",") {
			syntax = strings.TrimSpace(strings.NewReplacer("[", "", "]", "").Replace(name) + " " + arguments)
		} else {
			syntax = strings.NewReplacer("[", "", "]", "").Replace(syntax)
		}
		require.Contains(t, text, syntax)
	}
}

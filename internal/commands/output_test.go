package commands_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	families "github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting"
)

// newComplete returns an engine with all data commands, scripts and DUMP, and its session.
func newComplete() (*engine.Engine, *engine.Session) { return newCompleteLike(nil) }

// newCompleteLike is newComplete for a release.
func newCompleteLike(r *release.Release) (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Release: r, Seed: 1, Clock: func() int64 { return 1_700_000_000_000_000 }})
	e.Join(payload.Part())
	e.Join(families.Parts(e)...)
	e.Join(scripting.New(e).Part())
	return e, e.NewSession(nil)
}

// run executes lines of words, which may be quoted, and returns the outcome.
func run(e *engine.Engine, s *engine.Session, lines ...string) engine.Outcome {
	var batch [][][]byte
	for _, line := range lines {
		words, _ := resp.Words([]byte(line), nil)
		batch = append(batch, words)
	}
	return e.Do(s, batch)
}

// largeReplies are commands whose replies are larger than 2 MB.
func largeReplies() [][]string {
	value := strings.Repeat("x", 1<<16)
	return [][]string{
		{"HRANDFIELD h -999999999"},
		{"HRANDFIELD h -999999999 WITHVALUES"},
		{"HRANDFIELD big -999999999"},
		{"SRANDMEMBER s -999999999"},
		{"SRANDMEMBER big-s -999999999"},
		{"ZRANDMEMBER z -999999999"},
		{"ZRANDMEMBER big-z -999999999 WITHSCORES"},
		{"MGET" + strings.Repeat(" k", 1000)},
		{"LRANGE l 0 -1"},
		{"SORT l BY nosort" + strings.Repeat(" GET #", 10)},
		{"KEYS *"},
		{"EVAL 'local t = {} for i = 1, 1000 do t[i] = redis.call(\"GET\", \"k\") end return t' 0"},
		{"MULTI", "GET k", "HRANDFIELD h -999999999", "SET after 1", "EXEC"},
		{"DUMP huge"},
		{"GETRANGE huge 0 -1"},
		{"ECHO " + strings.Repeat(value, 40)},
	}
}

func TestRepliesOverTheLimitEndWhileTheyAreMade(t *testing.T) {
	const limit = 1 << 20
	e, other := newComplete()
	fillForReplies(e, other)
	for _, lines := range largeReplies() {
		name := lines[0][:min(40, len(lines[0]))]
		s := e.NewSession(nil)
		e.Config.OutputLimits[engine.ClassNormal] = limit
		o := run(e, s, lines...)
		require.True(t, o.Overflow && o.Closing, name)
		require.Less(t, cap(o.Out), 2*limit, name)
		require.Zero(t, run(e, s, "SET after 2").Executed, name)
		after := "$-1\r\n" // nothing runs after the overflow
		if lines[0] == "MULTI" {
			after = "$1\r\n1\r\n" // but a transaction runs to its end
		}
		require.Equal(t, after, string(run(e, other, "GET after").Out), name)
		run(e, other, "DEL after")
	}
}

func fillForReplies(e *engine.Engine, s *engine.Session) {
	value := strings.Repeat("x", 1<<16)
	run(e, s, "HSET h f v g w", "SADD s a b", "ZADD z 1 a 2 b", "SET k "+value, "SET huge "+noise(3<<20))
	for _, c := range []string{"HSET big f ", "SADD big-s ", "ZADD big-z 1 "} {
		run(e, s, c+value)
	}
	for range 64 {
		run(e, s, "RPUSH l "+value)
	}
	for i := range 64 {
		run(e, s, "SET "+strings.Repeat("k", 1<<15)+strings.Repeat("l", i+1)+" v")
	}
}

// noise returns n letters that cannot be compressed much.
func noise(n int) string {
	source := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(source.Uint64N(26))
	}
	return string(text)
}

// Without a limit of its class, a reply may take what the clients' share of the memory leaves.
func TestRepliesShareTheMemory(t *testing.T) {
	e, s := newComplete()
	e.Config.ReplyMemory = 1 << 20
	run(e, s, "HSET h f v")
	require.Len(t, run(e, s, "HRANDFIELD h -100000").Out, len("*100000\r\n")+100000*len("$1\r\nf\r\n"))
	require.True(t, run(e, s, "HRANDFIELD h -999999999").Overflow)
}

func TestAScriptGetsAnErrorForAReplyOverTheLimit(t *testing.T) {
	e, s := newComplete()
	e.Config.ReplyMemory = 1 << 20
	run(e, s, "HSET h f v")
	script := "EVAL 'local r = redis.pcall(\"HRANDFIELD\", \"h\", -999999999) redis.call(\"SET\", \"after\", " +
		"1) return r' 0"
	require.Equal(t, "-ERR not enough memory for the reply\r\n", string(run(e, s, script).Out))
	require.Equal(t, "$1\r\n1\r\n", string(run(e, s, "GET after").Out))
}

// A script's table is written elsewhere first: there, too, only as far as the client may get it.
func TestTheTableOfAScriptIsWrittenUpToTheLimit(t *testing.T) {
	const limit = 1 << 20
	e, s := newComplete()
	run(e, s, "SET k "+strings.Repeat("x", 1<<16))
	e.Config.OutputLimits[engine.ClassNormal] = limit
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := run(e, s, `EVAL "local v = redis.call('GET', 'k') local t = {} for i = 1, 4000 do t[i] = v end return t" 0`)
	runtime.ReadMemStats(&after)
	require.True(t, o.Overflow)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*limit), "the whole table has 250 MB")
}

func TestMessagesOverTheLimitCloseTheirReceiver(t *testing.T) {
	quick.Skip(t, "fills memory")
	for _, receive := range []string{"SUBSCRIBE c", "PSUBSCRIBE c", "SSUBSCRIBE c", "MONITOR",
		"CLIENT TRACKING ON BCAST"} {
		e, s := newComplete()
		receiver := e.NewSession(waker{})
		run(e, receiver, "HELLO 3", receive)
		e.Config.OutputLimits = [engine.Classes]int64{1 << 20, 1 << 20, 1 << 20}
		text := strings.Repeat("x", 1<<18)
		for range 64 {
			run(e, s, "PUBLISH c "+text, "SPUBLISH c "+text, "SET "+text+" v")
		}
		o := e.Collect(receiver)
		require.True(t, o.Overflow, receive)
		require.Less(t, cap(o.Out), 4<<20, receive)
	}
}

// waker is the peer of a session without a connection.
type waker struct{}

func (waker) Wake() {}

func TestBeforeAUTHOutputIsLimited(t *testing.T) {
	e, _ := newComplete()
	require.NoError(t, e.Params.Named("requirepass").Set("secret"))
	s := e.NewSession(nil)
	pings := strings.Split(strings.TrimSpace(strings.Repeat("PING\n", 500)), "\n")
	require.False(t, run(e, s, pings[:480]...).Overflow)
	require.True(t, run(e, s, pings...).Overflow)
	require.Zero(t, run(e, s, "AUTH secret").Executed)

	s = e.NewSession(nil)
	require.False(t, run(e, s, append([]string{"AUTH secret"}, pings...)...).Overflow, "AUTH lifts the limit at once")
	pings = append([]string{"RESET"}, pings...)
	require.False(t, run(e, s, pings...).Overflow, "as in Redis, RESET does not restore it")
}

package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// redis starts a server of the default release as a world.
func redis(t *testing.T) *Server {
	server := reference.Default.Start(t)
	w, err := Connect("unix", server.Socket, Traits{Name: "redis", Tags: []string{"redis"}, Release: server.Release})
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// parse returns a file of these lines under a header.
func parse(t *testing.T, lines ...string) *File {
	t.Helper()
	f, err := Parse("test.txt", "# header\n"+strings.Join(lines, "\n")+"\n")
	require.NoError(t, err)
	return f
}

func TestMismatchesSayWhere(t *testing.T) {
	out, err := parse(t,
		"> SET k v", "OK",
		"> GET k", `"w"`,
		"> INCR n",
		"a> BLPOP q 0", `"x"`,
		"> SUBSCRIBE a b", `1) "subscribe"`, `2) "a"`, `3) (integer) 1`,
	).Run(engineWorld(2))
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 3)
	require.Equal(t, "test.txt:4: > GET k\n  expected\n    \"w\"\n  got\n    \"v\"", out.Mismatches[0].String())
	require.Equal(t, "test.txt:6: > INCR n\n  expected\n    (no reply)\n  got\n    (integer) 1",
		out.Mismatches[1].String())
	require.Equal(t, "test.txt:7: a> BLPOP q 0\n  expected\n    \"x\"\n  got\n    (no reply)",
		out.Mismatches[2].String())
}

// Each wait in vain may take a minute, so that a server that answers nothing costs a file one of
// them.
func TestARunEndsAtAReplyThatDoesNotCome(t *testing.T) {
	out, err := parse(t, "> BLPOP q 0", `"x"`, "> SET k v", "wrong").Run(engineWorld(2))
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 1)
	require.Equal(t, 1, out.Ran)
}

func TestWhatNobodyMentionedIsReported(t *testing.T) {
	quick.Skip(t, "waits two seconds")
	w := redis(t)
	w.Quiet = time.Second
	out, err := parse(t, "> SUBSCRIBE a b", `1) "subscribe"`, `2) "a"`, `3) (integer) 1`, "a> BLPOP q 0").Run(w)
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 1)
	require.Contains(t, out.Mismatches[0].String(), `2) "b"`)
}

func TestVersionsDecideWhatAWorldRuns(t *testing.T) {
	for _, c := range []struct {
		release *release.Release
		runs    string
	}{
		{release.Exactly("redis", "7.0.15"), "a"},
		{release.Exactly("redis", "7.2"), "b"},
		{release.Exactly("redis", "8.0.2"), "bcd"},
		{release.Exactly("redis", "8.10.0"), "bcdeg"},
		{release.Exactly("valkey", "8.1.4"), "bd"},
		{release.Exactly("valkey", "9.1.2"), "bdf"},
		{release.Exactly("redis-stack", "7.4.1"), "bgh"},
		{nil, "bcdefg"},
	} {
		f := parse(t, "@ before 7.2", "> a", "@ end", "@ since 7.2", "> b", "@ end", "@ since 8.0", "> c", "@ end",
			"@ since 8.0 valkey:8.1", "> d", "@ end", "@ since 8.9", "> e", "@ end", "@ since valkey:9.0", "> f",
			"@ end", "@ since 8.9 redis-stack:7.4", "> g", "@ end", "@ only redis-stack", "> h")
		var runs string
		for i, run := range f.plan(f.steps, Traits{Release: c.release}) {
			if run {
				runs += f.steps[i].args[0]
			}
		}
		require.Equal(t, c.runs, runs, "%v", c.release)
	}
}

func TestWhatAWorldLacksIsLeftOutUpToTheNextReset(t *testing.T) {
	f := parse(t, "> a", "> lacking", "OK", "> b", "@ reset", "> c", "> lacking",
		"(error) ERR unknown command 'lacking'", "> d", "@ config lacking 1", "> e", "@ reset", "> f")
	lacks := func(args []string) bool { return slices.Contains(args, "lacking") }
	var runs string
	for i, run := range f.plan(f.steps, Traits{Lacks: lacks}) {
		if s := f.steps[i]; run && s.kind == stepCommand {
			runs += s.args[0] + " "
		}
	}
	require.Equal(t, "a c lacking d f ", runs)
}

func TestResetRestoresParametersAndUsers(t *testing.T) {
	w := redis(t)
	before := w.parameters()
	_, err := parse(t,
		"@ config maxmemory 100mb", "> CONFIG SET hz 50 slowlog-log-slower-than 7", "OK",
		"> ACL SETUSER bob on", "OK", "> SET k v", "OK",
	).Run(w)
	require.NoError(t, err)
	require.Equal(t, before, w.parameters())
	size, err := w.ask("DBSIZE")
	require.NoError(t, err)
	require.Zero(t, size.Int)
	users, err := w.ask("ACL", "USERS")
	require.NoError(t, err)
	require.Len(t, users.Elems, 1)
}

// A file that fails during a pause must not make the next ones wait for its end.
func TestResetEndsAPause(t *testing.T) {
	w := redis(t)
	_, err := parse(t, "> CLIENT PAUSE 1000000 WRITE", "OK").Run(w)
	require.NoError(t, err)
	w.Patience = time.Second
	_, err = w.ask("FLUSHALL")
	require.NoError(t, err)
}

func TestUpdateKeepsWhatMatches(t *testing.T) {
	f := parse(t,
		"> SET k v", "wrong",
		"# comment", "> PTTL k", "(integer) <int>",
		"> VERSION", "",
		"@ only miniserver", "> OURS k", "kept", "@ end",
		"> GET k", `"w"`, "")
	text, err := f.Update(redis(t), nil)
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		"# header",
		"> SET k v", "OK",
		"# comment", "> PTTL k", "(integer) <int>",
		"> VERSION", "(error) ERR unknown command 'VERSION'", "",
		"@ only miniserver", "> OURS k", "kept", "@ end",
		"> GET k", `"v"`, "", ""}, "\n"), text)
}

func TestUpdateFromOursLeavesRedisItsSteps(t *testing.T) {
	w := redis(t)
	w.traits.Tags, w.traits.Release = []string{"miniserver"}, nil // stands in for a server that has more
	theirs := Traits{Name: "redis", Tags: []string{"redis"}, Release: release.Exactly("redis", "7.0"), Sleep: LongSleep}
	f := parse(t, "> SET k v", "what redis says", "@ only miniserver", "> GET k", "old", "@ end", "@ since 7.2",
		"> GET k", "old")
	text, err := f.Update(w, []Traits{theirs})
	require.NoError(t, err)
	require.Equal(t, "# header\n> SET k v\nwhat redis says\n@ only miniserver\n> GET k\n\"v\"\n@ end\n@ since 7.2\n"+
		"> GET k\n\"v\"\n", text)
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		``:                         nil,
		`  a  b `:                  {"a", "b"},
		`"" ''`:                    {"", ""},
		`"a b" c`:                  {"a b", "c"},
		`"\x00\xff\n\r\t\a\b\\\""`: {"\x00\xff\n\r\t\a\b\\\""},
		`"\q\xzz"`:                 {"qxzz"},
		`'\n\'x"'`:                 {`\n'x"`},
		`{"a":1}`:                  nil,
		`pre"fix"`:                 {"prefix"},
	} {
		got, err := words(line)
		if line == `{"a":1}` {
			require.ErrorIs(t, err, errQuotes)
			continue
		}
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{`"a`, `'a`, `"a"b`, `"a\`} {
		_, err := words(line)
		require.ErrorIs(t, err, errQuotes, line)
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"#\nPONG\n":              "test.txt:2: a reply without a command: PONG",
		"#\n> \"a\n":             "test.txt:2: unbalanced quotes",
		"#\n> \n":                "test.txt:2: no command",
		"#\n\n@ nonsense\n":      "test.txt:3: bad directive: @ nonsense",
		"#\n@ +5\n":              "test.txt:2: bad directive: @ +5",
		"#\n@ resp 4\n":          "test.txt:2: bad directive: @ resp 4",
		"#\n@ end\n":             "test.txt:2: bad directive: @ end",
		"#\n@ for i = 3..1\n":    "test.txt:2: bad directive: @ for i = 3..1",
		"#\n@ config a\n":        "test.txt:2: bad directive: @ config a",
		"#\n@ since new\n":       "test.txt:2: bad directive: @ since new",
		"#\n@ only\n":            "test.txt:2: bad directive: @ only",
		"#\n> PING\nPONG\n\nx\n": "test.txt:5: a reply without a command: x",
	} {
		_, err := Parse("test.txt", text)
		require.ErrorContains(t, err, want)
	}
}

func TestCommandsAreListedForCoverage(t *testing.T) {
	f := parse(t, "> SET k v", "OK", "a> config GET x", "> set k v", "OK")
	require.Equal(t, []string{"config", "config get", "set", "set k"}, f.Commands())
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		expected, got string
		want          bool
	}{
		{"(integer) <int>", "(integer) -12", true},
		{"(integer) <int>", "(integer) 1.5", false},
		{"(integer) <int>", "(integer) <int>", true},
		{`"<num>"`, `"1.5e+20"`, true},
		{`"<hex>"`, `"00ff"`, true},
		{`"<hex>"`, `"00FF"`, false},
		{`"a<text>b"`, `"axyzb"`, true},
		{`"a<text>b"`, "\"ax\nb\"", false},
		{"a\n<lines>\nb", "a\n1\n2\nb", true},
		{"a.b", "axb", false},
		{"a => ", "a =>", true},
	} {
		require.Equal(t, c.want, matches(c.expected, c.got), "%q %q", c.expected, c.got)
	}
}

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		order           Order
		reply, arranged string
	}{
		{Sorted, "*3\r\n+c\r\n+a\r\n+b\r\n", "1) a\n2) b\n3) c"},
		{Sorted, "*2\r\n+9\r\n*2\r\n+b\r\n+a\r\n", "1) 9\n2) 1) a\n   2) b"},
		{Sorted, "%2\r\n+b\r\n:1\r\n+a\r\n:2\r\n", "1# a => (integer) 2\n2# b => (integer) 1"},
		{Pairs, "*4\r\n+b\r\n+1\r\n+a\r\n+2\r\n", "1) a\n2) 2\n3) b\n4) 1"},
		{Pairs, "*2\r\n*2\r\n+b\r\n+1\r\n*2\r\n+a\r\n+2\r\n", "1) 1) a\n   2) 2\n2) 1) b\n   2) 1"},
		{Pairs, "*2\r\n+0\r\n*4\r\n+b\r\n+1\r\n+a\r\n+2\r\n", "1) 0\n2) 1) a\n   2) 2\n   3) b\n   4) 1"},
		{AsSent, "*2\r\n+b\r\n+a\r\n", "1) b\n2) a"},
	} {
		v, err := resp.NewReader(strings.NewReader(c.reply)).Read()
		require.NoError(t, err)
		require.Equal(t, c.arranged, Arrange(v, c.order).String())
	}
}

// engineWorld is an engine in process with some families.
func engineWorld(proto int) *Memory {
	return NewMemory(Traits{Name: "engine", Proto: proto}, func(e *engine.Engine) {
		e.Join(engine.Commands(stringcmds.Family, hashes.Family, zsets.Family, lists.Family), pubsub.Part(),
			transactions.Part())
		if name := "zset-max-ziplist-entries"; e.Params.Named(name) == nil {
			e.Join(engine.Part{Params: []config.Param{config.Int(name, &e.Config.ZSet.MaxEntries, 0, 1<<30)}})
		}
	})
}

func TestMemoryRunsWithAVirtualClock(t *testing.T) {
	f := parse(t,
		"> SET k v EX 100", "OK",
		"@ +1m30s", "> GET k", `"v"`,
		"@ +10s", "> GET k", "(nil)",
		"@ config zset-max-ziplist-entries 1",
		"> ZADD z 1 a 2.5 b", "(integer) 2",
		"> ZRANGE z 0 -1 WITHSCORES", `1) "a"`, `2) "1"`, `3) "b"`, `4) "2.5"`,
		"> MULTI", "OK", "> HSET h f v", "QUEUED", "a> HSET h f w", "(integer) 1", "> EXEC", "1) (integer) 0",
		"@ pairs", "> HGETALL h", `1) "f"`, `2) "v"`,
		"@ only virtual", "@ +1d", "> GET k", "(nil)", "@ end",
		"@ not miniserver", "> GET k", "never", "@ end",
		"@ reset", "> HGETALL h", "(empty array)",
		"@ resp 3", "> HGETALL h", "(empty hash)",
	)
	for _, proto := range []int{2, 3} {
		out, err := f.Run(engineWorld(proto))
		require.NoError(t, err)
		require.Empty(t, out.Mismatches)
		require.Equal(t, 1, out.LeftOut)
	}
}

func TestMemoryParksAndHangsUp(t *testing.T) {
	f := parse(t,
		"a> BZPOPMIN z 10", "a> ZADD z 9 late", "> ZADD z 1 m", "(integer) 1",
		"a<", `1) "z"`, `2) "m"`, `3) "1"`, "a<", "(integer) 1",
		"a> DEL z", "(error) ERR unknown command 'DEL', with args beginning with: 'z'",
		"a> ZREM z late", "(integer) 1",
		"a> BZPOPMIN z 10", "@ +9s", "@ +1s", "a<", "(nil)",
		"a> BZPOPMIN z 0", "@ close a", "> ZADD z 1 m", "(integer) 1", "> ZCARD z", "(integer) 1",
	)
	out, err := f.Run(engineWorld(2))
	require.NoError(t, err)
	require.Empty(t, out.Mismatches)
}

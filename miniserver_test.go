package miniserver_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/resp"
)

func Example() {
	s, err := miniserver.Start("zset-max-ziplist-entries 2")
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close() }()

	s.Do("ZADD", "board", "1", "ann", "2", "ben")
	fmt.Println(s.Do("OBJECT", "ENCODING", "board"))
	s.Do("ZADD", "board", "3", "carl")
	fmt.Println(s.Do("OBJECT", "ENCODING", "board"))

	s.Do("EXPIRE", "board", "60")
	s.Advance(time.Minute)
	fmt.Println(s.Do("EXISTS", "board"))
	// Output:
	// "ziplist"
	// "skiplist"
	// (integer) 0
}

// Start returns when the first command is served, and not refused since the server still loads.
func TestStartedIsReady(t *testing.T) {
	for range 50 {
		s, err := miniserver.Start()
		require.NoError(t, err)
		require.True(t, s.Do("GET", "k").IsNull())
		require.NoError(t, s.Close())
	}
}

// TestClientsConnect speaks to the server as a client would.
func TestDoWithoutWords(t *testing.T) {
	s := miniserver.Run(t)
	require.Equal(t, "ERR no command given", s.Do().Text)
	require.Equal(t, "PONG", s.Do("PING").Text)
}

func TestDoOfABlockingCommandEndsWithTheServer(t *testing.T) {
	s := miniserver.Run(t)
	reply := make(chan resp.Value)
	go func() { reply <- s.Do("BLPOP", "k", "0") }()
	require.NoError(t, s.Close())
	require.True(t, (<-reply).IsError())
}

func TestClientsConnect(t *testing.T) {
	s := miniserver.Run(t)
	conn, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "SET greeting hello\r\n")
	require.NoError(t, err)
	reply, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	require.Equal(t, "OK", reply.Text)
	require.Equal(t, "hello", s.Do("GET", "greeting").Text)
	require.NoError(t, conn.Close())
}

// TestServersShareNothing runs two at a time.
func TestServersShareNothing(t *testing.T) {
	a, b := miniserver.Run(t), miniserver.Run(t)
	require.NotEqual(t, a.Addr(), b.Addr())
	a.Do("SET", "k", "v")
	a.Advance(time.Hour)
	require.True(t, b.Do("GET", "k").IsNull())
	ahead := a.Do("TIME").Elems[0].Text > b.Do("TIME").Elems[0].Text
	require.True(t, ahead)
}

func TestSettings(t *testing.T) {
	s := miniserver.Run(t, `requirepass "a b"`, "maxmemory 10mb", "save 60 1 300 10")
	require.Equal(t, "NOAUTH Authentication required.", s.Do("GET", "k").Text)
	require.Equal(t, "OK", s.Do("AUTH", "a b").Text)
	require.Equal(t, "10485760", s.Do("CONFIG", "GET", "maxmemory").Elems[1].Text)
	require.Equal(t, "60 1 300 10", s.Do("CONFIG", "GET", "save").Elems[1].Text)
	for setting, refusal := range map[string]string{
		"no-such-thing 1": "unknown setting 'no-such-thing'",
		"maxmemroy 10mb":  "did you mean 'maxmemory'?",
		"maxmemory":       "name or value is missing",
		"maxmemory lots":  "argument must be a memory value",
		"databases 0":     "argument must be between 1 and",
		`requirepass "x`:  "name or value is missing",
	} {
		_, err := miniserver.Start(setting)
		require.ErrorContains(t, err, refusal, setting)
	}
}

// TestAPortThatIsTaken fails the test that asked for it, and nothing else.
func TestAPortThatIsTaken(t *testing.T) {
	s := miniserver.Run(t)
	_, port, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	judge := &fake{}
	require.Nil(t, miniserver.Run(judge, "port "+port))
	require.Contains(t, judge.failure, "Address already in use")
}

// fake is a test that may fail.
type fake struct {
	failure string
	errors  []string
	log     []string
	cleanup []func()
}

func (*fake) Helper()                        {}
func (*fake) Name() string                   { return "fake" }
func (f *fake) Cleanup(fn func())            { f.cleanup = append(f.cleanup, fn) }
func (f *fake) Logf(form string, a ...any)   { f.log = append(f.log, fmt.Sprintf(form, a...)) }
func (f *fake) Errorf(form string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(form, a...)) }
func (f *fake) Fatalf(form string, a ...any) { f.failure = fmt.Sprintf(form, a...) }

// TestTheClockStandsStill holds a time and moves it by hand: a key is there until its last
// millisecond.
func TestTheClockStandsStill(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(1_700_000_000_000))
	require.Equal(t, "1700000000", s.Do("TIME").Elems[0].Text)
	s.Do("SET", "k", "v", "PX", "1000")
	s.Do("HSET", "h", "f", "v", "g", "v")
	s.Do("HPEXPIRE", "h", "1000", "FIELDS", "1", "f")
	s.Advance(999 * time.Millisecond)
	require.EqualValues(t, 1, s.Do("PTTL", "k").Int)
	require.EqualValues(t, 2, s.Do("HLEN", "h").Int)
	s.Advance(time.Millisecond)
	require.EqualValues(t, 1, s.Do("DBSIZE").Int)
	require.EqualValues(t, 1, s.Do("HLEN", "h").Int)
	require.Equal(t, "1700000001", s.Do("TIME").Elems[0].Text)
}

// TestAdvanceEndsWaits lets a client wait for an hour that passes at once.
func TestAdvanceEndsWaits(t *testing.T) {
	s := miniserver.Run(t)
	conn, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "BLPOP queue 3600\r\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return strings.Contains(s.Do("INFO", "clients").Text, "blocked_clients:1")
	}, time.Minute, time.Millisecond)
	s.Advance(time.Hour)
	reply, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	require.True(t, reply.IsNull())
}

// TestSnapshotsStayInMemory saves, and finds no file.
func TestSnapshotsStayInMemory(t *testing.T) {
	dir := t.TempDir()
	s := miniserver.Run(t, "dir "+dir, "enable-debug-command yes")
	s.Do("SET", "k", "v")
	require.Equal(t, "OK", s.Do("SAVE").Text)
	require.Equal(t, "OK", s.Do("DEBUG", "RELOAD").Text)
	require.Equal(t, "v", s.Do("GET", "k").Text)
	require.NoFileExists(t, dir+"/dump.rdb")
}

// TestDebugNeedsItsSetting shows that DEBUG is refused before a transaction queues it and before
// AUTH.
func TestDebugNeedsItsSetting(t *testing.T) {
	s := miniserver.Run(t, "requirepass x")
	const refused = "ERR DEBUG command not allowed."
	require.Contains(t, s.Do("DEBUG", "DIGEST").Text, refused)
	require.Equal(t, "OK", s.Do("AUTH", "x").Text)
	require.Equal(t, "OK", s.Do("MULTI").Text)
	require.Contains(t, s.Do("DEBUG", "DIGEST").Text, refused)
	require.Contains(t, s.Do("EXEC").Text, "EXECABORT")
}

// TestClockOfScripts: os.clock is processor time, whatever the server's clock does.
func TestClockOfScripts(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(1_700_000_000_000))
	clock := func(script string) float64 {
		f, err := strconv.ParseFloat(s.Do("EVAL", script, "0").Text, 64)
		require.NoError(t, err)
		return f
	}
	before := clock("return tostring(os.clock())")
	s.Advance(1000 * time.Hour)
	require.Less(t, clock("return tostring(os.clock())")-before, float64(1000*3600))
	require.Positive(t,
		clock("local t = os.clock() repeat local d = os.clock() - t until d > 0 return tostring(os.clock() - t)"))
}

// TestCloseEndsConnections closes twice, and asks for more.
func TestCloseEndsConnections(t *testing.T) {
	s, err := miniserver.Start()
	require.NoError(t, err)
	require.Equal(t, "PONG", s.Do("PING").Text)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.True(t, s.Do("PING").IsError())
}

// TestDoConnectsAgain asks after QUIT has ended the connection.
func TestDoConnectsAgain(t *testing.T) {
	s := miniserver.Run(t)
	require.Equal(t, "OK", s.Do("QUIT").Text)
	require.True(t, s.Do("PING").IsError(), "the connection has ended")
	require.Equal(t, "PONG", s.Do("PING").Text)
}

// TestShutdown ends the server from a client's side.
func TestShutdown(t *testing.T) {
	s, err := miniserver.Start()
	require.NoError(t, err)
	require.True(t, s.Do("SHUTDOWN", "NOSAVE").IsError(), "the connection ends without a reply")
	require.NoError(t, s.Close())
}

// TestAdvanceFromALockedThread: a test may be locked to its thread, and members of a large set may
// expire during a BGSAVE whose coroutine another goroutine has started.
func TestAdvanceFromALockedThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(1_700_000_000_000))
	for i := range 200 {
		words := []string{"SADD", "large"}
		for j := range 100 {
			words = append(words, fmt.Sprint("member", i, ":", j))
		}
		require.Equal(t, int64(100), s.Do(words...).Int)
	}
	for i := range 50 {
		s.Do("SPEXPIRE", "large", "1", "MEMBERS", "1", fmt.Sprint("member", i, ":0"))
		require.Equal(t, "Background saving started", s.Do("BGSAVE").Text)
		s.Advance(time.Millisecond)
		require.Equal(t, int64(20000-i-1), s.Do("SCARD", "large").Int)
		for strings.Contains(s.Do("INFO", "persistence").Text, "rdb_bgsave_in_progress:1") {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestADayOfALimiter allows 100 requests in any 60 minutes, while 3 come each minute.
func TestADayOfALimiter(t *testing.T) {
	began := time.Now()
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(1_700_000_000_000))
	source, err := os.ReadFile("examples/sliding-window-zset.lua")
	require.NoError(t, err)
	script := s.Do("SCRIPT", "LOAD", string(source)).Text
	var allowed []int64
	for range 24 * 60 {
		n := int64(0)
		for range 3 {
			n += s.Do("EVALSHA", script, "1", "visits:alice", "100", "3600000").Elems[0].Int
		}
		allowed = append(allowed, n)
		s.Advance(time.Minute)
	}
	total := int64(0)
	for from := range allowed {
		hour := int64(0)
		for _, n := range allowed[from:min(from+60, len(allowed))] {
			hour += n
		}
		require.LessOrEqual(t, hour, int64(100), "from minute %d", from)
		total += allowed[from]
	}
	require.Equal(t, int64(24*100), total)
	require.Equal(t, []int64{3, 1, 0}, allowed[32:35])
	t.Logf("a day of %d requests took %.2f seconds", 3*len(allowed), time.Since(began).Seconds())
}

// After Close every method says so, also one that waits meanwhile.
func TestMethodsAfterClose(t *testing.T) {
	s, err := miniserver.Start()
	require.NoError(t, err)
	w := s.NewWorld(t)
	ended := make(chan error)
	go func() { ended <- w.WaitFor(t.Context(), "KEY", "k") }()
	require.NoError(t, s.Close())
	for _, err := range []error{
		<-ended, s.WaitFor(t.Context(), "BLOCKED", "1"), w.AddFault("f", "ON", "ANY", "DO", "DROP"),
		s.BeginOutage("CUT"), s.EndOutage(), s.Restart(), w.Snapshot("x"), w.Reset(), w.Do("PING").Err(),
	} {
		require.ErrorContains(t, err, "the server has ended")
	}
}

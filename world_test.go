package miniserver_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

func ExampleWorld_Advance() {
	s, err := miniserver.Start()
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close() }()
	s.Freeze(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	s.Do("SET", "session", "alice", "EX", "3600")
	s.Advance(59 * time.Minute)
	fmt.Println(s.Now().UTC(), s.Do("TTL", "session"))
	s.Advance(time.Minute)
	fmt.Println(s.Now().UTC(), s.Do("TTL", "session"))
	// Output:
	// 2030-01-01 00:59:00 +0000 UTC (integer) 60
	// 2030-01-01 01:00:00 +0000 UTC (integer) -2
}

func ExampleWorld_Snapshot() {
	s, err := miniserver.Start()
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close() }()
	s.Do("SET", "stock", "100")
	_ = s.Snapshot("fixture")
	s.Do("DECR", "stock")
	_ = s.Restore("fixture")
	fmt.Print(s.Dump())
	// Output:
	// database 0
	// "stock" string "100"
}

func TestWorldsOfAServer(t *testing.T) {
	s := miniserver.Run(t)
	a, b := s.NewWorld(t), s.NewWorld(t)
	require.Equal(t, "1-TestWorldsOfAServer", a.Name())
	require.Equal(t, "redis://world:1-TestWorldsOfAServer@"+s.Addr(), a.URL())
	require.Equal(t, "redis://"+s.Addr(), s.URL())
	a.Do("SET", "k", "v")
	a.Advance(time.Hour)
	require.True(t, b.Do("GET", "k").IsNull())
	require.True(t, s.Do("GET", "k").IsNull())
	require.Equal(t, a.Name(), a.Do("MINI.WORLD", "NAME").Text)
	require.Greater(t, a.Now().Sub(b.Now()), 59*time.Minute)

	fork := a.Fork(t)
	require.Equal(t, "v", fork.Do("GET", "k").Text)
	require.NoError(t, a.Reset())
	require.Empty(t, a.Dump())
	require.Equal(t, "v", fork.Do("GET", "k").Text)
}

// TestWorldsEndWithTheirTest removes the world, though a client of it has just gone.
func TestWorldsEndWithTheirTest(t *testing.T) {
	s := miniserver.Run(t)
	t.Run("a test", func(t *testing.T) { s.NewWorld(t).Do("SET", "k", "v") })
	for _, w := range s.Do("MINI.WORLD", "LIST").Elems {
		if state := w.StringMap(); state["name"] != "default" {
			require.Equal(t, "0", state["keys"], state["name"])
		}
	}
}

func TestWorldsOfAServerWithAPassword(t *testing.T) {
	s := miniserver.Run(t, "requirepass secret")
	w := s.NewWorld(t)
	require.Equal(t, "OK", w.Do("SET", "k", "v").Text)
	require.Equal(t, "redis://world:"+w.Name()+"%3Asecret@"+s.Addr(), w.URL())
	require.Equal(t, "redis://:secret@"+s.Addr(), s.URL())
	require.NoError(t, w.Snapshot("it"))
	require.Equal(t, "NOAUTH Authentication required.", s.Do("GET", "k").Text)
}

func TestWithoutTheKitThereIsOneWorld(t *testing.T) {
	s, judge := miniserver.Run(t, "test-kit no"), &fake{}
	require.Nil(t, s.NewWorld(judge))
	require.Contains(t, judge.failure, "has one world")
	require.ErrorContains(t, s.Reset(), "unknown command")
	s.Freeze(time.UnixMilli(1000))
	s.Advance(time.Second)
	require.Equal(t, int64(2000), s.Now().UnixMilli())
}

func TestClockOfAWorld(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	at := time.UnixMicro(1_700_000_000_000_001)
	w.Freeze(at)
	require.Equal(t, at, w.Now())
	w.Do("SET", "k", "v", "PX", "1000")
	w.SetTime(at.Add(time.Second))
	require.Equal(t, int64(0), w.Do("EXISTS", "k").Int)
	require.Equal(t, at.Add(time.Second), w.Now(), "it still stands")
	w.Resume()
	require.Eventually(t, func() bool { return w.Now().After(at.Add(time.Second)) }, time.Minute, time.Millisecond)
}

func TestSeedOfAWorld(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	w.Do("SADD", "fruit", "apple", "banana", "cherry", "date", "elder")
	w.Seed(42)
	first := w.Do("SRANDMEMBER", "fruit", "3").Strings()
	w.Seed(42)
	require.Equal(t, first, w.Do("SRANDMEMBER", "fruit", "3").Strings())
}

func TestSettingsOfTheEngine(t *testing.T) {
	fixture := filepath.Join(t.TempDir(), "fixture")
	require.NoError(t, os.WriteFile(fixture, []byte("SELECT 20\nSET k v\n"), 0o644))
	s := miniserver.Run(t, "databases 32", "seed 7", "load "+fixture)
	require.Equal(t, "OK", s.Do("SELECT", "20").Text)
	require.Equal(t, "v", s.Do("GET", "k").Text)
	require.Equal(t, map[string]string{"seed": "7", "databases": "32", "load": fixture},
		s.Do("CONFIG", "GET", "seed", "databases", "load").StringMap())
	_, err := miniserver.Start("load " + fixture + "x")
	require.ErrorContains(t, err, "can't load "+fixture+"x: No such file")
	_, err = miniserver.Start("seed -1")
	require.ErrorContains(t, err, "argument must be between")
}

func TestFaultsOfAWorld(t *testing.T) {
	s := miniserver.Run(t)
	w := s.NewWorld(t)
	require.NoError(t, w.AddFault("full", "ON", "COMMAND", "set", "DO", "OOM"))
	require.ErrorContains(t, w.AddFault("full", "ON", "COMMAND", "set", "DO", "OOM"), "ERR")
	require.Regexp(t, "^OOM ", w.Do("SET", "k", "v").Text)
	require.NoError(t, w.WaitFor(t.Context(), "FAULT", "full", "1"))
	require.Len(t, w.Do("MINI.FAULT", "LIST").Elems, 1)
	require.Equal(t, "OK", s.Do("SET", "k", "v").Text)
	require.NoError(t, w.ClearFaults())
	require.Equal(t, "OK", w.Do("SET", "k", "v").Text)
}

// TestFaultsThatStrikeNothing are in the log of the test.
func TestFaultsThatStrikeNothing(t *testing.T) {
	judge := &fake{}
	s := miniserver.Run(judge)
	for _, w := range []*miniserver.World{&s.World, s.NewWorld(judge)} {
		require.NoError(t, w.AddFault("lost", "ON", "COMMAND", "incr", "DO", "LOST-REPLY"))
		require.NoError(t, w.AddFault("full", "ON", "COMMAND", "set", "DO", "OOM"))
		w.Do("SET", "k", "v")
		w.Do("INCRBY", "n", "1")
	}
	for _, fn := range slices.Backward(judge.cleanup) {
		fn()
	}
	const text = "miniserver: fault lost ON COMMAND incr DO LOST-REPLY struck nothing: clients sent 1 INCRBY, 1 SET; " +
		"redis-py sends INCRBY for incr"
	all := strings.Join(judge.log, "\n")
	require.Equal(t, 2, strings.Count(all, text), all)
	require.NotContains(t, all, "fault full")
}

func TestWaitFor(t *testing.T) {
	s := miniserver.Run(t)
	replies := make(chan resp.Value)
	go func() { replies <- s.Do("BLPOP", "jobs", "3600") }()
	require.NoError(t, s.WaitFor(t.Context(), "BLOCKED", "1"))
	s.Advance(time.Hour)
	require.True(t, (<-replies).IsNull())

	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, s.WaitFor(soon, "KEY", "k"), `waited for key "k", found none`)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.WaitFor(over, "KEY", "k"), context.Canceled)
}

func TestDoContext(t *testing.T) {
	s := miniserver.Run(t)
	reply, err := s.DoContext(t.Context(), "INCR", "n")
	require.NoError(t, err)
	require.Equal(t, int64(1), reply.Int)
	_, err = s.DoContext(t.Context(), "LPUSH", "n", "x")
	require.Equal(t, resp.ReplyError("WRONGTYPE Operation against a key holding the wrong kind of value"), err)

	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = s.DoContext(soon, "BLPOP", "jobs", "0")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = s.DoContext(soon, "PING")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = s.DoContext(t.Context())
	require.ErrorContains(t, err, "no command given")
	reply, err = s.DoContext(t.Context(), "PING")
	require.NoError(t, err)
	require.Equal(t, "PONG", reply.Text)
}

func TestMustDo(t *testing.T) {
	s, judge := miniserver.Run(t), &fake{}
	require.Equal(t, "OK", s.MustDo(judge, "SET", "k", "two words").Text)
	require.Empty(t, judge.failure)
	s.MustDo(judge, "LPUSH", "k", "", "two words", strings.Repeat("x", 1000), "more")
	require.Equal(t, `miniserver: LPUSH k "" "two words" `+strings.Repeat("x", 200)+
		" ...: WRONGTYPE Operation against a key holding the wrong kind of value", judge.failure)
	require.NoError(t, s.Close())
	s.MustDo(judge, "PING")
	require.Equal(t, "miniserver: PING: the server has ended", judge.failure)
}

func TestTheLogIsTheTests(t *testing.T) {
	judge := &fake{}
	s := miniserver.Run(judge)
	s.Do("EVAL", "redis.log(redis.LOG_WARNING, 'from a script')", "0")
	for _, fn := range judge.cleanup {
		fn()
	}
	require.Regexp(t, "Ready to accept connections tcp 127.0.0.1:\\d+$", judge.log[0])
	require.Contains(t, strings.Join(judge.log, "\n"), "from a script")
}

func TestCheckLeaks(t *testing.T) {
	s, judge := miniserver.Run(t), &fake{}
	s.Do("SET", "settings", "x")
	s.CheckLeaks(judge)
	s.Do("SET", "session", "x", "EX", "60")
	s.Do("SET", "cart", "x")
	for _, fn := range judge.cleanup {
		fn()
	}
	require.Equal(t, []string{`miniserver: the test leaves behind: key 0 "cart" string`}, judge.errors)
}

// TestInABubble: inside of testing/synctest time passes when everything waits, and the server's
// does, too.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := miniserver.RunInProcess(t)
		began := time.Now()
		require.Equal(t, began, s.Now())
		s.Do("SET", "session", "alice", "EX", "3600")
		time.Sleep(time.Hour - time.Millisecond)
		require.Equal(t, int64(1), s.Do("EXISTS", "session").Int)
		time.Sleep(time.Millisecond)
		require.Equal(t, int64(0), s.Do("EXISTS", "session").Int)
		require.True(t, s.Do("BLPOP", "jobs", "60").IsNull())
		require.Equal(t, time.Hour+time.Minute, time.Since(began))

		popped := make(chan resp.Value, 2)
		go func() { popped <- s.NewWorld(t).Do("BLPOP", "jobs", "0") }()
		go func() { popped <- s.Do("BLPOP", "jobs", "0") }()
		synctest.Wait()
		other, err := s.Dial(t.Context(), "", "")
		require.NoError(t, err)
		defer other.Close()
		_, err = io.WriteString(other, "RPUSH jobs mail\r\n")
		require.NoError(t, err)
		length, err := resp.NewReader(other).Read()
		require.NoError(t, err)
		require.Equal(t, int64(1), length.Int)
		require.Equal(t, []string{"jobs", "mail"}, (<-popped).Strings())
	})
}

func TestInProcess(t *testing.T) {
	s := miniserver.RunInProcess(t)
	require.Equal(t, "pipe", s.Addr())
	large := strings.Repeat("x", 1<<20)
	require.Equal(t, "OK", s.Do("SET", "k", large).Text)
	require.Equal(t, large, s.Do("GET", "k").Text)
	require.Equal(t, "OK", s.Do("QUIT").Text)
	require.True(t, s.Do("PING").IsError(), "the connection has ended")
	require.Equal(t, "PONG", s.Do("PING").Text)
	require.NoError(t, s.Close())
	_, err := s.Dial(t.Context(), "", "")
	require.ErrorContains(t, err, "the server has ended")
}

// TestURLOfATLSServer connects by the URL of a server that speaks only TLS.
func TestURLOfATLSServer(t *testing.T) {
	cert, key, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, ln.Close())
	s := miniserver.Run(t, "port 0", "tls-port "+port, "tls-cert-file "+cert, "tls-key-file "+key,
		"tls-auth-clients no")
	require.Equal(t, "rediss://127.0.0.1:"+port, s.URL())
	require.Equal(t, "PONG", s.Do("PING").Text)
	w := s.NewWorld(t)
	require.Equal(t, "rediss://world:"+w.Name()+"@127.0.0.1:"+port, w.URL())
	require.Equal(t, "OK", w.Do("SET", "k", "v").Text)
	require.True(t, s.Do("GET", "k").IsNull())
}

// TestSelfSigned connects to a server that has made its certificate.
func TestSelfSigned(t *testing.T) {
	s := miniserver.Run(t, "tls-self-signed yes")
	require.Equal(t, "rediss://"+s.Addr(), s.URL())
	client, err := tls.Dial("tcp", s.Addr(), s.TLSConfig())
	require.NoError(t, err)
	defer client.Close()
	_, err = client.Write([]byte("PING\r\n"))
	require.NoError(t, err)
	pong, err := resp.NewReader(client).Read()
	require.NoError(t, err)
	require.Equal(t, "PONG", pong.Text)
	require.Nil(t, miniserver.Run(t).TLSConfig())
}

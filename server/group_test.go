package server

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// ledger is a journal. The test decides when it is behind and when it can commit.
type ledger struct {
	behind, stuck atomic.Bool
	owed, commits atomic.Int64 // calls of Behind that returned true, and of Commit that succeeded
}

func (l *ledger) Behind() bool {
	behind := l.behind.Load()
	if behind {
		l.owed.Add(1)
	}
	return behind
}

func (l *ledger) Commit() bool {
	if l.stuck.Load() {
		return false
	}
	l.commits.Add(1)
	return true
}

func TestRepliesWaitForTheJournal(t *testing.T) {
	l := &ledger{}
	s := start(t, Options{Journal: l})
	c, other := s.dial(t), s.dial(t)
	require.Equal(t, "+OK", c.ask("SET a 0"))
	require.Zero(t, l.commits.Load(), "nothing to wait for")

	l.behind.Store(true)
	require.Equal(t, "+OK", c.ask("SET a 1"))
	require.Equal(t, int64(1), l.commits.Load())

	l.stuck.Store(true)
	owed := l.owed.Load()
	c.send("SET a 2\r\nGET a\r\n")
	eventually(t, "executed", func() bool { return s.inside("GET a") == "$1\r\n2\r\n" })
	eventually(t, "held back", func() bool { return l.owed.Load() > owed })
	l.behind.Store(false) // no other client waits
	require.Equal(t, "$1", other.ask("GET a"))
	c.send("ECHO later\r\n")
	commits := l.commits.Load()
	l.stuck.Store(false)
	for _, want := range []string{"+OK", "$1", "2", "$5", "later"} {
		require.Equal(t, want, c.line(), "in order")
	}
	require.Greater(t, l.commits.Load(), commits)
}

// Many clients share a commit, and each gets its own reply.
func TestGroupsAreShared(t *testing.T) {
	l := &ledger{}
	l.behind.Store(true)
	l.stuck.Store(true)
	s := start(t, Options{Journal: l, Loops: 2})
	var clients []*client
	all := "EXISTS"
	for i := range 20 {
		c := s.dial(t)
		clients = append(clients, c)
		c.send(fmt.Sprintf("ECHO %02d\r\nSET k%d x\r\n", i, i))
		all += fmt.Sprint(" k", i)
	}
	eventually(t, "all executed", func() bool { return s.inside(all) == ":20\r\n" })
	l.stuck.Store(false)
	for i, c := range clients {
		for _, want := range []string{"$2", fmt.Sprintf("%02d", i), "+OK"} {
			require.Equal(t, want, c.line())
		}
	}
}

// A client that quits, breaks the protocol, or closes its writing end still gets its replies.
func TestRepliesThatWaitSurviveTheEnd(t *testing.T) {
	for _, last := range []string{"QUIT\r\n", "*x\r\n", "half"} {
		l := &ledger{}
		l.behind.Store(true)
		s := start(t, Options{Journal: l})
		c := s.dial(t)
		if last == "half" {
			c.send("SET a 1\r\n")
			require.NoError(t, c.Conn.(*net.TCPConn).CloseWrite())
		} else {
			c.send("SET a 1\r\n" + last)
		}
		require.Equal(t, "+OK", c.line(), last)
		if last != "half" {
			c.line()
		}
		c.closed()
	}
}

func TestLoadThatFailsEndsTheServer(t *testing.T) {
	failure := errors.New("no data")
	log := &syncBuffer{}
	e := engine.New(engine.Options{Clock: Clock(), Seed: 1})
	s := New(e, Options{Bind: []string{"127.0.0.1"}, Log: NewLog(e, log), Load: func() error { return failure }})
	require.ErrorIs(t, s.Run(t.Context()), failure)
	require.NotContains(t, log.String(), "Ready")
}

// Clients get LOADING errors until all data are loaded, also those that connect before or during
// loading.
func TestClientsHearLoadingUntilAllIsThere(t *testing.T) {
	parts := make(chan func(e *engine.Engine))
	var s *running
	s = start(t, Options{Load: func() error {
		for part := range parts {
			part(s.engine)
		}
		return nil
	}})
	end := sync.OnceFunc(func() { close(parts) })
	t.Cleanup(end)
	c := s.dial(t)
	hears := func() { require.Contains(t, c.ask("SET a 1"), "-LOADING") }
	hears()
	parts <- (*engine.Engine).StartLoading
	hears()
	parts <- (*engine.Engine).StopLoading
	parts <- func(*engine.Engine) {}
	hears()
	end()
	eventually(t, "all is there", func() bool { return c.ask("SET a 1") == "+OK" })
}

// writes counts the writes to a socket.
type writes struct {
	socket
	n int
}

func (w *writes) write([]byte) error { w.n++; return nil }

// A few replies leave together; what the journal owes keeps any number until it is saved.
func TestFewRepliesLeaveTogether(t *testing.T) {
	j := new(ledger)
	l := new(loop)
	l.group = group{server: &Server{opts: Options{Journal: j}}, loop: l}
	sent := new(writes)
	replyOf := func(text string) {
		c := &conn{loop: l, socket: sent, session: new(engine.Session)}
		c.write([]byte(text), 0, true)
	}
	reply := func() { replyOf("+OK\r\n") }
	for i := range 2*fewParts + 1 {
		require.Equal(t, i/fewParts*fewParts, sent.n)
		reply()
	}
	l.group.endRound()
	require.Equal(t, 2*fewParts+1, sent.n)

	j.behind.Store(true)
	for range fewParts + 1 {
		reply()
	}
	require.Equal(t, 2*fewParts+1, sent.n)
	l.group.endRound()
	require.Equal(t, 3*fewParts+2, sent.n)
	require.EqualValues(t, 1, j.commits.Load())

	j.behind.Store(false)
	large := strings.Repeat("x", fewBytes/3+1)
	for i := range 4 {
		require.Equal(t, 3*fewParts+2+i/3*3, sent.n)
		replyOf(large)
	}
}

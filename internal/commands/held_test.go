package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	families "github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// What a client makes the server hold is in used_memory, and leaves it with the client.
func TestUsedMemoryCountsWhatClientsHold(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ hold, release []string }{
		{[]string{"MULTI", "SET k " + long}, []string{"DISCARD"}},
		{[]string{"MULTI", "ECHO " + long}, []string{"EXEC"}},
		{[]string{"MULTI", "ECHO " + long, "NOSUCH"}, []string{"EXEC"}},
		{[]string{"WATCH " + long}, []string{"UNWATCH"}},
		{[]string{"SUBSCRIBE " + long}, []string{"UNSUBSCRIBE"}},
		{[]string{"PSUBSCRIBE " + long}, []string{"PUNSUBSCRIBE " + long}},
		{[]string{"SSUBSCRIBE " + long}, []string{"SUNSUBSCRIBE"}},
		{[]string{"HELLO 3", "CLIENT TRACKING ON BCAST PREFIX " + long}, []string{"CLIENT TRACKING OFF"}},
		{[]string{"HELLO 3", "CLIENT TRACKING ON", "GET " + long}, []string{"CLIENT TRACKING OFF"}},
		{[]string{"HIMPORT PREPARE set " + long}, []string{"HIMPORT DISCARDALL"}},
		{[]string{"HIMPORT PREPARE set " + long + "x", "HIMPORT PREPARE set " + long}, []string{"HIMPORT DISCARD set"}},
		{[]string{"BLPOP " + long + " 0"}, nil},
	} {
		for _, end := range []string{"itself", "RESET", "close"} {
			e, _ := newComplete()
			s := e.NewSession(waker{})
			before := e.Home().MemoryUsage().Used
			run(e, s, c.hold...)
			last := c.hold[len(c.hold)-1]
			name := last[:min(12, len(last))] + " " + end
			require.InDelta(t, before+len(long), e.Home().MemoryUsage().Used, 2000, name)
			switch {
			case end == "close" || c.release == nil:
				e.Close(s)
				e.NewSession(nil) // in its place
			case end == "RESET":
				run(e, s, "RESET")
			default:
				run(e, s, c.release...)
			}
			require.InDelta(t, before, e.Home().MemoryUsage().Used, 1000, "%s, but for the buffer of replies", name)
		}
	}
}

// Input and output of a connection count while it is open.
func TestUsedMemoryCountsWhatConnectionsHold(t *testing.T) {
	e, _ := newComplete()
	s, other := e.NewSession(waker{}), e.NewSession(nil)
	before := e.Home().MemoryUsage().Used
	s.Query.Store(900)
	s.QueryFree.Store(100)
	s.Args.Store(200)
	s.Unsent.Store(30)
	s.Unsent.Store(40)
	require.Equal(t, before+1240, e.Home().MemoryUsage().Used)
	run(e, s, "SUBSCRIBE c")
	run(e, other, "PUBLISH c "+strings.Repeat("x", 1<<20))
	require.Greater(t, e.Home().MemoryUsage().Used, before+1<<20, "a message that waits")
	e.Close(s)
	require.Less(t, e.Home().MemoryUsage().Used, before)
}

func TestClientsThatHoldMostAreEvictedFirst(t *testing.T) {
	e, admin := newComplete()
	var clients []*engine.Session
	for _, kb := range []int{100, 300, 200, 400} {
		s := e.NewSession(waker{})
		run(e, s, "CLIENT NO-EVICT OFF", "MULTI", "ECHO "+strings.Repeat("x", kb<<10))
		clients = append(clients, s)
	}
	run(e, clients[3], "DISCARD", "CLIENT NO-EVICT ON", "MULTI", "ECHO "+strings.Repeat("x", 400<<10))
	run(e, admin, "CONFIG SET maxmemory-clients 600kb", "PING")
	var closed []bool
	for _, s := range clients {
		closed = append(closed, s.Closing())
	}
	require.Equal(t, []bool{false, true, true, false}, closed)
	require.Contains(t, string(run(e, admin, "INFO stats").Out), "evicted_clients:2\r\n")
	run(e, admin, "CONFIG SET maxmemory-clients 50% maxmemory 100mb")
	require.Contains(t, string(run(e, admin, "CONFIG GET maxmemory-clients").Out), "50%")
}

// Clients that hold much and may not be evicted cost the others nothing, once no other client is
// left.
func TestNoClientIsLookedForWhereNoneMayBeEvicted(t *testing.T) {
	e, admin := newComplete()
	for range 100 {
		run(e, e.NewSession(waker{}), "CLIENT NO-EVICT ON", "MULTI", "ECHO "+strings.Repeat("x", 10<<10))
	}
	other := e.NewSession(waker{})
	run(e, admin, "CONFIG SET maxmemory-clients 100kb", "PING")
	require.True(t, other.Closing())
	ping := [][][]byte{{[]byte("PING")}}
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Do(admin, ping) }))
	other = e.NewSession(waker{})
	e.Tick()
	require.True(t, other.Closing(), "a new client is evicted")
}

func TestEvictionOfAClientIsLogged(t *testing.T) {
	e, admin := newComplete()
	var log string
	e.Join(engine.Part{Host: engine.Host{Log: func(mark byte, format string, args ...any) {
		log += string(mark) + fmt.Sprintf(format, args...) + "\n"
	}}})
	s := e.NewSession(waker{})
	run(e, s, "CLIENT SETNAME big", "MULTI", "ECHO "+strings.Repeat("x", 100<<10))
	run(e, admin, "CONFIG SET maxmemory-clients 50kb", "PING")
	require.Regexp(t, `^\*Evicting client: id=2 addr=.* name=big .* multi=1 .* tot-mem=10\d{4} .*\n$`, log)
}

// Moving between groups leaves the totals as they are.
func TestNoEvictAndRESETKeepTheTotals(t *testing.T) {
	e, admin := newComplete()
	s := e.NewSession(waker{})
	run(e, s, "SUBSCRIBE "+strings.Repeat("x", 10<<10), "UNSUBSCRIBE")
	before := e.Home().MemoryUsage().Used
	for range 3 {
		run(e, s, "CLIENT NO-EVICT ON", "CLIENT NO-EVICT ON", "WATCH k", "CLIENT NO-EVICT OFF", "UNWATCH",
			"CLIENT NO-EVICT ON", "RESET")
	}
	require.Equal(t, before, e.Home().MemoryUsage().Used)
	run(e, admin, "CONFIG SET maxmemory-clients 1kb", "PING")
	require.True(t, s.Closing())
	e.Close(s)
	e.Close(s)
	require.Less(t, e.Home().MemoryUsage().Used, before)
}

// A session that is idle keeps no buffers of replies, and a busy one keeps those that it uses.
func TestBuffersOfRepliesShrink(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	e, s := newTimed(&now)
	subscriber, busy := e.NewSession(waker{}), e.NewSession(nil)
	long, replies := strings.Repeat("x", 100<<10), func(s *engine.Session) (n int) {
		text := string(run(e, e.NewSession(nil), fmt.Sprintf("CLIENT LIST ID %d", s.ID)).Out)
		_, _ = fmt.Sscanf(text[strings.Index(text, " rbs="):], " rbs=%d", &n)
		return n
	}
	run(e, subscriber, "SUBSCRIBE c")
	e.Collect(subscriber)
	before := e.Home().MemoryUsage().Used
	run(e, s, "ECHO "+long, "ECHO "+long)
	run(e, s, "PUBLISH c x")
	e.Collect(subscriber)
	require.Greater(t, replies(s), 200<<10)
	for range 12 {
		now += 1e6
		run(e, busy, "ECHO "+long)
		e.Tick()
	}
	require.Zero(t, replies(s))
	require.Zero(t, replies(subscriber))
	require.Greater(t, replies(busy), 100<<10)
	require.Less(t, e.Home().MemoryUsage().Used, before+600<<10)
	require.Regexp(t, ` rbp=1024\d\d `, string(run(e, s, fmt.Sprintf("CLIENT LIST ID %d", busy.ID)).Out))
}

// INFO clients shows the largest buffers of the last seconds.
func TestRecentMaximaOfBuffers(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	e, s := newTimed(&now)
	other := e.NewSession(waker{})
	pass := func() string {
		now += 1e6
		e.Tick()
		text := string(run(e, s, "INFO clients").Out)
		_, text, _ = strings.Cut(text, "client_recent_max_input_buffer:")
		text, _, _ = strings.Cut(text, "\r\nblocked_clients")
		return strings.Replace(text, "\r\nclient_recent_max_output_buffer:", " ", 1)
	}
	require.Equal(t, "0 0", pass())
	other.Query.Store(1000)
	other.QueryFree.Store(24)
	other.Unsent.Store(3000)
	require.Equal(t, "1024 3000", pass())
	other.Query.Store(0)
	other.QueryFree.Store(0)
	other.Unsent.Store(10)
	for range 7 {
		require.Equal(t, "1024 3000", pass())
	}
	require.Equal(t, "0 10", pass())
}

// newTimed is newComplete with a clock.
func newTimed(now *int64) (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Seed: 1, Clock: func() int64 { return *now }})
	e.Join(families.Parts(e)...)
	return e, e.NewSession(nil)
}

package group

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
)

func TestKeysAreSettledWhenTheirEntryIs(t *testing.T) {
	var s settled
	s.begin()
	s.changes([]byte("a"), 3)
	require.True(t, s.after(0, []byte("b")))
	require.False(t, s.after(2, []byte("a")))
	require.True(t, s.after(3, []byte("a")))
	s.all = 5
	require.False(t, s.after(4, []byte("b")))
	require.True(t, s.after(5, []byte("b")))
}

// paper is a log whose entries are stored when the test says so.
type paper struct {
	Log
	group   *Group
	leased  bool
	entries []consensus.Entry
	done    []func(error)
}

func (p *paper) Status() consensus.Status { return consensus.Status{} }
func (p *paper) Leased() bool             { return p.leased }
func (p *paper) Append(seat uint64, data []byte, done func(error)) {
	p.entries, p.done = append(p.entries, consensus.Entry{Seat: seat, Data: data}), append(p.done, done)
}

// confirm confirms all entries.
func (p *paper) confirm() {
	for p.entries != nil {
		entries, done := p.entries, p.done
		p.entries, p.done = nil, nil
		machine{p.group}.Apply(entries)
		for _, d := range done {
			d(nil)
		}
	}
}

// newLeader returns a member that leads, with a lease.
func newLeader(t *testing.T) (*engine.Engine, *Group, *paper) {
	h := &hands{wall: 1000 * hour}
	e := engine.New(engine.Options{Clock: func() int64 { return h.wall }, Seed: 1})
	g := New(e, Options{Wall: func() int64 { return h.wall }, Nanos: func() int64 { return h.passed * 1000 }})
	e.Join(commands.Parts(e)...)
	e.Join(g.Part(), g.Messages())
	p := &paper{group: g, leased: true}
	g.log = p
	e.With(func() { g.lead(consensus.Seat{Leader: true, Term: 1, ID: 7}) })
	p.confirm()
	return e, g, p
}

func TestReadsOfSettledKeysWaitForNothing(t *testing.T) {
	e, g, p := newLeader(t)
	s := e.NewSession(nobody{})
	waits := func(commands ...string) bool {
		var batch [][][]byte
		for _, line := range commands {
			var args [][]byte
			for _, word := range strings.Fields(line) {
				args = append(args, []byte(word))
			}
			batch = append(batch, args)
		}
		o := e.Do(s, batch)
		require.Contains(t, []uint64{0, 7}, o.Awaits)
		require.NotContains(t, string(o.Out), "-ERR")
		return o.Awaits != 0
	}
	append := func() { e.With(g.append) }

	require.True(t, waits("SET a 1"), "a write")
	require.False(t, waits("GET b"))
	require.False(t, waits("GET b", "MGET b c", "EXISTS b"))
	require.True(t, waits("GET a"), "it tells of a change that is not in an entry yet")
	append()
	require.True(t, waits("GET b", "MGET b a"), "nor confirmed")
	require.False(t, waits("GET b"))
	p.confirm()
	require.False(t, waits("GET a"))
	require.True(t, waits("GET a", "SET a 2"))
	append()
	p.confirm()

	for _, other := range []string{"DBSIZE", "SCAN 0", "RANDOMKEY", "PING", "SORT_RO a", "KEYS *", "MULTI"} {
		require.True(t, waits(other), other)
	}
	require.True(t, waits("GET a", "EXEC"))

	waits("SET f 1 PX 1")
	append()
	p.confirm()
	require.False(t, waits("GET a"))
	require.True(t, waits("FLUSHALL"))
	require.True(t, waits("GET a"), "any key may have been there")
	append()
	p.confirm()
	require.False(t, waits("GET a"))

	require.True(t, waits("CLIENT REPLY SKIP", "GET a", "SET a 3"))
	append()
	p.confirm()
	p.leased = false
	require.True(t, waits("GET b"), "without a lease")
	p.leased, g.params.lease = true, false
	require.True(t, waits("GET b"), "nobody is to rely on it")
}

// nobody is a connection without a client.
type nobody struct{}

func (nobody) Wake() {}

package consensus

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/raft/v3/raftpb"
)

// stranger opens a connection to a member's port.
func (g *group) stranger(m *running) net.Conn {
	c, err := net.Dial("tcp", g.address(m.options.ID))
	require.NoError(g.t, err)
	g.t.Cleanup(func() { c.Close() })
	return c
}

// isClosed waits until the other end has closed a connection.
func isClosed(t *testing.T, c net.Conn) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(2*time.Minute)))
	_, err := io.Copy(io.Discard, c)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

// greeting is what who opens a connection says, as the member with that ID.
func greeting(purpose byte, id uint64) []byte {
	return hello{purpose: purpose, id: id, address: "127.0.0.1:1"}.append(nil)
}

// spoken is a message as a member sends it.
func spoken(id uint64, kind byte, m pb.Message) []byte {
	return appendFrame(greeting(purposeTalk, id), kind, appendMessage(nil, &m)...)
}

// TestManyStrangers: those who say nothing do not take the place of members, nor memory.
func TestManyStrangers(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.patience = time.Hour })
	leader := g.founded().leader()
	other := g.another(leader)
	before := inUse()
	var silent []net.Conn
	for range 4 * maxGuests {
		silent = append(silent, g.stranger(other))
	}
	for _, c := range silent[:2*maxGuests] {
		isClosed(t, c)
	}
	require.LessOrEqual(t, other.Status().Connections, maxGuests)
	require.Less(t, inUse(), before+32<<20)
	g.stop(leader)
	again := g.start(leader)
	g.newLeader(nil, "a")
	g.agree("a")
	require.NoError(t, again.Close(), "a member that is connected to strangers only does not wait for them")
	delete(g.nodes, again.options.ID)
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// halves is what does not go on, and what announces more than comes.
func halves() map[string][]byte {
	whole := spoken(2, frameEnd, pb.Message{Type: pb.MsgApp, From: 2, To: 1, Term: 1,
		Entries: []pb.Entry{{Term: 1, Data: []byte("data")}}})
	big := slices.Clone(whole)
	binary.LittleEndian.PutUint32(big[len(big)-8:], 1<<31)
	snapshot := pb.Message{Type: pb.MsgSnap, From: 2, To: 1, Term: 1 << 40, RejectHint: 1 << 60}
	return map[string][]byte{
		"nothing":        nil,
		"half a hello":   greeting(purposeTalk, 2)[:9],
		"hello":          greeting(purposeSnapshot, 2),
		"half a message": whole[:len(whole)-9],
		"a piece":        appendFrame(greeting(purposeTalk, 2), frameChunk, 1, 2, 3),
		"a long frame":   append(greeting(purposeTalk, 2), frameEnd, 255, 255, 255, 255),
		"a long entry":   big,
		"a long account": append(greeting(purposeAsk, 2), frameAccount, 255, 255, 255, 0),
		"half a snapshot": append(appendFrame(greeting(purposeSnapshot, 2), frameSnapshot,
			appendMessage(nil, &snapshot)...), 1),
		"another version":  {9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0},
		"an unknown frame": appendFrame(greeting(purposeTalk, 2), 99, 1),
		"garbage":          []byte(strings.Repeat("GET / HTTP/1.1\r\n", 100)),
	}
}

// TestHalfMessages: what does not go on ends, and takes no more memory than what has come.
func TestHalfMessages(t *testing.T) {
	for _, config := range []*tls.Config{nil, selfSigned(t)} {
		g := newGroup(t, 1, func(o *Options) { o.patience, o.TLS = 500*time.Millisecond, config })
		m := g.leader()
		before := total()
		conns := map[string]net.Conn{}
		for name, said := range halves() {
			c := g.stranger(m)
			if config != nil {
				config = config.Clone()
				config.ServerName = "127.0.0.1"
				c = tls.Client(c, config)
			}
			c.Write(said) // a handshake may take too long
			conns[name] = c
		}
		if config != nil {
			c := g.stranger(m)
			c.Write([]byte{22, 3, 1, 2, 0})
			conns["half a handshake"] = c
		}
		for name, c := range conns {
			t.Log(name)
			isClosed(t, c)
		}
		require.Less(t, total()-before, uint64(32<<20))
		eventually(t, "their end", func() bool { return m.Status().Connections == 0 })
		require.Zero(t, m.Status().Incoming)
		require.NoError(t, m.append("a"))
	}
}

// total is how many bytes have been allocated.
func total() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// pieces says the beginning of a message of so many bytes.
func pieces(c net.Conn, bytes int) error {
	_, err := c.Write(greeting(purposeTalk, 2))
	piece := appendFrame(nil, frameChunk, make([]byte, maxChunk)...)
	for sent := 0; sent < bytes && err == nil; sent += maxChunk {
		_, err = c.Write(piece)
	}
	return err
}

// TestTooMuch: what is larger than any message of a member is not read to its end.
func TestTooMuch(t *testing.T) {
	g := newGroup(t, 1, func(o *Options) { o.patience = time.Hour })
	m := g.leader()
	before := total()
	c := g.stranger(m)
	pieces(c, 2*maxIncoming) // it ends before all has been sent
	isClosed(t, c)
	require.Less(t, total()-before, uint64(8*maxIncoming))
	eventually(t, "their end", func() bool { return m.Status().Connections == 0 })
}

// TestUnsoundMessages: the library would panic at them.
func TestUnsoundMessages(t *testing.T) {
	m := newGroup(t, 1, nil).leader()
	term := m.Status().Term + 5
	for name, q := range map[string]pb.Message{
		"members": {Type: pb.MsgApp,
			Entries: []pb.Entry{{Term: 1, Type: pb.EntryConfChange, Data: []byte("garbage")}}},
		"kind of entry": {Type: pb.MsgApp, Entries: []pb.Entry{{Term: 1, Type: 99}}},
		"joint members": {Type: pb.MsgApp, Entries: []pb.Entry{{Term: 1, Type: pb.EntryConfChangeV2}}},
		"later term":    {Type: pb.MsgApp, Entries: []pb.Entry{{Term: term + 1}}},
		"earlier term":  {Type: pb.MsgApp, LogTerm: 3, Entries: []pb.Entry{{Term: 2}}},
		"kind":          {Type: pb.MsgStorageAppendResp},
		"proposal":      {Type: pb.MsgProp},
		"snapshot":      {Type: pb.MsgSnap},
		"another":       {Type: pb.MsgHeartbeat, From: 7},
		"end":           {Type: pb.MsgAppResp, Index: 1<<64 - 1},
	} {
		if q.From == 0 {
			q.From = 2
		}
		q.To, q.Term = m.options.ID, term
		c := (&group{t: t, members: m.options.Members}).stranger(m)
		_, err := c.Write(spoken(2, frameEnd, q))
		require.NoError(t, err, name)
		isClosed(t, c)
	}
	require.NoError(t, m.append("a"))
}

// TestStrangeMessages: they are whole, and no member sends them; the member goes on.
func TestStrangeMessages(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.founded().newLeader(nil, "a")
	g.agree("a")
	for _, m := range g.nodes {
		term := leader.Status().Term
		for _, q := range []pb.Message{
			{Type: pb.MsgHeartbeat, Commit: 1 << 40}, {Type: pb.MsgAppResp, Index: 1 << 40},
			{Type: pb.MsgAppResp, Reject: true, RejectHint: 1 << 40, Index: 1 << 40}, {Type: pb.MsgHeartbeatResp},
			{Type: pb.MsgVoteResp}, {Type: pb.MsgPreVoteResp}, {Type: pb.MsgTimeoutNow, Term: 1},
			{Type: pb.MsgApp, Index: 1 << 40, LogTerm: 1, Commit: 1 << 50},
		} {
			for _, from := range []uint64{1, 2, 3, 99} {
				if q.From, q.To = from, m.options.ID; q.Term == 0 {
					q.Term = term
				}
				c := g.stranger(m)
				_, err := c.Write(spoken(from, frameEnd, q))
				require.NoError(t, err)
			}
		}
	}
	g.newLeader(nil, "b")
	eventually(t, "an entry", func() bool { return g.leader().append("c") == nil })
}

// TestAllThatComesHasALimit: many who send much at once lose their connections; what a member sends
// after that comes through.
func TestAllThatComesHasALimit(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.patience = time.Hour })
	m := g.founded().another(g.leader())
	most := 0
	for range 5 {
		c := g.stranger(m)
		require.NoError(t, pieces(c, maxIncoming/2))
		eventually(t, "what it sends",
			func() bool { most = max(most, m.Status().Incoming); return m.Status().Incoming > maxIncoming/4 })
	}
	require.LessOrEqual(t, most, maxAllIncoming)
	entry := strings.Repeat("x", maxPart)
	eventually(t, "an entry", func() bool { return g.leader().append(entry) == nil })
	eventually(t, "that the member has it", func() bool { return slices.Contains(m.list.all(), entry) })
}

// TestHalfASnapshot: a leader that stops in the middle of a snapshot does not keep a follower.
func TestHalfASnapshot(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.patience = time.Second })
	leader := g.founded().newLeader(nil, "a")
	m := g.another(leader)
	c := g.stranger(m)
	id := leader.options.ID
	q := pb.Message{Type: pb.MsgSnap, From: id, To: m.options.ID, Term: leader.Status().Term, RejectHint: 1000}
	said := appendFrame(greeting(purposeSnapshot, id), frameSnapshot, appendMessage(nil, &q)...)
	_, err := c.Write(append(said, "half"...))
	require.NoError(t, err)
	isClosed(t, c)
	g.stop(g.another(leader, m))
	g.newLeader(nil, "b") // it takes part
}

// TestPeersThatDoNotAnswer: a connection to a member that never answers times out, and does not
// delay Close.
func TestPeersThatDoNotAnswer(t *testing.T) {
	for _, config := range []*tls.Config{nil, selfSigned(t)} {
		deaf, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer deaf.Close()
		m := newGroup(t, 1, func(o *Options) { o.TLS, o.patience = config, 100*time.Millisecond }).leader()
		_, err = m.transport.dial(deaf.Addr().String(), purposeTalk)
		require.Error(t, err)

		slow := newGroup(t, 1, func(o *Options) { o.TLS, o.patience = config, time.Hour }).leader()
		said := make(chan error, 1)
		go func() {
			_, err := slow.transport.dial(deaf.Addr().String(), purposeTalk)
			said <- err
		}()
		eventually(t, "the connection", func() bool {
			slow.transport.mu.Lock()
			defer slow.transport.mu.Unlock()
			return len(slow.transport.conns) == 1
		})
		slow.transport.close()
		require.Error(t, <-said)
	}
}

// FuzzMessage reads any bytes, and takes no more memory than they have.
func FuzzMessage(f *testing.F) {
	m := pb.Message{Type: pb.MsgApp, From: 2, To: 1, Term: 3, Context: []byte("x"), Entries: []pb.Entry{{Term: 1}}}
	f.Add(appendMessage(nil, &m))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseMessage(b); err == nil {
			require.Equal(t, b[2:], appendMessage(nil, &m)[2:])
			isSound(&m, 2, 1)
		}
	})
}

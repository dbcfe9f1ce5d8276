package consensus

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-msgpack/v2/codec"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// stranger opens a connection to a member's port.
func (g *group) stranger(m *member) net.Conn {
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

// encoded is a request as a member sends it.
func encoded(t *testing.T, kind byte, q any) []byte {
	b := bytes.NewBuffer([]byte{kind})
	require.NoError(t, codec.NewEncoder(b, &outgoing).Encode(q))
	return b.Bytes()
}

// TestManyStrangers: those who say nothing do not take the place of members, nor memory.
func TestManyStrangers(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.patience = time.Hour })
	leader := g.founded().leader()
	other := g.another(leader)
	before := heap()
	var silent []net.Conn
	for range 4 * maxGuests {
		silent = append(silent, g.stranger(other))
	}
	for _, c := range silent[:2*maxGuests] {
		isClosed(t, c)
	}
	require.LessOrEqual(t, other.Status().Connections, maxGuests)
	require.Less(t, heap(), before+32<<20)
	g.stop(leader)
	again := g.start(leader)
	g.newLeader(nil, "a")
	g.agree("a")
	require.NoError(t, again.Close(), "a member that is connected to strangers only does not wait for them")
	delete(g.nodes, again.options.ID)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// halves are requests that do not end. The codec of msgpack would make room for what some of them
// announce.
func halves(t *testing.T) map[string][]byte {
	entry := &raft.Log{Index: 1 << 40, Term: 1, Data: []byte("data"), AppendedAt: time.Unix(1, 0)}
	whole := encoded(t, kindAppend, &raft.AppendEntriesRequest{RPCHeader: raft.RPCHeader{ID: []byte("1"),
		Addr: []byte("x")}, Entries: []*raft.Log{entry}})
	return map[string][]byte{
		"nothing": nil,
		"a kind":  {kindAppend},
		"half":    whole[:len(whole)/2],
		"a long name": announce(encoded(t, kindVote,
			&raft.RequestVoteRequest{RPCHeader: raft.RPCHeader{Addr: []byte("name")}}), "name"),
		"a long configuration": announce(encoded(t, kindSnapshot,
			&raft.InstallSnapshotRequest{Configuration: []byte("name")}), "name"),
		"a long entry":    announce(whole, "data"),
		"a long time":     announce(whole, string(must(entry.AppendedAt.MarshalBinary()))),
		"a long field":    {kindTimeoutNow, 0x81, 0xdb, 0xff, 0xff, 0xff, 0xff},
		"half a snapshot": append(encoded(t, kindSnapshot, &raft.InstallSnapshotRequest{Size: 1 << 60}), "x"...),
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// announce lets a request end with a text, of which 4 GB are announced.
func announce(request []byte, text string) []byte {
	i := bytes.Index(request, []byte(text))
	head := request[:i-1]
	if request[i-2] == 0xc4 || request[i-2] == 0xd9 {
		head = request[:i-2]
	}
	return append(binary.BigEndian.AppendUint32(append(slices.Clone(head), 0xc6), 1<<32-1), text...)
}

// TestHalfRequests: a request that does not go on ends, and takes no more memory than what has
// come.
func TestHalfRequests(t *testing.T) {
	for _, config := range []*tls.Config{nil, selfSigned(t)} {
		g := newGroup(t, 1, func(o *Options) { o.patience, o.TLS = 500*time.Millisecond, config })
		m := g.leader()
		before := total()
		conns := map[string]net.Conn{}
		for name, request := range halves(t) {
			c := g.stranger(m)
			if config != nil {
				config = config.Clone()
				config.ServerName = "127.0.0.1"
				c = tls.Client(c, config)
			}
			c.Write(request) // a handshake may take too long
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

// TestTooMuch: what is larger than any request of a member is not read to its end.
func TestTooMuch(t *testing.T) {
	g := newGroup(t, 1, func(o *Options) { o.patience = time.Hour })
	m := g.leader()
	entries := encoded(t, kindAppend, &raft.AppendEntriesRequest{Entries: []*raft.Log{}})
	i := bytes.Index(entries, []byte("Entries")) + len("Entries")
	for name, request := range map[string][]byte{
		"bytes":         append(halves(t)["a long entry"], make([]byte, 2*maxIncoming)...),
		"configuration": append(halves(t)["a long configuration"], make([]byte, 2*maxIncoming)...),
		"entries": append(binary.BigEndian.AppendUint32(append(slices.Clone(entries[:i]), 0xdd), 1<<32-1),
			bytes.Repeat([]byte{0x80}, maxIncoming)...),
		"garbage": bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 100),
	} {
		before := total()
		c := g.stranger(m)
		c.Write(request) // it ends before all has been sent
		isClosed(t, c)
		require.Less(t, total()-before, uint64(64*maxIncoming), name)
	}
	eventually(t, "their end", func() bool { return m.Status().Connections == 0 })
}

// TestUnsoundRequests: Raft would panic at them.
func TestUnsoundRequests(t *testing.T) {
	m := newGroup(t, 1, nil).leader()
	header := raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte("1"), Addr: []byte("x")}
	entries := func(entry raft.Log) []byte {
		return encoded(t, kindAppend,
			&raft.AppendEntriesRequest{RPCHeader: header, Term: m.Status().Term, Entries: []*raft.Log{&entry}})
	}
	snapshot := func(q raft.InstallSnapshotRequest) []byte {
		q.RPCHeader, q.Term = header, m.Status().Term
		return encoded(t, kindSnapshot, &q)
	}
	for name, request := range map[string][]byte{
		"members": entries(raft.Log{Index: 1 << 40, Type: raft.LogConfiguration,
			Data: []byte("garbage")}),
		"kind of entry": entries(raft.Log{Index: 1 << 40, Type: 99}),
		"members of a snapshot": snapshot(raft.InstallSnapshotRequest{SnapshotVersion: 1,
			Configuration: []byte("garbage")}),
		"many": snapshot(raft.InstallSnapshotRequest{SnapshotVersion: 1,
			Configuration: make([]byte, 2*maxConfiguration)}),
		"size of a snapshot": snapshot(raft.InstallSnapshotRequest{SnapshotVersion: 1, Size: -1,
			Configuration: []byte{0x80}}),
		"snapshots of old times": snapshot(raft.InstallSnapshotRequest{SnapshotVersion: 0, Peers: []byte("garbage")}),
	} {
		c := (&group{t: t, members: m.options.Members}).stranger(m)
		_, err := c.Write(request)
		require.NoError(t, err, name)
		isClosed(t, c)
	}
	require.NoError(t, m.append("a"))
}

// TestAllThatComesHasALimit: many who send much at once lose their connections; what a member sends
// after that comes through.
func TestAllThatComesHasALimit(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.patience = time.Hour })
	m := g.founded().another(g.leader())
	most := 0
	for range 5 {
		c := g.stranger(m)
		_, err := c.Write(append(halves(t)["a long entry"], make([]byte, maxIncoming/2)...))
		require.NoError(t, err)
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
	id := []byte(serverID(leader.options.ID))
	q := &raft.InstallSnapshotRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: id,
		Addr: []byte(g.address(leader.options.ID))},
		SnapshotVersion: 1, Term: leader.Status().Term, LastLogIndex: 1 << 40, LastLogTerm: 1, Size: 1000,
		Configuration: raft.EncodeConfiguration(raft.Configuration{})}
	c := g.stranger(m)
	_, err := c.Write(append(encoded(t, kindSnapshot, q), "half"...))
	require.NoError(t, err)
	isClosed(t, c)
	g.stop(g.another(leader, m))
	g.newLeader(nil, "b") // it takes part
}

// TestPeersThatDoNotAnswer: a connection to a member that never answers, or never reads, times out,
// and does not delay Close.
func TestPeersThatDoNotAnswer(t *testing.T) {
	for _, config := range []*tls.Config{nil, selfSigned(t)} {
		deaf, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		s := newStream(deaf, "x", Options{TLS: config, patience: 100 * time.Millisecond})
		said := make(chan error, 1)
		s.identity = func() uint64 { return 0 }
		s.dialed = func(_ raft.ServerAddress, err error) { said <- err }
		_, err = s.Dial(raft.ServerAddress(deaf.Addr().String()), 100*time.Millisecond)
		require.Error(t, err)
		require.Error(t, <-said)

		go func() {
			_, err := s.Dial(raft.ServerAddress(deaf.Addr().String()), time.Hour)
			said <- err
		}()
		eventually(t, "the connection", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.conns) == 1 })
		require.NoError(t, s.Close())
		require.Error(t, <-said)
	}
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := newStream(deaf, "x", Options{patience: 100 * time.Millisecond})
	raw, err := net.Dial("tcp", deaf.Addr().String())
	require.NoError(t, err)
	c := &conn{Conn: raw, raw: raw, stream: s}
	defer s.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Hour)), "what Raft allows for a large snapshot")
	for err == nil {
		_, err = c.Write(make([]byte, 1<<20))
	}
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestLongAnswer: what a member reads of an answer has a limit.
func TestLongAnswer(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	c := &conn{Conn: a, raw: a, stream: newStream(nil, "x", Options{})}
	go func() {
		for {
			if _, err := b.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}()
	n, err := io.Copy(io.Discard, c)
	require.True(t, errors.Is(err, errLongTalk) && n <= maxAnswer, "%d, %v", n, err)
	require.NoError(t, c.Close())
}

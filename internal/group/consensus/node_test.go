package consensus

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// TestEntryWithoutItsPredecessorIsVoid: what a seat appended counts up to the first gap.
func TestEntryWithoutItsPredecessorIsVoid(t *testing.T) {
	l := &list{}
	m := newMachine(&Node{options: Options{Machine: l}})
	entry := func(term, seat, number uint64, data string) *raft.Log {
		return &raft.Log{Index: 1, Term: term, Data: envelope(seat, number, []byte(data))}
	}
	const first, again, later = 2*maxTaken + 1, 2*maxTaken + 2, 3*maxTaken + 1
	responses := m.ApplyBatch([]*raft.Log{
		entry(2, first, 1, "a"), entry(2, first, 3, "gap"), entry(2, first, 4, "gap"),
		entry(2, again, 1, "b"), entry(2, first, 2, "former seat"),
		entry(3, again, 2, "former term"), entry(3, later, 2, "first is missing"), entry(3, later, 1, "c"),
	})
	require.Equal(t, []string{"a", "b", "c"}, l.all())
	require.Equal(t, []any{nil, errVoid, errVoid, nil, errVoid, errVoid, errVoid, nil}, responses)
}

func TestVoteFile(t *testing.T) {
	dir, d := t.TempDir(), newDisk(Options{})
	var disk fault
	d.fault = func(string) error { return disk.get() }
	open := func() *stable {
		s, err := openStable(dir, d, time.Second)
		require.NoError(t, err)
		s.refuseOwn = func() error { return errDiskFails }
		s.own = "me"
		t.Cleanup(s.Close)
		return s
	}
	s := open()
	require.NoError(t, s.setNumber(keyTerm, 7))
	require.NoError(t, s.Set([]byte(keyCandidate), []byte("you")))
	require.ErrorIs(t, s.Set([]byte(keyCandidate), []byte("me")), errDiskFails)
	disk.set(syscall.EIO, nil)
	require.ErrorIs(t, s.setNumber(keyVoteTerm, 8), syscall.EIO)
	go func() { disk.set(nil, nil) }()
	require.NoError(t, s.setNumber(keyTerm, 9), "it waits for the disk")

	path := filepath.Join(dir, "vote")
	for _, copies := range [][]int64{{0}, {recordSize}} {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		for _, at := range copies {
			_, err = f.WriteAt([]byte("damage"), at)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		s = open()
		require.Equal(t, uint64(9), s.number(keyTerm))
		require.NoError(t, s.setNumber(keyVoteTerm, 9), "writes both copies again")
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("damage", recordSize)), 0o644))
	s = open()
	require.True(t, s.isNew() && s.damaged)
}

// TestDamageWithoutOthers: a group of one has nobody to get the data from, so it does not start,
// unless it is told to take what there is.
func TestDamageWithoutOthers(t *testing.T) {
	g := newGroup(t, 1, nil)
	m := g.leader()
	for _, e := range []string{"first", "second", "third"} {
		require.NoError(t, m.append(e))
	}
	g.stop(m)
	flipByte(t, m)
	o := m.options
	o.Machine = &list{}
	var err error
	o.Listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = Open(o)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "group-salvage 1")
	require.NoError(t, o.Listener.Close())

	g.options = func(o *Options) { o.Salvage = 1 }
	g.start(m)
	require.NoError(t, g.leader().append("fourth"))
	g.agree("first", "fourth")
}

// TestRemovedWhileAway: a member that was not there when it was removed hears of it from the
// others.
func TestRemovedWhileAway(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	away := g.another(leader)
	g.stop(away)
	require.NoError(t, leader.Remove(away.options.ID))
	back := g.start(away)
	eventually(t, "that it knows", func() bool { return back.Status().Removed })
	require.True(t, leader.held().Leader)
}

// TestManyBytes takes a snapshot because entries are large.
func TestManyBytes(t *testing.T) {
	m := newGroup(t, 1, func(o *Options) { o.SnapshotBytes = 1000 }).leader()
	for range 20 {
		require.NoError(t, m.append(strings.Repeat("x", 100)))
	}
	eventually(t, "a snapshot", func() bool { return m.lastSnapshot() > 0 && m.Status().First > 10 })
}

func TestTLS(t *testing.T) {
	config := selfSigned(t)
	g := newGroup(t, 3, func(o *Options) { o.TLS = config })
	require.NoError(t, g.leader().append("a"))
	g.agree("a")
}

func selfSigned(t *testing.T) *tls.Config {
	crt, key, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	pair, err := tls.LoadX509KeyPair(crt, key)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(pair.Leaf)
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert}
}

// TestHeartbeatsOfOtherTermsWait: Raft would handle them at once, and turn back a term that has
// begun meanwhile.
func TestHeartbeatsOfOtherTermsWait(t *testing.T) {
	m := newGroup(t, 1, nil).leader()
	bare := &transport{node: m.Node, stream: m.transport.stream, requests: make(chan raft.RPC, 1),
		closed: make(chan struct{})}
	handled := func(term uint64) (at string) {
		bare.beat(raft.RPC{Command: &raft.AppendEntriesRequest{Term: term}}, func(raft.RPC) {
			at = "at once"
			require.False(t, m.stable.term.TryLock(), "no other term begins")
		})
		select {
		case <-bare.requests:
			at += "in turn"
		default:
		}
		return at
	}
	term := m.Status().Term
	require.Equal(t, "at once", handled(term))
	require.Equal(t, "in turn", handled(term+1))
	require.Equal(t, "in turn", handled(term-1))
}

// TestCloseLeavesNothing looks for goroutines of a group that has been closed.
func TestCloseLeavesNothing(t *testing.T) {
	ours := func() int {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		n := 0
		for _, s := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(s, "hashicorp") || strings.Contains(s, "consensus.(*") {
				n++
			}
		}
		return n
	}
	eventually(t, "those of other tests", func() bool { return ours() == 0 })
	g := newGroup(t, 3, nil)
	require.NoError(t, g.leader().append("a"))
	g.agree("a")
	require.NotZero(t, ours())
	for _, m := range g.nodes {
		g.stop(m)
	}
	eventually(t, "the end of all goroutines", func() bool { return ours() == 0 })
}

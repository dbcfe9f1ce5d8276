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

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

func TestVoteFile(t *testing.T) {
	dir := t.TempDir()
	var broken fault
	open := func() *stable {
		s, err := openStable(dir, &disk{fault: func(string) error { return broken.get() }})
		require.NoError(t, err)
		t.Cleanup(func() { s.file.Close() })
		return s
	}
	s := open()
	require.NoError(t, s.update(func(c *content) { c.Term, c.Vote = 7, 2 }))
	broken.set(syscall.EIO, nil)
	require.ErrorIs(t, s.update(func(c *content) { c.Term = 8 }), syscall.EIO)
	require.Equal(t, uint64(7), s.get().Term)
	broken.set(nil, nil)
	require.NoError(t, s.update(func(c *content) { c.Term = 9 }))

	path := filepath.Join(dir, "vote")
	for i, copies := range [][]int64{{0}, {recordSize}} {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		for _, at := range copies {
			_, err = f.WriteAt([]byte("damage"), at)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		s = open()
		require.Equal(t, uint64(9), s.get().Term)
		require.NoError(t, s.update(func(c *content) { c.Vote = uint64(10 + i) }), "writes both copies again")
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("damage", recordSize)), 0o644))
	s = open()
	require.True(t, s.isNew() && s.damaged)
}

// TestOtherFormats: a directory of an earlier release is refused.
func TestOtherFormats(t *testing.T) {
	o := Options{ID: 1, Members: []Member{{1, "127.0.0.1:0"}}, Machine: &list{}, Dir: t.TempDir()}
	require.NoError(t, os.MkdirAll(filepath.Join(o.Dir, "log"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "log", "wal-meta.db"), []byte("bbolt"), 0o644))
	_, err := Open(o)
	require.ErrorIs(t, err, ErrFormat)
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
	eventually(t, "a snapshot", func() bool { return m.snapshots.newest().Index > 1 && m.Status().First > 10 })
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

// TestCloseLeavesNothing looks for goroutines of a group that has been closed.
func TestCloseLeavesNothing(t *testing.T) {
	ours := func() int {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		n := 0
		for _, s := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(s, "consensus.(*") {
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

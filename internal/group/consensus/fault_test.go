package consensus

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// newLeader waits until another member than old has appended an entry. One that loses the seat
// before it can says so.
func (g *group) newLeader(old *running, entry string) *running {
	g.t.Helper()
	var leader *running
	eventually(g.t, "another leader", func() bool {
		for _, m := range g.nodes {
			if m == old || !m.held().Leader {
				continue
			}
			if err := m.append(entry); !errors.Is(err, ErrNotAppended) {
				require.NoError(g.t, err)
				leader = m
				return true
			}
		}
		return false
	})
	return leader
}

// TestFullDisk has a leader whose disk is full: it steps down, does not stand, and recovers when
// there is room.
func TestFullDisk(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, nil)
	first := g.leader()
	require.NoError(t, first.append("a"))
	first.disk.set(syscall.ENOSPC, nil)
	require.ErrorIs(t, first.append("b"), ErrUnknown)

	second := g.newLeader(first, "c")
	require.ErrorIs(t, first.Status().Disk, syscall.ENOSPC)
	require.Error(t, second.Transfer(first.options.ID), "it refuses to stand")
	g.newLeader(first, "d")

	first.disk.set(nil, nil)
	g.agreeButFor("b", "a", "c", "d")
	eventually(t, "that the disk works", func() bool { return first.Status().Disk == nil })
	eventually(t, "the seat",
		func() bool { return g.leader().Transfer(first.options.ID) == nil || first.held().Leader })
	eventually(t, "the seat", func() bool { return first.held().Leader })
	require.NoError(t, first.append("e"))
	g.agreeButFor("b", "a", "c", "d", "e")
}

// TestFullDiskAlone is about a group of one, which nobody can replace.
func TestFullDiskAlone(t *testing.T) {
	g := newGroup(t, 1, nil)
	m := g.leader()
	require.NoError(t, m.append("a"))
	m.disk.set(syscall.ENOSPC, nil)
	require.ErrorIs(t, m.append("b"), ErrUnknown)
	eventually(t, "the seat's loss", func() bool { return !m.held().Leader })
	require.ErrorIs(t, m.append("c"), ErrNotAppended)
	m.disk.set(nil, nil)
	require.NoError(t, g.leader().append("d"))
	g.agree("a", "b", "d") // it was unknown what would become of it
}

// TestDiskFailsAtAnyStepOfAChange has a log whose file is full when the disk fails, at one step of
// the change to the next file, also when it is opened again.
func TestDiskFailsAtAnyStepOfAChange(t *testing.T) {
	quick.Skip(t, "waits for attempts to write")
	for _, step := range []string{"write", "sync", "create"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			g := newGroup(t, 1,
				func(o *Options) { o.SegmentSize, o.StoreLimit, o.Heartbeat = 8<<10, time.Second, 50*time.Millisecond })
			var confirmed []string
			store := func(m *running) error {
				entry := strings.Repeat(string(rune('a'+len(confirmed)%26)), 1500)
				err := m.append(entry)
				if !errors.Is(err, ErrNotAppended) {
					confirmed = append(confirmed, entry) // a group of one keeps what is unknown, too
				}
				return err
			}
			for _, failure := range []error{syscall.ENOSPC, syscall.EROFS, nil} {
				m := g.leader()
				require.NoError(t, store(m))
				hang := make(chan struct{})
				m.disk.limit(step)
				if failure != nil {
					m.disk.set(failure, nil)
				} else {
					m.disk.set(nil, hang)
				}
				eventually(t, "the failure", func() bool { return store(m) != nil })
				eventually(t, "what it is", func() bool { return m.Status().Disk != nil })
				if failure != nil {
					require.ErrorIs(t, m.Status().Disk, failure)
					eventually(t, "attempts", func() bool { return m.disk.met() > 1 })
				}
				m.disk.set(nil, nil)
				close(hang)
				eventually(t, "that it goes on",
					func() bool { return m.Status().Disk == nil && m.held().Leader && store(m) == nil })
				g.agree(confirmed...)
				g.stop(m)
				g.start(m)
			}
			g.agree(confirmed...)
		})
	}
}

// TestSnapshotWithoutItsLog has a member that is killed after it has taken a snapshot from the
// leader, and before its log begins anew behind that.
func TestSnapshotWithoutItsLog(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, func(o *Options) { o.SnapshotTrailing = 1 }).founded()
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	g.agree("a")
	killed := g.another(leader)
	g.stop(killed)
	require.NoError(t, leader.append("b"))
	require.NoError(t, leader.append("c"))
	require.NoError(t, leader.Snapshot())
	newest := leader.snapshots.newest().path
	b, err := os.ReadFile(newest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(killed.dir, "snapshots", filepath.Base(newest)), b, 0o644))

	require.NoError(t, leader.Transfer(g.another(leader).options.ID))
	next := g.newLeader(leader, "d")
	back := g.start(killed)
	require.NotEqual(t, uint64(2), back.Status().First, "the entries before it are gone")
	require.NoError(t, next.append("e"))
	g.agree("a", "b", "c", "d", "e")
}

// TestHangingDisk has a leader whose disk does not answer: it gives up the seat, and what it wrote
// meanwhile does not count.
func TestHangingDisk(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, func(o *Options) { o.StoreLimit = 200 * time.Millisecond })
	first := g.leader()
	require.NoError(t, first.append("a"))
	hang := make(chan struct{})
	first.disk.set(nil, hang)
	require.ErrorIs(t, first.append("b"), ErrUnknown)
	g.newLeader(first, "c")
	require.ErrorIs(t, first.Status().Disk, ErrDiskSlow)

	first.disk.set(nil, nil)
	close(hang)
	g.agreeButFor("b", "a", "c")
}

// TestFollowersDiskFails: the follower gets all entries when its disk works again, without a change
// of the leader.
func TestFollowersDiskFails(t *testing.T) {
	g := newGroup(t, 3, steady)
	leader := g.leader()
	seat := leader.held()
	follower := g.another(leader)
	follower.disk.set(syscall.EIO, nil)
	for _, e := range []string{"a", "b", "c"} {
		require.NoError(t, leader.append(e))
	}
	eventually(t, "the failure", func() bool { return errors.Is(follower.Status().Disk, syscall.EIO) })
	follower.disk.set(nil, nil)
	g.agree("a", "b", "c")
	require.Equal(t, seat, leader.held())
}

// TestLeaderCutOff: what it appended may be lost, or not, and it says so.
func TestLeaderCutOff(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, nil)
	first := g.leader()
	require.NoError(t, first.append("a"))
	first.net.set(errors.New("cut off"), nil)
	require.ErrorIs(t, first.append("b"), ErrUnknown)
	verified := make(chan error, 1)
	first.Verify(func(err error) { verified <- err })
	require.ErrorIs(t, <-verified, ErrNotLeader)
	g.newLeader(first, "c")

	first.net.set(nil, nil)
	g.agree("a", "c")
}

func TestDamagedMemberComesBackEmpty(t *testing.T) {
	quick.Skip(t, "waits for elections")
	for name, damage := range map[string]func(t *testing.T, m *running){
		"entry in the middle": flipByte,
		"end is missing":      cutTail,
		"log is missing": func(t *testing.T,
			m *running) {
			require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "log")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := comesBack(t, damage)
			require.DirExists(t, filepath.Join(m.dir, "log.damaged"))
		})
	}
}

// comesBack lets a member lose something while it is away, and expects that it gets all again, and
// then its vote.
func comesBack(t *testing.T, damage func(t *testing.T, m *running)) *running {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	for _, e := range []string{"first", "second", "third"} {
		require.NoError(t, leader.append(e))
	}
	m := g.another(leader)
	term := leader.held().Term
	g.agree("first", "second", "third")
	g.stop(m)
	damage(t, m)

	m = g.start(m)
	require.True(t, m.Status().Hole)
	g.agree("first", "second", "third")
	eventually(t, "its vote", func() bool { return !m.Status().Hole })
	require.Greater(t, g.leader().held().Term, term)

	g.stop(g.another(m, g.leader()))
	eventually(t, "an entry with its vote", func() bool { return g.leader().append("fourth") == nil })
	require.Contains(t, m.list.all(), "third")
	return m
}

// flipByte changes one byte of the second entry.
func flipByte(t *testing.T, m *running) {
	paths, err := filepath.Glob(filepath.Join(m.dir, "log", "*.wal"))
	require.NoError(t, err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if i := bytes.Index(b, []byte("second")); i >= 0 {
			b[i] ^= 1
		}
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
}

// cutTail removes the last entry from the file.
func cutTail(t *testing.T, m *running) {
	paths, err := filepath.Glob(filepath.Join(m.dir, "log", "*.wal"))
	require.NoError(t, err)
	path := paths[len(paths)-1]
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	at, last := segmentHead, 0
	for at < len(b) {
		r, err := parseRecord(b[at:])
		if err != nil {
			break
		}
		last = at
		at += int(recordSizeOf(len(r.data)))
	}
	require.NotZero(t, last)
	clear(b[last:])
	require.NoError(t, os.WriteFile(path, b, 0o644))
}

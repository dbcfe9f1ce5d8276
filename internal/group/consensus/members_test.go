package consensus

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// join starts an empty member that waits to be added.
func (g *group) join(id uint64) *running {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(g.t, err)
	g.members = append(g.members, Member{id, l.Addr().String()})
	before := g.options
	g.options = func(o *Options) {
		if before != nil {
			before(o)
		}
		o.Join = true
	}
	m := g.open(id, g.t.TempDir(), l)
	g.options = before
	return m
}

func TestMembersComeAndGo(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, steady)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	fourth := g.join(4)
	require.ErrorIs(t, g.another(leader).Add(g.members[3]), ErrNotLeader)
	require.NoError(t, leader.Add(g.members[3]))
	g.agree("a")

	gone := g.another(leader, fourth)
	require.ErrorIs(t, leader.Remove(9), ErrUnknownMember)
	require.NoError(t, leader.Remove(gone.options.ID))
	eventually(t, "that it knows", func() bool { return gone.Status().Removed })
	g.stop(gone)
	require.NoError(t, leader.append("b"))
	g.agree("a", "b")

	require.NoError(t, leader.Remove(leader.options.ID))
	next := g.newLeader(leader, "c")
	eventually(t, "that it knows", func() bool { return leader.Status().Removed && !leader.held().Leader })
	members := next.Status().Members
	require.Len(t, members, 2)
	for _, m := range members {
		require.True(t, m.Voter)
	}
}

// TestChangesAreNotAwaitedForever: with two others that must confirm, neither of which can store
// anything, but which still follow.
func TestChangesAreNotAwaitedForever(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) {
		steady(o)
		o.changeLimit = 300 * time.Millisecond
	})
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	g.agree("a")
	seat := leader.held()
	stuck := g.another(leader)
	gone := g.another(leader, stuck)
	stuck.disk.set(syscall.EIO, nil)
	gone.disk.set(syscall.EIO, nil)
	require.ErrorIs(t, leader.Remove(gone.options.ID), ErrNotConfirmed)
	require.ErrorIs(t, leader.Add(Member{4, "127.0.0.1:1"}), ErrUnderWay)
	require.Equal(t, seat, leader.held())

	stuck.disk.set(nil, nil)
	eventually(t, "its removal", func() bool { return errors.Is(leader.Remove(gone.options.ID), ErrUnknownMember) })
	require.NoError(t, leader.append("b"))
	g.stop(gone)
	g.agree("a", "b")
}

func TestTransfer(t *testing.T) {
	g := newGroup(t, 3, steady)
	old := g.leader()
	require.NoError(t, old.append("a"))
	next := g.another(old)
	require.NoError(t, old.Transfer(next.options.ID))
	require.Equal(t, next, g.newLeader(old, "b"))
	require.ErrorIs(t, old.Transfer(next.options.ID), ErrNotLeader)
	require.ErrorIs(t, next.Transfer(9), ErrUnknownMember)
	g.agree("a", "b")
}

// TestGapEndsTheSeat: a leader that could not append an entry takes another seat in the same term.
func TestGapEndsTheSeat(t *testing.T) {
	leader := newGroup(t, 3, nil).leader()
	old := leader.held()
	leader.inbox.call(leader.core.loseSeat)
	eventually(t, "another seat", func() bool { return leader.held().Leader && leader.held().ID > old.ID })
	require.Equal(t, old.Term, leader.held().Term)
	done := make(chan error, 1)
	leader.Append(old.ID, []byte("late"), func(err error) { done <- err })
	require.ErrorIs(t, <-done, ErrNotAppended)
	require.NoError(t, leader.append("a"))
}

// TestSnapshots has a member that sleeps while the others take a snapshot and drop the entries
// before it.
func TestSnapshots(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.SnapshotTrailing = 1 })
	leader := g.leader()
	asleep := g.another(leader)
	g.stop(asleep)
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint(i))
		require.NoError(t, leader.append(fmt.Sprint(i)))
	}
	require.NoError(t, leader.Snapshot())
	eventually(t, "the cut", func() bool { return leader.Status().First > 15 })
	require.NoError(t, leader.append("later"))
	want = append(want, "later")
	woken := g.start(asleep)
	g.agree(want...)
	eventually(t, "that it got a snapshot", func() bool { return woken.Status().First > 15 })

	for _, m := range []*running{leader, woken} {
		g.stop(m)
		require.Contains(t, g.start(m).list.all(), "19", "what Open restores")
	}
	g.agree(want...)
}

// TestRebuild lets a leader spoil its state, as if it had executed what was never committed.
func TestRebuild(t *testing.T) {
	for _, snapshot := range []bool{false, true} {
		g := newGroup(t, 1, nil)
		m := g.leader()
		require.NoError(t, m.append("a"))
		require.NoError(t, m.append("b"))
		if snapshot {
			require.NoError(t, m.Snapshot())
		}
		require.NoError(t, m.append("c"))
		require.NoError(t, m.list.Restore(nil))
		require.NoError(t, m.RebuildAll())
		g.agree("a", "b", "c")

		inside := make(chan error, 1)
		m.list.before = func(entries []Entry) {
			m.list.before = nil
			m.list.Restore(nil)
			inside <- m.Rebuild(entries[0].Index - 1)
		}
		require.NoError(t, m.append("d"))
		require.NoError(t, <-inside)
		require.NoError(t, m.append("e"))
		g.agree("a", "b", "c", "d", "e")
	}
}

func TestVerifyIsShared(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	var all sync.WaitGroup
	errs := make(chan error, 100)
	for range 100 {
		all.Go(func() {
			done := make(chan error, 1)
			leader.Verify(func(err error) { done <- err })
			errs <- <-done
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// TestTheLeaderHasTheCardsOfAll: members tell who connects to them what they have to tell.
func TestTheLeaderHasTheCardsOfAll(t *testing.T) {
	g := newGroup(t, 3, func(o *Options) { o.Card = fmt.Sprint("card ", o.ID) })
	leader := g.leader()
	eventually(t, "the cards", func() bool {
		for _, m := range leader.Status().Members {
			if m.Card != fmt.Sprint("card ", m.ID) {
				return false
			}
		}
		return true
	})
}

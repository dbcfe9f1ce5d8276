package consensus

import (
	"errors"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLeaderAloneHasALease(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	eventually(t, "a lease", leader.Leased)
	for _, m := range g.nodes {
		require.True(t, m == leader || !m.Leased())
	}
	leader.net.set(errors.New("cut off"), nil)
	eventually(t, "the end of the lease", func() bool { return !leader.Leased() })
	next := g.newLeader(leader, "a")
	eventually(t, "a lease", next.Leased)
	require.False(t, leader.Leased())
}

func TestOneMemberNeedsNoLease(t *testing.T) {
	require.True(t, newGroup(t, 1, nil).leader().Leased())
}

// TestHandingOverEndsTheLease: also if the other member does not take the seat.
func TestHandingOverEndsTheLease(t *testing.T) {
	g := newGroup(t, 3, steady)
	leader := g.leader()
	eventually(t, "a lease", leader.Leased)
	other := g.another(leader)
	require.NoError(t, leader.append("a"))
	g.agree("a")
	other.inbox.call(func() { other.core.setDisk(syscall.EIO) })
	require.Error(t, leader.Transfer(other.options.ID))
	require.False(t, leader.Leased())
	eventually(t, "that it leads on", func() bool { return leader.append("b") == nil })
	require.False(t, leader.Leased())
}

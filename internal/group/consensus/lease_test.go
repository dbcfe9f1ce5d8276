package consensus

import (
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/raft"
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
	g := newGroup(t, 3, nil)
	leader := g.leader()
	eventually(t, "a lease", leader.Leased)
	_, err := leader.order(raft.TimeoutNowRequest{})
	require.NoError(t, err)
	require.NoError(t, leader.append("a"), "it leads on")
	require.False(t, leader.Leased())
}

func TestOrdersCountInTheirTermOnly(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	order, err := leader.order(raft.TimeoutNowRequest{})
	require.NoError(t, err)
	other := g.another(leader)
	eventually(t, "the term", func() bool { return other.Status().Term == leader.Status().Term })
	require.NoError(t, other.obey(order))
	next := &raft.RequestVoteRequest{Term: leader.Status().Term + 1, LeadershipTransfer: true}
	require.True(t, other.isOrdered(next))
	require.NoError(t, other.lease.mayElectSelf(next.Term))

	require.NoError(t, leader.Transfer(g.another(leader, other).options.ID))
	g.newLeader(leader, "b")
	eventually(t, "the new term", func() bool { return other.Status().Term >= next.Term })
	require.ErrorIs(t, other.obey(order), errOldOrder)
	require.False(t, other.isOrdered(&raft.RequestVoteRequest{Term: next.Term + 1, LeadershipTransfer: true}))
	_, err = other.order(raft.TimeoutNowRequest{})
	require.ErrorIs(t, err, ErrNotLeader)
}

// TestPromises: a member that has heard from a leader, or does not know whether it has, does not
// vote.
func TestPromises(t *testing.T) {
	m := newGroup(t, 1, nil).leader()
	past := func() { before := time.Now().Add(-promiseTime); m.lease.promised.Store(&before) }
	require.NotNil(t, m.lease.promised.Load(), "it has just started")
	refusal := func(q any) error { return m.transport.refusal(q) }
	past()
	require.NoError(t, refusal(&raft.RequestVoteRequest{}))
	require.NoError(t, refusal(&raft.RequestPreVoteRequest{RPCHeader: raft.RPCHeader{ID: []byte("1")}}))
	require.NoError(t, m.mayElectSelf())

	term := m.Status().Term
	require.NoError(t, refusal(&raft.AppendEntriesRequest{Term: term - 1}))
	require.NoError(t, refusal(&raft.RequestVoteRequest{}),
		"a leader of an old term may go on to send, while its disk hangs")
	require.NoError(t, refusal(&raft.AppendEntriesRequest{Term: term}))
	require.ErrorIs(t, refusal(&raft.RequestVoteRequest{}), errPromised)
	require.ErrorIs(t, refusal(&raft.RequestPreVoteRequest{RPCHeader: raft.RPCHeader{ID: []byte("1")}}), errPromised)
	require.ErrorIs(t, m.mayElectSelf(), errPromised)
	require.NoError(t, refusal(&raft.RequestVoteRequest{LeadershipTransfer: true}))
	m.lease.ordered.Store(m.Status().Term)
	require.NoError(t, m.mayElectSelf())
}

// TestVotesAreTakenBack: Raft decided to vote while a leader's request arrived.
func TestVotesAreTakenBack(t *testing.T) {
	m := newGroup(t, 1, nil).leader()
	vote := func(q *raft.RequestVoteRequest, between func()) bool {
		before := time.Now().Add(-promiseTime)
		m.lease.promised.Store(&before)
		answers := make(chan raft.RPCResponse, 1)
		r := m.transport.watched(raft.RPC{Command: q, RespChan: answers})
		between()
		r.Respond(&raft.RequestVoteResponse{Granted: true}, nil)
		return (<-answers).Response.(*raft.RequestVoteResponse).Granted
	}
	require.True(t, vote(&raft.RequestVoteRequest{}, func() {}))
	require.False(t, vote(&raft.RequestVoteRequest{}, m.lease.begin))
	require.True(t, vote(&raft.RequestVoteRequest{LeadershipTransfer: true}, m.lease.begin))
}

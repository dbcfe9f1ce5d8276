package consensus

import (
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/raft"
)

// catchUpLimit is how long Add waits for a new member to get the data.
const catchUpLimit = time.Minute

// Add makes a server a member: it gets the data first, and a vote when it has caught up. If that
// takes too long it remains a member without a vote, until Add is called again.
func (n *Node) Add(m Member) error {
	id, address := serverID(m.ID), raft.ServerAddress(m.Address)
	if s, ok := n.member(m.ID); !ok || s.Suffrage != raft.Voter || s.Address != address {
		if err := n.confirm(n.raft.AddNonvoter(id, address, 0, n.options.changeLimit)); err != nil {
			return err
		}
	}
	n.transport.forget(id)
	if err := n.awaitCaughtUp(id); err != nil {
		return err
	}
	return n.confirm(n.raft.AddVoter(id, address, 0, n.options.changeLimit))
}

// awaitCaughtUp waits until a member has all entries that were committed a moment ago.
func (n *Node) awaitCaughtUp(id raft.ServerID) error {
	limit := time.After(catchUpLimit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-limit:
			return ErrNotCaughtUp
		case <-n.closed:
			return ErrClosed
		}
		if n.raft.State() != raft.Leader {
			return ErrNotLeader
		}
		if last := n.transport.peer(id).last; last > 0 && last >= n.raft.CommitIndex() {
			return nil
		}
	}
}

// Remove takes a member out of the group, this one too: it gives up the seat then.
func (n *Node) Remove(id uint64) error {
	if _, ok := n.member(id); !ok {
		return ErrUnknownMember
	}
	return n.confirm(n.raft.RemoveServer(serverID(id), 0, n.options.changeLimit))
}

// Transfer hands the seat to another member, and returns when this one has lost it.
func (n *Node) Transfer(id uint64) error {
	m, ok := n.member(id)
	if !ok {
		return ErrUnknownMember
	}
	return n.confirm(n.raft.LeadershipTransferToServer(m.ID, m.Address))
}

func (n *Node) member(id uint64) (raft.Server, bool) {
	for _, s := range n.configuration() {
		if s.ID == serverID(id) {
			return s, true
		}
	}
	return raft.Server{}, false
}

// isMember reports whether a server is a member, as far as this one knows; it knows nothing before
// it has the log.
func (n *Node) isMember(id raft.ServerID) bool {
	servers := n.configuration()
	return len(servers) == 0 || slices.ContainsFunc(servers, func(s raft.Server) bool { return s.ID == id })
}

// isRemoved reports whether the group has this member no longer: its log says so, or another member
// has, and no leader has called since.
func (n *Node) isRemoved() bool {
	return !n.isMember(serverID(n.options.ID)) || n.transport.refused().After(n.raft.LastContact())
}

// configuration returns the members as the log's newest entry about them has it.
func (n *Node) configuration() []raft.Server {
	return n.raft.GetConfiguration().Configuration().Servers
}

// confirm waits for what Raft was asked to do, but not forever: a leader may keep its seat while
// most members cannot store anything.
func (n *Node) confirm(f raft.Future) error {
	done := make(chan error, 1)
	go func() { done <- f.Error() }()
	limit := time.NewTimer(n.options.changeLimit)
	defer limit.Stop()
	select {
	case err := <-done:
		return memberError(err)
	case <-limit.C:
		return ErrNotConfirmed
	}
}

func memberError(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader):
		return ErrNotLeader
	case errors.Is(err, raft.ErrEnqueueTimeout):
		return ErrUnderWay
	case errors.Is(err, raft.ErrLeadershipLost):
		return ErrUnknown
	}
	return err
}

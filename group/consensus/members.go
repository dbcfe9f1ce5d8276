package consensus

import (
	"errors"
	"time"

	"github.com/hashicorp/raft"
)

// changeLimit is how long a change of the members may wait for its turn.
const changeLimit = 5 * time.Second

// Add makes a server a member: it gets the data first, and has a vote when it has caught up.
func (n *Node) Add(m Member) error {
	return leaderError(n.raft.AddVoter(serverID(m.ID), raft.ServerAddress(m.Address), 0, changeLimit).Error())
}

// Remove takes a member out of the group, this one too: it gives up the seat then.
func (n *Node) Remove(id uint64) error {
	if _, ok := n.member(id); !ok {
		return ErrUnknownMember
	}
	return leaderError(n.raft.RemoveServer(serverID(id), 0, changeLimit).Error())
}

// Transfer hands the seat to another member, and returns when this one has lost it.
func (n *Node) Transfer(id uint64) error {
	m, ok := n.member(id)
	if !ok {
		return ErrUnknownMember
	}
	return leaderError(n.raft.LeadershipTransferToServer(m.ID, m.Address).Error())
}

func (n *Node) member(id uint64) (raft.Server, bool) {
	for _, s := range n.raft.GetConfiguration().Configuration().Servers {
		if s.ID == serverID(id) {
			return s, true
		}
	}
	return raft.Server{}, false
}

func leaderError(err error) error {
	if errors.Is(err, raft.ErrNotLeader) {
		return ErrNotLeader
	}
	return err
}

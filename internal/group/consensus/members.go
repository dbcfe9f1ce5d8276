package consensus

import (
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// member is one of a group, as the log has it.
type member struct {
	ID      uint64
	Address string
	Voter   bool
}

func hasVoter(list []member, id uint64) bool {
	return slices.ContainsFunc(list, func(m member) bool { return m.ID == id && m.Voter })
}

func find(list []member, id uint64) (member, bool) {
	i := slices.IndexFunc(list, func(m member) bool { return m.ID == id })
	if i < 0 {
		return member{}, false
	}
	return list[i], true
}

// changed returns the members after a change.
func changed(list []member, cc pb.ConfChange) []member {
	list = slices.DeleteFunc(slices.Clone(list), func(m member) bool { return m.ID == cc.NodeID })
	if cc.Type == pb.ConfChangeRemoveNode {
		return list
	}
	list = append(list, member{cc.NodeID, string(cc.Context), cc.Type == pb.ConfChangeAddNode})
	slices.SortFunc(list, func(a, b member) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return list
}

func confState(list []member) (s pb.ConfState) {
	for _, m := range list {
		if m.Voter {
			s.Voters = append(s.Voters, m.ID)
		} else {
			s.Learners = append(s.Learners, m.ID)
		}
	}
	return s
}

// maxMembers and maxAddress are more than any group needs.
const (
	maxMembers = 256
	maxAddress = 1 << 10
)

// soundMembers reports whether a list is one that the library takes.
func soundMembers(list []member) bool {
	if len(list) > maxMembers {
		return false
	}
	seen := make(map[uint64]bool)
	for _, m := range list {
		if m.ID == 0 || raft.IsLocalMsgTarget(m.ID) || seen[m.ID] || len(m.Address) > maxAddress {
			return false
		}
		seen[m.ID] = true
	}
	return true
}

// parseChange reads a change of the members from an entry.
func parseChange(data []byte) (cc pb.ConfChange, ok bool) {
	if len(data) > 2*maxAddress || cc.Unmarshal(data) != nil {
		return cc, false
	}
	known := cc.Type == pb.ConfChangeAddNode || cc.Type == pb.ConfChangeAddLearnerNode ||
		cc.Type == pb.ConfChangeRemoveNode
	return cc, known && cc.NodeID != 0 && !raft.IsLocalMsgTarget(cc.NodeID) && len(cc.Context) <= maxAddress
}

// catchUpLimit is how long Add waits for a new member to get the data.
const catchUpLimit = time.Minute

// Add makes a server a member: it gets the data first, and a vote when it has caught up. If that
// takes too long it remains a member without a vote, until Add is called again.
func (n *Node) Add(m Member) error {
	if m.ID == 0 || raft.IsLocalMsgTarget(m.ID) || len(m.Address) > maxAddress {
		return errUnsound
	}
	if n.leads() == 0 {
		return ErrNotLeader
	}
	begin := n.clock()
	old, ok := find(n.view().members, m.ID)
	if ok && old.Voter {
		if old.Address == m.Address {
			return nil
		}
		return n.change(pb.ConfChangeAddNode, m) // its address changes
	}
	if err := n.change(pb.ConfChangeAddLearnerNode, m); err != nil {
		return err
	}
	if err := n.awaitCaughtUp(m.ID, begin); err != nil {
		return err
	}
	return n.change(pb.ConfChangeAddNode, m)
}

// awaitCaughtUp waits until a member has all entries that were committed a moment ago, by what it
// has confirmed after the beginning.
func (n *Node) awaitCaughtUp(id uint64, begin int64) error {
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
		term := n.leads()
		if term == 0 {
			return ErrNotLeader
		}
		if last, at := n.matched(id, term); at > begin && last > 0 && last >= n.view().commit {
			return nil
		}
	}
}

// Remove takes a member out of the group, this one too: it gives up the seat then.
func (n *Node) Remove(id uint64) error {
	members := n.view().members
	if _, ok := find(members, id); !ok {
		return ErrUnknownMember
	}
	if !slices.ContainsFunc(members, func(m member) bool { return m.Voter && m.ID != id }) {
		return errLastVote
	}
	return n.change(pb.ConfChangeRemoveNode, Member{ID: id})
}

// Transfer hands the seat to another member, and returns when this one has lost it.
func (n *Node) Transfer(id uint64) error {
	if _, ok := find(n.view().members, id); !ok {
		return ErrUnknownMember
	}
	return n.ask(func(done func(error)) { n.core.transfer(id, done) })
}

func (n *Node) change(kind pb.ConfChangeType, m Member) error {
	cc := pb.ConfChange{Type: kind, NodeID: m.ID, Context: []byte(m.Address)}
	return n.ask(func(done func(error)) { n.core.changeMembers(cc, done) })
}

// ask has the loop do something, and waits for the outcome, but not forever: a leader may keep its
// seat while most members cannot store anything.
func (n *Node) ask(what func(done func(error))) error {
	outcome := make(chan error, 1)
	n.inbox.call(func() {
		if n.core == nil {
			outcome <- ErrNotLeader
			return
		}
		what(func(err error) { outcome <- err })
	})
	limit := time.NewTimer(n.options.changeLimit)
	defer limit.Stop()
	select {
	case err := <-outcome:
		return err
	case <-limit.C:
		return ErrNotConfirmed
	case <-n.closed:
		return ErrClosed
	}
}

// isRemoved reports whether the group has this member no longer: its log says so, or another member
// has, and no leader has called since.
func (n *Node) isRemoved() bool {
	members := n.view().members
	_, is := find(members, n.options.ID)
	return len(members) > 0 && !is || n.refused.Load() > n.lease.heard.Load().at
}

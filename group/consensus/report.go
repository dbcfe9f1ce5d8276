package consensus

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/hashicorp/raft"
)

// report says in the log who leads and who cannot be reached: once, and again when it changes.
type report struct {
	node *Node

	mu      sync.Mutex
	leader  raft.ServerID
	known   bool                          // leader was said
	silent  map[raft.ServerAddress]string // members that cannot be reached, and why
	observe chan raft.Observation
}

func (r *report) init(n *Node) {
	r.node, r.silent, r.observe = n, make(map[raft.ServerAddress]string), make(chan raft.Observation, 16)
}

// run follows what Raft tells of elections.
func (r *report) run() {
	o := raft.NewObserver(r.observe, false, isElection)
	r.node.raft.RegisterObserver(o)
	defer r.node.raft.DeregisterObserver(o)
	for {
		select {
		case <-r.observe:
			r.election()
		case <-r.node.closed:
			return
		}
	}
}

// isElection reports whether another member may lead now, or none.
func isElection(o *raft.Observation) bool {
	switch o.Data.(type) {
	case raft.LeaderObservation, raft.RaftState:
		return true
	}
	return false
}

func (r *report) election() {
	_, leader := r.node.raft.LeaderWithID()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known && r.leader == leader {
		return
	}
	r.leader, r.known = leader, true
	switch leader {
	case "":
		r.node.options.Log("warning", "No member leads the group")
	case serverID(r.node.options.ID):
	default:
		r.node.options.Log("notice", fmt.Sprintf("Member %s leads the group, in term %d", leader, r.node.raft.CurrentTerm()))
	}
}

// dialed notes whether another member was reached.
func (r *report) dialed(to raft.ServerAddress, err error) {
	why := ""
	if err != nil {
		why = cause(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.silent[to] == why {
		return
	}
	if err == nil {
		delete(r.silent, to)
		r.node.options.Log("notice", fmt.Sprintf("The member at %s is reached again", to))
		return
	}
	r.silent[to] = why
	r.node.options.Log("warning", fmt.Sprintf("The member at %s cannot be reached: %s", to, why))
}

// cause returns the text of an error without this end's port, which is another one each time.
func cause(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

package consensus

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// report says in the log who leads, who cannot be reached, and for what this member waits: once,
// and again when it changes.
type report struct {
	node *Node

	mu      sync.Mutex
	leader  raft.ServerID
	known   bool                          // leader was said
	waits   bool                          // for its entries; it was said
	silent  map[raft.ServerAddress]string // members that cannot be reached, and why
	observe chan raft.Observation
}

func (r *report) init(n *Node) {
	r.node, r.silent, r.observe = n, make(map[raft.ServerAddress]string), make(chan raft.Observation, 16)
}

// patientHeartbeats is how long a member without its entries waits for a leader before it says so.
const patientHeartbeats = 10

// run follows what Raft tells of elections.
func (r *report) run() {
	o := raft.NewObserver(r.observe, false, isElection)
	r.node.raft.RegisterObserver(o)
	defer r.node.raft.DeregisterObserver(o)
	tick := time.NewTicker(patientHeartbeats * r.node.options.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.wait()
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
		r.node.options.Log("notice",
			fmt.Sprintf("Member %s leads the group, in term %d", leader, r.node.raft.CurrentTerm()))
	}
}

// wait logs once that this member has lost entries and waits for a leader to send them.
func (r *report) wait() {
	_, leader := r.node.raft.LeaderWithID()
	r.mu.Lock()
	defer r.mu.Unlock()
	hole := r.node.hole()
	if waits := leader == "" && hole != 0 && hole != unknownHole; waits != r.waits {
		if r.waits = waits; waits {
			r.node.options.Log("warning", "This member has lost entries, and no member leads the group from which it "+
				"could get them. If most members have lost theirs, none can lead before "+
				"group-salvage begins the group anew")
		}
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

package consensus

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// report says in the log who leads, who cannot be reached, and for what this member waits: once,
// and again when it changes.
type report struct {
	node *Node

	mu     sync.Mutex
	leader uint64
	known  bool                 // leader was said
	waits  bool                 // for its entries; it was said
	silent map[string]string    // members that cannot be reached, and why
	said   map[string]time.Time // what is said rarely
	news   chan struct{}        // another member may lead now, or none
}

func (r *report) init(n *Node) {
	r.node, r.silent, r.said, r.news = n, make(map[string]string), make(map[string]time.Time), make(chan struct{}, 1)
}

// patientHeartbeats is how long a member without its entries waits for a leader before it says so.
const patientHeartbeats = 10

// run follows elections.
func (r *report) run() {
	tick := time.NewTicker(patientHeartbeats * r.node.options.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.wait()
		case <-r.news:
			r.election()
		case <-r.node.closed:
			return
		}
	}
}

func (r *report) election() {
	v := r.node.view()
	leader := v.lead
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known && r.leader == leader {
		return
	}
	r.leader, r.known = leader, true
	switch leader {
	case 0:
		r.node.options.Log("warning", "No member leads the group")
	case r.node.options.ID:
	default:
		r.node.options.Log("notice",
			fmt.Sprintf("Member %d leads the group, in term %d", leader, v.term))
	}
}

// wait logs once that this member has lost entries and waits for a leader to send them.
func (r *report) wait() {
	leader := r.node.view().lead
	r.mu.Lock()
	defer r.mu.Unlock()
	hole := r.node.hole()
	if waits := leader == 0 && hole != 0 && hole != unknownHole; waits != r.waits {
		if r.waits = waits; waits {
			r.node.options.Log("warning", "This member has lost entries, and no member leads the group from which it "+
				"could get them. If most members have lost theirs, none can lead before "+
				"group-salvage begins the group anew")
		}
	}
}

// dialed notes whether another member was reached.
func (r *report) dialed(to string, err error) {
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

// saidEvery is how often one thing is said at most.
const saidEvery = time.Minute

// rarely says what may happen again and again.
func (r *report) rarely(what string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, said := r.said[what]; !said || time.Since(last) >= saidEvery {
		r.said[what] = time.Now()
		r.node.options.Log("warning", fmt.Sprintf("%s: %v", what, err))
	}
}

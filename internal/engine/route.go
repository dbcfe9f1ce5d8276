package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// A world that is a node of a cluster of several, or a member of one of several groups, runs the
// commands whose slot it serves, and sends clients elsewhere with the others. The order of the
// reasons is that of Redis.

// route returns the error by which the node sends a client elsewhere, or refuses a command; nil if
// the command may run here. The session knows the slot of its keys.
func (w *World) route(s *Session, cmd *command.Command, args [][]byte) error {
	if s.slot == noSlot || s.Obeyed() {
		return nil
	}
	n, at := w.Node, uint16(s.slot)
	owner := n.View.Owner(at)
	if owner == nil {
		return errUnservedSlot
	}
	if err := w.checkCluster(s, cmd, args); err != nil {
		return err
	}
	to, from := n.Migrating[at], n.Importing[at]
	if owner != n {
		to = nil
	}
	asking := s.asking > 0 || cmd.Flags&command.Asking != 0
	switch reads := s.Client().modes.ReadsReplica && !s.mayRun(command.Write, cmd, args); {
	case to != nil || from != nil && owner != n:
		return w.routeMoving(s, cmd, args, owner, to, asking)
	case owner == n, n.View.Master(n) == owner && (reads || cmd.Flags&command.PubSub != 0):
		return nil
	}
	return command.Errorf(ErrMoved, s.slot, owner.Address())
}

// routeMoving is route for a slot that moves to another node, or, if to is nil, from its owner to
// this one.
func (w *World) routeMoving(s *Session, cmd *command.Command, args [][]byte, owner, to *topology.Node,
	asking bool) error {
	if cmd.Name == "migrate" {
		return nil
	}
	here, absent := w.presentKeys(s, cmd, args)
	switch {
	case to != nil && absent > 0 && here > 0:
		return errTryAgain
	case to != nil && absent > 0:
		return command.Errorf(ErrAsk, s.slot, to.Address())
	case to != nil:
		return nil
	case !asking:
		return command.Errorf(ErrMoved, s.slot, owner.Address())
	case absent > 0 && here+absent > 1:
		return errTryAgain
	}
	return nil
}

// presentKeys counts the keys of a command that are in the database, and those that are not; of
// EXEC those of the transaction. The names of channels are no keys.
func (w *World) presentKeys(s *Session, cmd *command.Command, args [][]byte) (here, absent int) {
	count := func(cmd *command.Command, args [][]byte) {
		if cmd.Flags&command.PubSub != 0 {
			return
		}
		keys, _ := cmd.Keys.At(args)
		for _, k := range keys {
			if w.Keyspace.DB(s.db).Exists(args[k.At]) {
				here++
			} else {
				absent++
			}
		}
	}
	if cmd.Flags&command.RunsTx == 0 || s.tx == nil {
		count(cmd, args)
		return here, absent
	}
	for _, q := range s.tx.commands {
		count(q.cmd, q.args)
	}
	return here, absent
}

// checkCluster returns the error of a node whose cluster is down, nil if it is not or the command
// may run all the same.
func (w *World) checkCluster(s *Session, cmd *command.Command, args [][]byte) error {
	allows := func(setting, otherwise string) bool {
		return w.engine.Params.Text(setting, otherwise) == config.YesNo(true)
	}
	switch {
	case w.ClusterOK():
		return nil
	case cmd.Flags&command.PubSub != 0 && allows("cluster-allow-pubsubshard-when-down", "yes"):
		return nil
	case !allows("cluster-allow-reads-when-down", "no"):
		return ErrClusterDown
	case s.mayRun(command.Write, cmd, args):
		return errClusterReads
	}
	return nil
}

// ClusterOK reports whether the cluster whose node the world is serves its slots, as far as the
// node knows.
func (w *World) ClusterOK() bool {
	if w.Node != nil {
		return w.Node.Cluster.OK(w.Node.View, w.Millis())
	}
	m := w.Group().Map
	return m == nil || m.IsComplete() ||
		w.engine.Params.Text("cluster-require-full-coverage", config.YesNo(true)) != config.YesNo(true)
}

// routeGroups is route for a member of one of several groups: an error if the member's group does
// not serve the slot. Whether this member may run the command is another question.
func (w *World) routeGroups(s *Session, cmd *command.Command, args [][]byte) error {
	if s.Obeyed() {
		return nil
	}
	g, at := w.Group(), uint16(s.slot)
	owner := g.Map.Owner(at)
	switch own := owner != nil && owner.ID == g.Map.Self; {
	case !own && g.Seated && g.Coming != nil && g.Coming.Has(at):
		return errTryMoved
	case owner == nil:
		return errUnservedSlot
	case own:
		return w.checkCluster(s, cmd, args)
	}
	if err := w.checkCluster(s, cmd, args); err != nil {
		return err
	}
	leader := owner.Group().For(s.Client().TLS).LeadingMember()
	if leader == nil {
		return ErrClusterDown
	}
	return command.Errorf(ErrMoved, s.slot, leader.Address())
}

// isElsewhere reports whether another group than the world's own serves the slot that the session
// has noted.
func (w *World) isElsewhere(s *Session) bool {
	if s.slot == noSlot || w.Node != nil || s.Obeyed() {
		return false
	}
	g := w.Group()
	return g != nil && g.Map != nil && !g.Map.Owns(uint16(s.slot))
}

// Hearing returns the worlds of the other nodes of a cluster that hear this one, or of those in its
// shard.
func (w *World) Hearing(shard bool) (list []*World) {
	if w.Node == nil {
		return nil
	}
	for _, other := range w.engine.worlds {
		n := other.Node
		if n != nil && other != w && !n.Down && n.View == w.Node.View && (!shard || n.Shard == w.Node.Shard) {
			list = append(list, other)
		}
	}
	return list
}

// Ask admits the session's next command, or transaction, to a slot that this node is about to take
// over: ASKING.
func (s *Session) Ask() { s.asking = askedNow }

// askedNow is how many commands asking lasts, with ASKING itself.
const askedNow = 2

// endAsking counts a command for asking.
func (s *Session) endAsking() {
	if s.tx == nil || s.asking == askedNow {
		s.asking--
	}
}

// RedirectBlocked ends the blocked commands of clients whose keys the node does not serve any more,
// with the error that says where they are.
func (w *World) RedirectBlocked() {
	for _, b := range append([]*Blocked(nil), w.blocked.all...) {
		if len(b.keys) == 0 || b.session.Obeyed() {
			continue
		}
		b.session.slot = noSlot
		if b.session.takeSlot(b.cmd, b.args) != nil {
			continue
		}
		var err error
		if w.Node != nil {
			err = w.route(b.session, b.cmd, b.args)
		} else {
			err = w.redirect(b.session, b.cmd, b.args)
		}
		if err != nil {
			w.endBlock(b, err)
		}
	}
}

package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// The server as a node of a cluster, after cluster-enabled yes. Alone it owns all hash slots and
// keeps them, so it never redirects a client. Two rules of Redis Cluster remain: the keys of a
// command, of a transaction, and of a script that declares flags must be in one slot, and there is
// only database 0. Package commands/cluster has the parameter; route.go is about a world that is a
// node among others.
//
// In a group only the leader runs commands as if there were no other member. What becomes of a
// command that a client sends to another one depends on the kind of clients that the server is set
// up for:
//
//	                       a write        a read         PUBLISH
//	cluster-enabled no     -READONLY      is executed    -READONLY      as at a replica
//	cluster-enabled yes    -MOVED         -MOVED         -MOVED         as in a cluster
//	  after READONLY       -MOVED         is executed    -MOVED
//	  without a leader     -CLUSTERDOWN   -CLUSTERDOWN   -CLUSTERDOWN
//
// Nothing in what a client sends tells one kind from the other: a client in cluster mode asks for
// the slots over one connection, and sends commands over others. So the parameter decides, as in
// Redis. A client of Sentinel takes -READONLY as a sign to connect anew, and would not know what
// -MOVED means; a client in cluster mode follows -MOVED, and most report -READONLY to the program.

// noSlot is the slot of a command without keys.
const noSlot = -1

// checkSlot returns an error if the keys of a command lie in several slots, and notes the slot in
// the session. Those of EXEC are the keys of all queued commands. Malformed arguments have no keys;
// the command itself refuses them.
func (e *Engine) checkSlot(s *Session, cmd *command.Command, args [][]byte) error {
	s.slot = noSlot
	if cmd.Flags&command.RunsTx == 0 {
		return s.takeSlot(cmd, args)
	}
	if s.tx == nil || s.tx.dirtyExec && e.Release.Has(isValkey) {
		return nil
	}
	for _, q := range s.tx.commands {
		if err := s.takeSlot(q.cmd, q.args); err != nil {
			return err
		}
	}
	return nil
}

// isValkey is when Valkey parted from Redis.
var isValkey = release.From("valkey:7.2.5")

// takeSlot notes the slot of a command's keys in the session. It returns an error if they lie in
// several, or not in the one noted before.
func (s *Session) takeSlot(cmd *command.Command, args [][]byte) error {
	keys, _ := cmd.Keys.At(args)
	for _, k := range keys {
		of := int32(slot.Of(args[k.At]))
		if s.slot != noSlot && s.slot != of {
			return ErrCrossSlot
		}
		s.slot = of
	}
	return nil
}

// checkScriptSlot is checkSlot for a command that a script calls. A script that declared flags, and
// not that it crosses slots, keeps to the slot of its keys; one without keys to that of the first
// key that it uses.
func (w *World) checkScriptSlot(s *Session, cmd *command.Command, args [][]byte) error {
	s.slot = noSlot
	if s.takeSlot(cmd, args) != nil {
		return w.engine.Commands.Errorf(ErrCrossSlotCall, cmd.FullName())
	}
	if w.Node != nil && w.route(s, cmd, args) != nil || w.isElsewhere(s) {
		return errNotLocal
	}
	kept := &s.caller.slot
	switch {
	case s.crossesSlots || s.slot == noSlot:
	case *kept == noSlot:
		*kept = s.slot
	case *kept != s.slot:
		return ErrCrossSlotScript
	}
	return nil
}

// CrossSlots says whether the keys that a script uses may lie in several slots, until the next
// EnterScript.
func (s *Session) CrossSlots(may bool) { s.crossesSlots = may }

// checkPlace returns an error unless a command's keys lie in one slot, and the server may run it.
func (w *World) checkPlace(s *Session, cmd *command.Command, args [][]byte) error {
	err := w.engine.checkSlot(s, cmd, args)
	switch {
	case err != nil || s.slot == noSlot:
	case w.Node != nil:
		err = w.route(s, cmd, args)
	case w.Topology != nil:
		err = w.redirect(s, cmd, args)
	}
	return err
}

// redirect returns the error that sends a cluster's client to the leader, of this group or of the
// one that has the slot; nil if the command may run here. The session knows the slot of its keys.
func (w *World) redirect(s *Session, cmd *command.Command, args [][]byte) error {
	if s.slot != noSlot && w.Group().Map != nil {
		if err := w.routeGroups(s, cmd, args); err != nil {
			return err
		}
	}
	return w.toLeader(s, cmd, args)
}

// toLeader is redirect for a slot of the group.
func (w *World) toLeader(s *Session, cmd *command.Command, args [][]byte) error {
	e, g := w.engine, w.Group()
	if s.slot == noSlot || g.Seated {
		return nil
	}
	reads := s.modes.ReadsReplica && !s.mayRun(command.Write, cmd, args) && cmd.Flags&command.PubSub == 0
	switch leader := g.LeadingMember(); {
	case reads && (leader != nil || e.Params.Text("cluster-allow-reads-when-down", "no") == config.YesNo(true)):
		return nil
	case leader == nil || leader.ID == g.Self: // which has not taken its seat yet
		return ErrClusterDown
	default:
		return command.Errorf(ErrMoved, s.slot, g.For(s.Client().TLS).LeadingMember().Address())
	}
}

// isOfCluster reports whether an error is one by which a node of a cluster refuses the keys of a
// command. EXEC replies with such errors as they are.
func (w *World) isOfCluster(err error) bool {
	switch err {
	case ErrCrossSlot, ErrClusterDown, errClusterReads, errUnservedSlot, errTryAgain, errTryMoved:
		return true
	}
	return strings.HasPrefix(err.Error(), "MOVED ") || w.Node != nil && strings.HasPrefix(err.Error(), "ASK ")
}

// PropagateMessage sends the command, a message to a channel, to the replicas, although it changes
// nothing: clients of theirs may listen. A message has its place among the changes, so only the
// leader of a group takes it; its members pass it on to their own subscribers. An error refuses it.
func (c *Call) PropagateMessage(channel []byte) error {
	err := c.messageRefusal(channel)
	if err == nil {
		c.logged = true
		if c.World.Node == nil { // else Hearing names who hears it
			c.World.propagate(Replicas&^c.Session.unsent, c.DB.ID(), c.Args)
		}
	}
	return err
}

func (c *Call) messageRefusal(channel []byte) error {
	e := c.Engine
	switch {
	case c.World.Topology == nil || c.World.Node != nil || !c.World.role.Replica || c.Session.Client().master:
		return nil
	case !e.Config.Cluster:
		return ErrReadOnly
	}
	c.Session.slot = int32(slot.Of(channel))
	return c.World.toLeader(c.Session, c.Cmd, c.Args)
}

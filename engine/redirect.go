package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
)

// In a group only the leader runs commands as if there were no other member. What becomes of a command that a client sends to another one
// depends on the kind of clients that the server is set up for:
//
//	                           a write        a read          PUBLISH
//	cluster-enabled no         -READONLY      is executed     -READONLY      as at a replica, for plain clients and those of Sentinel
//	cluster-enabled yes        -MOVED         -MOVED          -MOVED         as at a replica of a cluster
//	  after READONLY           -MOVED         is executed     -MOVED
//	  while nobody leads       -CLUSTERDOWN   -CLUSTERDOWN    -CLUSTERDOWN
//
// Nothing in what a client sends tells one kind from the other: a client in cluster mode asks for the slots over one connection, and sends
// commands over others. So the parameter decides, as in Redis. A client of Sentinel takes -READONLY as a sign to connect anew, and
// would not know what -MOVED means; a client in cluster mode follows -MOVED, and most report -READONLY to the program.

// redirect returns the error that sends a cluster's client to the leader, nil if the command may run here. The session knows the slot of its keys.
func (e *Engine) redirect(s *Session, cmd *command.Command, args [][]byte) error {
	g := e.Group()
	if s.slot == noSlot || g.Seated {
		return nil
	}
	reads := s.modes.ReadsReplica && !s.mayRun(command.Write, cmd, args) && cmd.Flags&command.PubSub == 0
	switch leader := g.LeadingMember(); {
	case reads && (leader != nil || e.Setting("cluster-allow-reads-when-down", "no") == config.YesNo(true)):
		return nil
	case leader == nil || leader.ID == g.Self: // which has not taken its seat yet
		return ErrClusterDown
	default:
		return command.Errorf(ErrMoved, s.slot, e.GroupFor(s).LeadingMember().Address())
	}
}

// Passes reports whether a client whose first command this is may be connected to the leader instead of this member: unless the command is an operator's, or
// one about the group or the cluster, by which clients also read from this member. The command may be incomplete. It is called under the lock.
// A probe passes only if there is a leader: it tells whether the server is there.
func (e *Engine) Passes(first [][]byte) bool {
	if len(first) == 0 {
		return true
	}
	cmd, _ := e.Commands.Resolve(first)
	return cmd == nil || cmd.Flags&command.Admin == 0 && !slices.Contains(ownFamilies, cmd.Group()) && (cmd.Flags&command.HealthCheck == 0 || e.Group().LeadingMember() != nil)
}

// ownFamilies are the groups of commands that concern the server to which they are sent.
var ownFamilies = []string{"cluster", "group", "sentinel"}

// isOfCluster reports whether an error is one by which a node of a cluster refuses the keys of a command. EXEC replies with such errors as they are.
func isOfCluster(err error) bool {
	return err == ErrCrossSlot || err == ErrClusterDown || strings.HasPrefix(err.Error(), "MOVED ")
}

// PropagateMessage sends the command, a message to a channel, to the replicas, although it changes nothing: clients of theirs may listen. A message
// has its place among the changes, so only the leader of a group takes it; its members pass it on to their own subscribers. An error refuses it.
func (c *Call) PropagateMessage(channel []byte) error {
	err := c.messageRefusal(channel)
	if err == nil {
		c.logged = true
		c.World.propagate(Replicas&^c.Session.unsent, c.DB.ID(), c.Args)
	}
	return err
}

func (c *Call) messageRefusal(channel []byte) error {
	e := c.Engine
	switch {
	case e.topology == nil || !c.World.role.Replica || c.Session.Client().master:
		return nil
	case !e.cluster.enabled:
		return ErrReadOnly
	}
	c.Session.slot = int32(KeySlot(channel))
	return e.redirect(c.Session, c.Cmd, c.Args)
}

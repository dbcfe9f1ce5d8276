package cluster

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands that change a cluster of several shards. Its nodes are in one process and fixed;
// which of them serves which slots, and who follows whom, is not.

// changed replies that the cluster has changed, which its worlds learn before the reply leaves.
func changed(c *engine.Call) {
	c.Afterwards(c.World.Node.Cluster.Changed)
	c.Reply.Status("OK")
}

// otherNode reads the ID of a node, which must be a master. unknown is the error for one that there
// is not.
func otherNode(c *engine.Call, unknown string) *topology.Node {
	id := string(c.Arg())
	n := c.World.Node.Cluster.Find(id)
	switch {
	case n == nil || n.ID != id:
		c.Refusef(unknown, id)
		return nil
	case c.World.Node.View.Master(n) != nil:
		c.Refuse(errTargetReplica)
	}
	return n
}

// setSlot is CLUSTER SETSLOT in a cluster of several shards.
func setSlot(c *engine.Call) {
	own := c.World.Node
	if own.View.Master(own) != nil {
		c.Refuse(errSetSlotReplica)
	}
	n := readSlot(c)
	at := uint16(n)
	owner := own.View.Owner(at)
	switch {
	case c.Failed():
	case c.Left() == 2 && c.Word("MIGRATING"):
		if owner != own {
			c.Refusef(errSlotNotOwned, n)
		}
		if to := otherNode(c, errNoSuchNode); !c.Failed() {
			own.Migrating[at] = to
		}
	case c.Left() == 2 && c.Word("IMPORTING"):
		if owner == own {
			c.Refusef(errSlotOwned, n)
		}
		if from := otherNode(c, errNoSuchNode); !c.Failed() {
			own.Importing[at] = from
		}
	case c.Left() == 1 && c.Word("STABLE"):
		delete(own.Migrating, at)
		delete(own.Importing, at)
	case c.Left() == 2 && c.Word("NODE"):
		setSlotNode(c, at)
	default:
		c.Refuse(errSetSlot)
	}
	if c.OK() {
		changed(c)
	}
}

// setSlotNode is CLUSTER SETSLOT slot NODE.
func setSlotNode(c *engine.Call, at uint16) {
	own := c.World.Node
	to := otherNode(c, errUnknownNode)
	owner := own.View.Owner(at)
	if owner == own && to != own && len(keysOf(c.DB, at)) > 0 {
		c.Refusef(errSlotKeys, at)
	}
	if c.Failed() {
		return
	}
	delete(own.Migrating, at)
	if to == own {
		delete(own.Importing, at)
	}
	if owner != to {
		own.Cluster.Assign(own.View, to, at)
	}
}

// assignSlots is CLUSTER ADDSLOTS and CLUSTER DELSLOTS in a cluster of several shards: slots
// without a node get one, or those with one lose it if to is nil.
func assignSlots(c *engine.Call, to *topology.Node, slots []uint16) {
	own, seen := c.World.Node, [slot.Count]bool{}
	for _, at := range slots {
		switch owner := own.View.Owner(at); {
		case owner != nil && to != nil:
			c.Refusef(errSlotBusy, at)
		case owner == nil && to == nil:
			c.Refusef(errSlotFree, at)
		case seen[at]:
			c.Refusef(errSlotTwice, at)
		}
		seen[at] = true
	}
	if c.OK() {
		own.Cluster.Assign(own.View, to, slots...)
		changed(c)
	}
}

// readSlots reads slots to the last argument.
func readSlots(c *engine.Call) (slots []uint16) {
	for c.More() {
		slots = append(slots, uint16(readSlot(c)))
	}
	return slots
}

// readRanges reads ranges of slots to the last argument.
func readRanges(c *engine.Call) (slots []uint16) {
	if c.Left()%2 != 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	for c.More() {
		from, to := slotRange(c, errSlotOrder)
		for at := from; at <= to && !c.Failed(); at++ {
			slots = append(slots, uint16(at))
		}
	}
	return slots
}

// failOver is CLUSTER FAILOVER in a cluster of several shards. forced goes without the master's
// consent.
func failOver(c *engine.Call, forced bool) {
	own := c.World.Node
	switch master := own.View.Master(own); {
	case c.Failed():
	case master == nil:
		c.Refuse(errFailoverMaster)
	case !forced && own.View.Silent(master) != 0:
		c.Refuse(errFailoverDown)
	}
	if c.OK() {
		own.Cluster.Promote(own.View, own)
		changed(c)
	}
}

// replicate is CLUSTER REPLICATE in a cluster of several shards.
func replicate(c *engine.Call) {
	own, id := c.World.Node, string(c.Arg())
	n := own.Cluster.Find(id)
	switch {
	case n == nil || n.ID != id:
		c.Refusef(errUnknownNode, id)
	case n == own:
		c.Refuse(errReplicateSelf)
	case own.View.Master(n) != nil:
		c.Refuse(errReplicateReplica)
	case own.View.Master(own) == nil && (c.DB.Len() > 0 || len(own.View.Slots(own)) > 0):
		c.Refuse(errReplicateData)
	}
	if c.OK() {
		own.Cluster.Follow(own.View, own, n)
		changed(c)
	}
}

// meet is CLUSTER MEET in a cluster of several shards, whose nodes know one another.
func meet(c *engine.Call, ip []byte, port int64) {
	host := string(ip)
	for _, n := range c.World.Node.Cluster.Nodes {
		if n.Host == host && int64(n.Port) == port {
			c.Reply.Status("OK")
			return
		}
	}
	c.Fail(errFixedNodes)
}

// bumpEpoch is CLUSTER BUMPEPOCH in a cluster of several shards.
func bumpEpoch(c *engine.Call) {
	own := c.World.Node
	word := "BUMPED"
	if own.View.EpochOf(own) == own.View.Epoch {
		word = "STILL"
	}
	own.View.Raise(own)
	c.Reply.Status(word + " " + string(resp.Decimal(own.View.Epoch)))
}

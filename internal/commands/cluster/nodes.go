package cluster

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// node is a node of the cluster as clients are told of it: the server itself, if it is alone, else
// a member of its group, or a node of a cluster of several shards.
type node struct {
	id, shard string
	at        address
	myself    bool
	master    bool
	of        string // the ID of the master that it follows; "" for a master, or if that is unknown
	up        bool
	suspected bool     // it is not up, and not everybody has agreed on that
	heard     int64    // how many milliseconds ago
	applied   int64    // the offset of its data
	epoch     int64    // of its configuration
	slots     [][2]int // ranges that it serves
	moving    string   // slots of this node that move, as CLUSTER NODES shows them
}

// all is the slots of a node that has them all.
var all = [][2]int{{0, slot.Count - 1}}

// shownNodes returns the nodes that a client is shown, the masters before their replicas. A group
// that has never had a leader has none.
func shownNodes(w *engine.World, s *engine.Session) []*node {
	e := w.Engine()
	if w.Node != nil {
		return nodesAround(w)
	}
	g := e.Group().For(s.Client().TLS)
	if g == nil {
		own := identityOf(e)
		return []*node{{id: own.id, shard: own.shard, at: addressFor(e, s), myself: true, master: true, up: true,
			epoch: own.epoch, slots: all}}
	}
	return nodesIn(g, s.Client().TLS)
}

// nodesIn returns the members of all groups of a cluster, of each group the master first. A group
// by itself has all slots.
func nodesIn(g *topology.Group, tls bool) (list []*node) {
	if g.Map == nil {
		return nodesOf(g, all, int64(g.Term))
	}
	for _, s := range g.Map.InOrder() {
		of := g
		if s.ID != g.Map.Self {
			of = s.Group().For(tls)
		}
		list = append(list, nodesOf(of, g.Map.Slots(s), s.Epoch())...)
	}
	return list
}

// nodesAround returns the nodes of a cluster of several shards, as one of them knows it: those of
// each shard, and in the order of their slots.
func nodesAround(w *engine.World) (list []*node) {
	own := w.Node
	c, v := own.Cluster, own.View
	masters := c.Masters(v)
	for _, m := range masters {
		for _, n := range append([]*topology.Node{m}, c.Replicas(v, m)...) {
			list = append(list, nodeAround(w, n, m))
		}
	}
	return list
}

// nodeAround returns a node of a cluster of several shards, whose master is known.
func nodeAround(w *engine.World, n, master *topology.Node) *node {
	v, port := w.Node.View, strconv.Itoa(n.Port)
	shown := &node{id: n.ID, shard: n.Shard, at: address{ip: n.Host, port: port, bus: strconv.Itoa(n.Port + 10000)},
		myself: n == w.Node, master: n == master, applied: n.Offset(), epoch: v.EpochOf(n), slots: v.Slots(n)}
	if !shown.master {
		shown.of = master.ID
	}
	shown.suspected = n.Cluster.Suspected(v, n, w.Millis()) && !v.Failed(n)
	shown.up = !shown.suspected && !v.Failed(n)
	if silent := v.Silent(n); silent != 0 {
		shown.heard = w.Millis() - silent
	}
	if shown.myself {
		shown.moving = movingSlots(n)
	}
	return shown
}

// movingSlots returns the slots of a node that move, as CLUSTER NODES shows them.
func movingSlots(n *topology.Node) (text string) {
	for at := range uint16(slot.Count) {
		if to := n.Migrating[at]; to != nil {
			text += fmt.Sprintf(" [%d->-%s]", at, to.ID)
		} else if from := n.Importing[at]; from != nil {
			text += fmt.Sprintf(" [%d-<-%s]", at, from.ID)
		}
	}
	return text
}

// nodesOf returns the members of which it is known where clients reach them, the master first. It
// has the slots, and all have the epoch.
func nodesOf(g *topology.Group, slots [][2]int, epoch int64) (list []*node) {
	for _, m := range g.Members {
		if m.Host == "" {
			continue
		}
		n := &node{id: g.NodeID(m.ID), shard: g.ShardID(), at: addressOf(m), myself: m.ID == g.Self,
			master: m.ID == g.Last, up: m.Up, heard: m.Heard, applied: int64(m.Applied), epoch: epoch}
		if n.master {
			n.up, n.slots = g.Leader != 0, slots
			list = slices.Insert(list, 0, n)
			continue
		}
		if leader := g.LastLeader(); leader != nil {
			n.of = g.NodeID(leader.ID)
		}
		list = append(list, n)
	}
	return list
}

// addressOf returns where clients reach a member. A group has no bus of a cluster, so its port is
// what clients expect to read.
func addressOf(m topology.Member) address {
	return address{ip: m.Host, port: strconv.Itoa(m.Port), bus: strconv.Itoa(m.Port + 10000)}
}

// replicasOf returns the nodes that follow another one.
func replicasOf(nodes []*node, master string) (list []*node) {
	for _, n := range nodes {
		if n.of == master {
			list = append(list, n)
		}
	}
	return list
}

// clusterID returns the ID of the server as a node, and that of its shard.
func clusterID(w *engine.World) (node, shard string) {
	if w.Node != nil {
		return w.Node.ID, w.Node.Shard
	}
	if g := w.Group(); g != nil {
		return g.NodeID(g.Self), g.ShardID()
	}
	own := identityOf(w.Engine())
	return own.id, own.shard
}

// clusterEpochs returns the epoch of the cluster and that of the node, and whether the slots are
// served.
func clusterEpochs(w *engine.World) (current, own int64, ok bool) {
	if n := w.Node; n != nil {
		return n.View.Epoch, n.View.EpochOf(n), w.ClusterOK()
	}
	if g := w.Group(); g != nil && g.Map != nil {
		return g.Map.Epoch(), g.Map.Shard(g.Map.Self).Epoch(), g.LeadingMember() != nil && w.ClusterOK()
	} else if g != nil {
		return int64(g.Term), int64(g.Term), g.LeadingMember() != nil
	}
	epoch := identityOf(w.Engine()).epoch
	return epoch, epoch, true
}

// identity is what tells the server from other nodes.
type identity struct {
	id, shard string // 40 hexadecimal digits each
	epoch     int64
}

// identityOf returns the identity of an engine, which it gets when it is first asked for.
func identityOf(e *engine.Engine) *identity {
	own := engine.PerEngine[identity](e)
	if own.id == "" {
		own.id, own.shard = topology.HexDigest(e.RunID+" node"), topology.HexDigest(e.RunID+" shard")
	}
	return own
}

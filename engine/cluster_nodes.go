package engine

import (
	"slices"
	"strconv"
)

// clusterNode is a node of the cluster as clients are told of it: the server itself, if it is alone, else a member of its group.
type clusterNode struct {
	id      string
	at      nodeAddress
	myself  bool
	master  bool
	up      bool
	heard   int64 // how many milliseconds ago
	applied int64 // the offset of its data
}

// nodes returns the nodes that a client is shown, the master first. A group that has never had a leader has none.
func (e *Engine) nodes(s *Session) []clusterNode {
	g := e.GroupFor(s)
	if g == nil {
		return []clusterNode{{id: e.cluster.id, at: e.address(s), myself: true, master: true, up: true}}
	}
	return g.nodes()
}

// nodes returns the members of which it is known where clients reach them, the master first.
func (g *Group) nodes() (list []clusterNode) {
	for _, m := range g.Members {
		if m.Host == "" {
			continue
		}
		n := clusterNode{id: g.NodeID(m.ID), at: m.nodeAddress(), myself: m.ID == g.Self, master: m.ID == g.Last, up: m.Up, heard: m.Heard, applied: int64(m.Applied)}
		if n.master {
			n.up = g.Leader != 0
			list = slices.Insert(list, 0, n)
		} else {
			list = append(list, n)
		}
	}
	return list
}

// nodeAddress returns where clients reach a member. A group has no bus of a cluster, so its port is what clients expect to read.
func (m *GroupMember) nodeAddress() nodeAddress {
	return nodeAddress{ip: m.Host, port: strconv.Itoa(m.Port), bus: strconv.Itoa(m.Port + 10000)}
}

// master returns the node that serves the slots: the first; nil if there is none.
func masterOf(nodes []clusterNode) *clusterNode {
	if len(nodes) == 0 || !nodes[0].master {
		return nil
	}
	return &nodes[0]
}

// clusterID returns the ID of the server as a node, and that of its shard.
func (e *Engine) clusterID() (node, shard string) {
	if g := e.Group(); g != nil {
		return g.NodeID(g.Self), g.ShardID()
	}
	return e.cluster.id, e.cluster.shard
}

// clusterEpoch returns the epoch of the cluster, and whether all slots are served.
func (e *Engine) clusterEpoch() (epoch int64, ok bool) {
	if g := e.Group(); g != nil {
		return int64(g.Term), g.LeadingMember() != nil
	}
	return e.cluster.epoch, true
}

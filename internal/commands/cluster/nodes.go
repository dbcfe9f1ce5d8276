package cluster

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// node is a node of the cluster as clients are told of it: the server itself, if it is alone, else
// a member of its group.
type node struct {
	id      string
	at      address
	myself  bool
	master  bool
	up      bool
	heard   int64 // how many milliseconds ago
	applied int64 // the offset of its data
}

// shownNodes returns the nodes that a client is shown, the master first. A group that has never had
// a leader has none.
func shownNodes(e *engine.Engine, s *engine.Session) []node {
	g := e.Group().For(s.Client().TLS)
	if g == nil {
		return []node{{id: identityOf(e).id, at: addressFor(e, s), myself: true, master: true, up: true}}
	}
	return nodesOf(g)
}

// nodesOf returns the members of which it is known where clients reach them, the master first.
func nodesOf(g *topology.Group) (list []node) {
	for _, m := range g.Members {
		if m.Host == "" {
			continue
		}
		n := node{id: g.NodeID(m.ID), at: addressOf(m), myself: m.ID == g.Self, master: m.ID == g.Last, up: m.Up,
			heard: m.Heard, applied: int64(m.Applied)}
		if n.master {
			n.up = g.Leader != 0
			list = slices.Insert(list, 0, n)
		} else {
			list = append(list, n)
		}
	}
	return list
}

// addressOf returns where clients reach a member. A group has no bus of a cluster, so its port is
// what clients expect to read.
func addressOf(m topology.Member) address {
	return address{ip: m.Host, port: strconv.Itoa(m.Port), bus: strconv.Itoa(m.Port + 10000)}
}

// masterOf returns the node that serves the slots, the first; nil if there is none.
func masterOf(nodes []node) *node {
	if len(nodes) == 0 || !nodes[0].master {
		return nil
	}
	return &nodes[0]
}

// clusterID returns the ID of the server as a node, and that of its shard.
func clusterID(e *engine.Engine) (node, shard string) {
	if g := e.Group(); g != nil {
		return g.NodeID(g.Self), g.ShardID()
	}
	own := identityOf(e)
	return own.id, own.shard
}

// clusterEpoch returns the epoch of the cluster, and whether all slots are served.
func clusterEpoch(e *engine.Engine) (epoch int64, ok bool) {
	if g := e.Group(); g != nil {
		return int64(g.Term), g.LeadingMember() != nil
	}
	return identityOf(e).epoch, true
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

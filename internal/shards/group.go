package shards

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/topology"
)

// source tells ROLE, INFO replication and WAIT of a node's shard, as a group whose leader is the
// master. It is a topology.Source. The members have no vote, as no reply waits for them.
type source struct {
	*Shards
	node *topology.Node
}

// Group implements topology.Source.
func (s source) Group() *topology.Group {
	n, v := s.node, s.node.View
	master := n
	if m := v.Master(n); m != nil {
		master = m
	}
	g := &topology.Group{Name: n.Shard, Self: s.id(n), Last: s.id(master), Seated: master == n, Term: uint64(v.Epoch)}
	if s.hears(n, master) {
		g.Leader = g.Last
	} else {
		g.Age = max(0, s.engine.Home().Millis()-v.Silent(master))
	}
	for _, m := range append([]*topology.Node{master}, s.cluster.Replicas(v, master)...) {
		g.Members = append(g.Members, topology.Member{ID: s.id(m), Host: m.Host, Port: m.Port, Up: s.hears(n, m),
			Applied: uint64(m.Offset()), Learner: true})
	}
	return g
}

// id returns the number of a node.
func (s source) id(n *topology.Node) uint64 { return uint64(slices.Index(s.cluster.Nodes, n)) + 1 }

// Transfer implements topology.Source.
func (s source) Transfer(_ uint64, done func(error)) { done(errNoTransfer) }

// Stored implements topology.Source. Replicas have all changes before a reply leaves, or never.
func (s source) Stored(told func(members int) bool) { told(s.worlds[s.node].Followers()) }

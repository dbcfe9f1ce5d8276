package sentinel

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/resp"
)

// instance is what Sentinel says of a master, a replica or another Sentinel: names of fields, each
// with its value behind it.
type instance []string

// reply replies with the fields: a map in RESP3, else an array.
func (i instance) reply(w *resp.Writer) {
	w.Map(len(i) / 2)
	for _, word := range i {
		w.BulkString(word)
	}
}

// downAfter is what is told of how long Sentinels wait before they call an instance down, in
// milliseconds: members wait about as long for their leader.
const downAfter = "1000"

// others returns all members but this one, whose addresses are known.
func others(g *topology.Group) []topology.Member { return without(g, g.Self) }

// replicas returns all members but the leader, or the last one, whose addresses are known.
func replicas(g *topology.Group) []topology.Member { return without(g, g.Last) }

func without(g *topology.Group, id uint64) (list []topology.Member) {
	for _, m := range g.Members {
		if m.ID != id && m.Host != "" {
			list = append(list, m)
		}
	}
	return list
}

// masterOf returns the fields of the leader, or while none is known of the last one.
func masterOf(g *topology.Group) instance {
	m, flags := g.LastLeader(), "master"
	if m == nil {
		m = &topology.Member{Host: unknownHost, Heard: -1}
	}
	if g.LeadingMember() == nil {
		flags = "s_down,o_down,master,disconnected"
	}
	return slices.Concat(common(g.Name, g, m, flags), reported("master", g, m), instance{
		"config-epoch", fmt.Sprint(g.Term), "num-slaves", fmt.Sprint(len(replicas(g))),
		"num-other-sentinels", fmt.Sprint(len(others(g))),
		"quorum", fmt.Sprint(g.Quorum()), "failover-timeout", "180000", "parallel-syncs", "1"})
}

// unknownHost is the host of a master that is not known.
const unknownHost = "?"

// replicaOf returns the fields of a member that does not lead.
func replicaOf(g *topology.Group, m *topology.Member) instance {
	host, port, status, priority := unknownHost, 0, "err", 100
	if leader := g.LeadingMember(); leader != nil {
		host, port = leader.Host, leader.Port
		if m.Up {
			status = "ok"
		}
	}
	if m.Learner {
		priority = 0 // it is never promoted
	}
	return slices.Concat(common(m.Address(), g, m, flagsOf("slave", m)), reported("slave", g, m), instance{
		"master-link-down-time", "0", "master-link-status",
		status, "master-host", host, "master-port", fmt.Sprint(port),
		"slave-priority", fmt.Sprint(priority), "slave-repl-offset", fmt.Sprint(m.Applied), "replica-announced", "1"})
}

// sentinelOf returns the fields of another member as a Sentinel.
func sentinelOf(g *topology.Group, m *topology.Member) instance {
	return slices.Concat(common(g.NodeID(m.ID), g, m, flagsOf("sentinel", m)), instance{
		"last-hello-message", fmt.Sprint(max(0, m.Heard)), "voted-leader", "?", "voted-leader-epoch", "0"})
}

// flagsOf returns the flags of a replica or Sentinel.
func flagsOf(kind string, m *topology.Member) string {
	if m.Up {
		return kind
	}
	return "s_down," + kind + ",disconnected"
}

// common returns the fields that all instances have at their beginning.
func common(name string, g *topology.Group, m *topology.Member, flags string) instance {
	heard := fmt.Sprint(max(0, m.Heard))
	list := instance{"name", name, "ip", m.Host, "port", fmt.Sprint(m.Port), "runid", g.NodeID(m.ID), "flags", flags,
		"link-pending-commands", "0", "link-refcount", "1", "last-ping-sent", "0", "last-ok-ping-reply", heard,
		"last-ping-reply", heard}
	if flags[0] == 's' && flags[1] == '_' {
		list = append(list, "s-down-time", heard)
	}
	return append(list, "down-after-milliseconds", downAfter)
}

// reported returns the fields about a role that INFO has told a Sentinel of Redis.
func reported(role string, g *topology.Group, m *topology.Member) instance {
	heard := fmt.Sprint(max(0, m.Heard))
	return instance{"info-refresh", heard, "role-reported", role, "role-reported-time", heard}
}

package replication

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// What ROLE and INFO replication say in a group: the leader is the master, the other members are
// its replicas, and the offset is the number of the last entry of the log that a member has
// executed. No stream of this package joins them.

// following returns the members that follow the leader and are up.
func following(g *topology.Group) (list []topology.Member) {
	for _, m := range g.Members {
		if m.ID != g.Leader && m.Up && m.Host != "" {
			list = append(list, m)
		}
	}
	return list
}

// fillGroup writes the fields of INFO replication.
func fillGroup(b *bytes.Buffer, g *topology.Group, stream *stream, backlogSize int64) {
	var replicas []topology.Member
	if g.Seated {
		replicas = following(g)
		engine.Fields(b, "role", "master")
	} else {
		fillLeader(b, g)
	}
	engine.Fields(b, "connected_slaves", len(replicas), "replicas_waiting_psync", 0)
	for i, m := range replicas {
		engine.Fields(b, fmt.Sprintf("slave%d", i),
			fmt.Sprintf("ip=%s,port=%d,state=online,offset=%d,lag=%d", m.Host, m.Port, m.Applied, m.Heard/1000))
	}
	of := *stream
	of.id, of.offset = g.ShardID(), appliedHere(g)
	of.fill(b, failoverStates[noFailover], backlogSize)
}

// fillLeader writes the fields about the leader at a member that follows it.
func fillLeader(b *bytes.Buffer, g *topology.Group) {
	host, port := leaderAddress(g)
	status, silent := "down", int64(-1)
	if g.Leader != 0 {
		status, silent = "up", max(0, g.Age)/1000
	}
	engine.Fields(b, "role", "slave", "master_host", host, "master_port", port, "master_link_status", status,
		"master_last_io_seconds_ago", silent, "master_sync_in_progress", 0,
		"slave_read_repl_offset", appliedHere(g), "slave_repl_offset", appliedHere(g))
	if g.Leader == 0 {
		engine.Fields(b, "master_link_down_since_seconds", max(-1, g.Age/1000))
	}
	engine.Fields(b, "slave_priority", 100, "slave_read_only", 1, "replica_announced", 1)
}

// leaderAddress returns where clients reach the leader, or the last one; "" and 0 if there was
// none.
func leaderAddress(g *topology.Group) (host string, port int) {
	if m := g.LastLeader(); m != nil {
		return m.Host, m.Port
	}
	return "", 0
}

// appliedHere returns the last entry that this member has executed.
func appliedHere(g *topology.Group) int64 {
	if m := g.Member(g.Self); m != nil {
		return int64(m.Applied)
	}
	return 0
}

// replyGroupRole is ROLE in a group.
func replyGroupRole(c *engine.Call, g *topology.Group) {
	if !g.Seated {
		host, port := leaderAddress(g)
		replySlave(c, host, int64(port), linkStateIn(g), appliedHere(g))
		return
	}
	replicas := following(g)
	c.Reply.Array(3)
	c.Reply.BulkString("master")
	c.Reply.Int(appliedHere(g))
	c.Reply.Array(len(replicas))
	for _, m := range replicas {
		replyReplica(c, m.Host, int64(m.Port), int64(m.Applied))
	}
}

// waitInGroup is WAIT in a group. No reply leaves before most members have all changes, so it
// blocks only if the client asks for more.
func waitInGroup(c *engine.Call, g *topology.Group, members int, deadline int64) {
	has := g.Confirming()
	if members <= has {
		c.Reply.Int(int64(has))
		return
	}
	blocked := c.Block(deadline, func(s *engine.Session) { s.Reply.Int(int64(has)) })
	if blocked == nil {
		return
	}
	c.World.Topology.Stored(func(n int) bool {
		has = max(has, n)
		if n >= members && !blocked.Ended() {
			blocked.End()
		}
		return blocked.Ended()
	})
}

func linkStateIn(g *topology.Group) string {
	if g.Leader == 0 {
		return linkStates[connecting]
	}
	return linkStates[connected]
}

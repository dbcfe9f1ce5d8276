package group

import (
	"bytes"
	"fmt"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
)

func (g *Group) sections() []engine.Section {
	return []engine.Section{{Name: "Group", Fill: func(_ *engine.World, b *bytes.Buffer) { g.fill(b) }}}
}

func (g *Group) text() string {
	var b bytes.Buffer
	g.fill(&b)
	return b.String()
}

// fill writes INFO group.
func (g *Group) fill(b *bytes.Buffer) {
	if g.log == nil {
		return
	}
	g.refresh()
	s, k := g.log.Status(), g.known
	engine.Fields(b, "group_name", k.Name, "group_id", k.Self, "group_role", g.role(s.State), "group_leader", k.Leader,
		"group_term", s.Term, "group_index", s.Last, "group_committed", s.Committed, "group_applied", s.Applied,
		"group_first", s.First, "group_age_ms", k.Age, "group_commits", s.Latency.Count, "group_commit_p50_usec",
		s.Latency.P50.Microseconds(), "group_commit_p99_usec", s.Latency.P99.Microseconds(),
		"group_commit_max_usec", s.Latency.Max.Microseconds(), "group_members", len(s.Members))
	disk := "ok"
	if s.Disk != nil {
		disk = s.Disk.Error()
	}
	engine.Fields(b, "group_disk", disk, "group_hole", bit(s.Hole), "group_removed", bit(s.Removed),
		"group_connections", s.Connections, "group_incoming_bytes", s.Incoming)
	for _, m := range s.Members {
		vote, client := "yes", g.clients[m.ID]
		if !m.Voter {
			vote = "no"
		}
		engine.Fields(b, fmt.Sprintf("group_member%d", m.ID),
			fmt.Sprintf("address=%s,client=%s,vote=%s,heard_ms=%d,last=%d,lag=%d", m.Address, client, vote,
				g.heard(m), known(m.HasLast, m.Last), known(m.HasLag, m.Lag)))
	}
}

// known returns what is not known as -1.
func known(is bool, n uint64) int64 {
	if !is {
		return -1
	}
	return int64(n)
}

// heard returns how many milliseconds ago this member heard from a member: from itself now, from
// the leader when it called, as the leader when others answered; -1 if it never did or would not.
func (g *Group) heard(m consensus.MemberStatus) int64 {
	switch {
	case m.ID == g.params.id:
		return 0
	case m.Contact.IsZero():
		return -1
	}
	return time.Since(m.Contact).Milliseconds()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// role names what this member does.
func (g *Group) role(state string) string {
	switch {
	case g.leading:
		return "leader"
	case g.own.rebuilds || g.own.isAhead():
		return "rebuilding"
	case state == "leader":
		return "follower" // until it has taken the seat
	}
	return state
}

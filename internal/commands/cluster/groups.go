package cluster

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// The commands of a member of one of several groups, which share the slots. What they change is in
// the group's log, so the leader has to do it.

// groupsOf returns the groups of a cluster of which the world's own is one; false for a world
// without a group.
func groupsOf(w *engine.World) (topology.Shards, bool) {
	if w.Node != nil || w.Topology == nil {
		return nil, false
	}
	groups, ok := w.Topology.(topology.Shards)
	return groups, ok
}

// assign is CLUSTER ADDSLOTS and CLUSTER DELSLOTS for a group.
func assign(c *engine.Call, groups topology.Shards, slots []uint16, take bool) {
	set := new(slot.Set)
	for _, at := range slots {
		if set.Has(at) {
			c.Refusef(errSlotTwice, at)
		}
		set.Add(at)
	}
	if m := c.World.Group().Map; c.OK() {
		for _, at := range slots {
			switch {
			case take && (m == nil || m.Owner(at) != nil):
				c.Refusef(errSlotBusy, at)
			case !take && m != nil && m.Owner(at) == nil:
				c.Refusef(errSlotFree, at)
			}
		}
		if !c.OK() {
			return
		}
		if err := groups.Assign(set, take); err != nil {
			c.Fail(err)
			return
		}
		c.Reply.Status("OK")
	}
}

// importSlots is CLUSTER MIGRATION IMPORT for a group.
func importSlots(c *engine.Call, groups topology.Shards, ranges [][2]int) {
	id, err := groups.Fetch(slot.SetOf(ranges))
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.BulkString(id)
}

// migrateSlots is CLUSTER MIGRATESLOTS for a group: ranges of slots, each with the node that leads
// the group to which they are to go.
func migrateSlots(c *engine.Call, groups topology.Shards) {
	type block struct {
		slots *slot.Set
		to    string
	}
	var blocks []block
	all := new(slot.Set)
	for c.More() {
		if !c.Word("SLOTSRANGE") {
			c.Refuse(engine.ErrSyntax)
		}
		ranges := movedRanges(c)
		b := block{slots: slot.SetOf(ranges)}
		n := 0
		for _, r := range ranges {
			n += r[1] - r[0] + 1
		}
		if !c.Failed() && (n != b.slots.Len() || all.Meets(b.slots)) {
			c.Refuse(errRangesMeet)
		}
		all.AddAll(b.slots)
		b.to = targetGroup(c)
		blocks = append(blocks, b)
	}
	if !c.OK() {
		return
	}
	for _, b := range blocks {
		if _, err := groups.Move(b.slots, b.to); err != nil {
			c.Fail(err)
			return
		}
	}
	c.Reply.Status("OK")
}

// targetGroup reads the ID of a node or of a group, and returns that of the group.
func targetGroup(c *engine.Call) string {
	id, g := string(c.Arg()), c.World.Group()
	switch {
	case c.Failed():
		return ""
	case len(id) != 40:
		c.Refusef(errNodeName, command.CText([]byte(id)))
		return ""
	case g.Map == nil && g.NodeID(g.Self) != id:
		c.Refusef(errNodeUnknown, command.CText([]byte(id)))
		return ""
	case g.Map == nil:
		c.Refuse(errMigrateSelf)
		return ""
	}
	to, _ := g.Map.WithNode(id)
	if to == nil {
		to = g.Map.Shard(id)
	}
	switch {
	case to != nil && to.ID == g.Map.Self || g.Member(g.Self) != nil && g.NodeID(g.Self) == id:
		c.Refuse(errMigrateSelf)
	case to == nil:
		c.Refusef(errNodeUnknown, command.CText([]byte(id)))
	default:
		return to.ID
	}
	return ""
}

// leaderNode returns the ID of the node that leads a group, or of the group if that is unknown.
func leaderNode(g *topology.Group, id string) string {
	of := g
	if id != g.Shard {
		s := g.Map.Shard(id)
		if s == nil {
			return id
		}
		of = s.Group()
	}
	if m := of.LastLeader(); m != nil {
		return of.NodeID(m.ID)
	}
	return id
}

// rangesText returns ranges of slots as texts.
func rangesText(ranges [][2]int, between string) string {
	var words []string
	for _, r := range ranges {
		words = append(words, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(words, between)
}

// replyMoves replies with moves as Valkey's CLUSTER GETSLOTMIGRATIONS does, the last one first.
func replyMoves(c *engine.Call, groups topology.Shards) {
	list, g, w := groups.Moves(), c.World.Group(), c.Reply
	w.Array(len(list))
	for i := len(list) - 1; i >= 0; i-- {
		m := &list[i]
		operation := "IMPORT"
		if m.Out {
			operation = "EXPORT"
		}
		state := map[string]string{"done": "success", "failed": "failed", "cancelled": "cancelled"}[m.State]
		if state == "" {
			state = m.State
		}
		w.Map(10)
		for _, word := range []string{"name", m.ID, "operation", operation,
			"slot_ranges", rangesText(m.Slots, " "), "target_node", leaderNode(g, m.To),
			"source_node", leaderNode(g, m.From)} {
			w.BulkString(word)
		}
		for _, at := range []struct {
			name string
			ms   int64
		}{{"create_time", m.Began}, {"last_update_time", m.Changed}, {"last_ack_time", m.Changed}} {
			w.BulkString(at.name)
			w.Int(at.ms / 1000)
		}
		w.BulkString("state")
		w.BulkString(state)
		w.BulkString("message")
		w.BulkString(m.Message)
	}
}

// replyTasks replies with moves as Redis' CLUSTER MIGRATION STATUS does: all, or one.
func replyTasks(c *engine.Call, groups topology.Shards, id string) {
	var list []topology.MoveStatus
	for _, m := range groups.Moves() {
		if id == "" || m.ID == id {
			list = append(list, m)
		}
	}
	g, w := c.World.Group(), c.Reply
	w.Array(len(list))
	for _, m := range list {
		operation := "import"
		if m.Out {
			operation = "migrate"
		}
		state := map[string]string{"done": "completed", "cancelled": "canceled"}[m.State]
		if state == "" {
			state = m.State
		}
		w.Map(12)
		for _, word := range []string{"id", m.ID, "slots", rangesText(m.Slots, " "), "source", leaderNode(g, m.From),
			"dest", leaderNode(g, m.To), "operation", operation, "state", state, "last_error", m.Message} {
			w.BulkString(word)
		}
		for _, n := range []struct {
			name  string
			value int64
		}{{"retries", 0}, {"create_time", m.Began}, {"start_time", m.Began}, {"end_time", m.Ended},
			{"write_pause_ms", m.Pause / 1000}} {
			w.BulkString(n.name)
			w.Int(n.value)
		}
	}
}

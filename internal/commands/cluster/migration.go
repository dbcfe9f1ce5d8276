package cluster

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// Slots that move between nodes while clients use them, in one step: CLUSTER MIGRATION in Redis,
// CLUSTER MIGRATESLOTS in Valkey. The node has all slots and keeps them, so that nothing moves: the
// commands reply what a node of theirs in its place does.

// CLUSTER MIGRATION <IMPORT start-slot end-slot [start-slot end-slot ...] | CANCEL <ID task-id |
// ALL> | STATUS <ID task-id | ALL>>
func cmdClusterMigration(c *engine.Call) {
	groups, among := groupsOf(c.World)
	switch {
	case c.Word("IMPORT"):
		if c.Left()%2 != 0 {
			c.Refusef(command.ErrArity, c.Cmd.FullName())
		}
		ranges := distinctRanges(c)
		switch {
		case !c.OK():
		case among && c.World.Group().Map != nil:
			importSlots(c, groups, ranges)
		default:
			c.Fail(errRangeOwned)
		}
	case c.Word("CANCEL"):
		switch id := parseTask(c); {
		case !c.OK():
		case among:
			c.Reply.Int(int64(groups.Cancel(id)))
		default:
			c.Reply.Int(0)
		}
	case c.Word("STATUS"):
		switch id := parseTask(c); {
		case !c.OK():
		case among:
			replyTasks(c, groups, id)
		default:
			c.Reply.Array(0)
		}
	default:
		c.Fail(errArgument)
	}
}

// parseTask reads ID task-id or ALL, which is "".
func parseTask(c *engine.Call) (id string) {
	left := 1 // after the word
	switch {
	case c.Word("ID"):
	case c.Word("ALL"):
		left = 0
	default:
		c.Refuse(errArgument)
	}
	if c.Left() != left {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	} else if left == 1 {
		id = string(c.Arg())
	}
	return id
}

// distinctRanges reads ranges of slots, none of which may be in two of them.
func distinctRanges(c *engine.Call) (ranges [][2]int) {
	var seen [slot.Count]bool
	for c.More() {
		from, to := slotRange(c, errSlotOrder)
		ranges = append(ranges, [2]int{from, to})
		for i := from; i <= to && !c.Failed(); i++ {
			if seen[i] {
				c.Refusef(errSlotTwice, i)
			}
			seen[i] = true
		}
	}
	return ranges
}

// CLUSTER SYNCSLOTS subcommand [argument ...]. Nodes send it on connections of their own; in Redis
// that of a client is closed.
func cmdClusterSyncSlots(c *engine.Call) {
	if c.Engine.Release.Product == "valkey" {
		c.Fail(engine.ErrSyntax)
		return
	}
	c.Fail(errInternal)
	c.Session.CloseAfterReply()
}

// TRIMSLOTS RANGES numranges startslot endslot [startslot endslot ...]. It would remove the keys
// of slots that have moved away.
func cmdTrimSlots(c *engine.Call) {
	if !c.Word("RANGES") {
		c.Refuse(errNoRanges)
	}
	if n := c.Int(); n < 1 || n > int64(c.Left()) || 2*n != int64(c.Left()) {
		c.Refuse(errRangeCount)
	}
	if ranges := distinctRanges(c); c.OK() {
		c.Fail(command.Errorf(errSlotServed, ranges[0][0]))
	}
}

// CLUSTER MIGRATESLOTS <SLOTSRANGE start-slot end-slot [start-slot end-slot ...] NODE node-id>
// [SLOTSRANGE ... NODE node-id ...]
func cmdClusterMigrateSlots(c *engine.Call) {
	if groups, among := groupsOf(c.World); among {
		migrateSlots(c, groups)
		return
	}
	for c.More() {
		if !c.Word("SLOTSRANGE") {
			c.Refuse(engine.ErrSyntax)
		}
		movedRanges(c)
		target(c)
	}
	if c.OK() {
		c.Fail(errMigrateSelf)
	}
}

// movedRanges reads ranges of slots up to the word NODE.
func movedRanges(c *engine.Call) (ranges [][2]int) {
	if c.Word("NODE") {
		c.Refuse(errNoSlotRange)
	}
	for !c.Failed() && !c.Word("NODE") {
		if c.Left() < 2 {
			c.Refuse(engine.ErrSyntax)
		}
		from, to := slotRange(c, errMigrateOrder)
		ranges = append(ranges, [2]int{from, to})
	}
	return ranges
}

// target reads the node to which slots are to move. There is no other one.
func target(c *engine.Call) {
	id := c.Arg()
	own, _ := clusterID(c.World)
	switch {
	case c.Failed():
	case len(id) != len(own):
		c.Refusef(errNodeName, command.CText(id))
	case string(id) != own:
		c.Refusef(errNodeUnknown, command.CText(id))
	}
}

// CLUSTER CANCELSLOTMIGRATIONS
func cmdClusterCancelMigrations(c *engine.Call) {
	if groups, among := groupsOf(c.World); among && groups.Cancel("") > 0 {
		c.Reply.Status("OK")
		return
	}
	c.Fail(errNoMigrations)
}

// CLUSTER GETSLOTMIGRATIONS
func cmdClusterGetMigrations(c *engine.Call) {
	if groups, among := groupsOf(c.World); among {
		replyMoves(c, groups)
		return
	}
	c.Reply.Array(0)
}

// CLUSTER FLUSHSLOT slot [ASYNC | SYNC]. It removes the keys of the slot from all databases.
func cmdClusterFlushSlot(c *engine.Call) {
	n := readSlot(c)
	if c.More() && !c.Word("ASYNC") && !c.Word("SYNC") {
		c.Refuse(engine.ErrSyntax)
	}
	c.NoMore()
	if !c.OK() {
		return
	}
	selected := c.DB
	for _, c.DB = range databases(c.World) {
		for _, key := range keysOf(c.DB, uint16(n)) {
			if c.DB.Delete(key) {
				c.Changed(key, event.Del)
				c.Propagate([]byte("DEL"), key)
			}
		}
	}
	c.DB = selected
	c.PropagateNothing()
	c.Reply.Status("OK")
}

// keysOf returns the keys of a slot.
func keysOf(db *keyspace.DB, of uint16) (keys [][]byte) {
	db.Keys().Each(func(key string, _ keyspace.Type) bool {
		if slot.Of([]byte(key)) == of {
			keys = append(keys, []byte(key))
		}
		return true
	})
	return keys
}

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
	switch {
	case c.Word("IMPORT"):
		if c.Left()%2 != 0 {
			c.Refusef(command.ErrArity, c.Cmd.FullName())
		}
		if distinctRanges(c); c.OK() {
			c.Fail(errRangeOwned)
		}
	case c.Word("CANCEL"):
		if parseTask(c); c.OK() {
			c.Reply.Int(0)
		}
	case c.Word("STATUS"):
		if parseTask(c); c.OK() {
			c.Reply.Array(0)
		}
	default:
		c.Fail(errArgument)
	}
}

// parseTask reads ID task-id or ALL.
func parseTask(c *engine.Call) {
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
	}
}

// distinctRanges reads ranges of slots, none of which may be in two of them, and returns the first
// slot.
func distinctRanges(c *engine.Call) (first int) {
	var seen [slot.Count]bool
	for n := 0; c.More(); n++ {
		from, to := slotRange(c, errSlotOrder)
		if n == 0 {
			first = from
		}
		for i := from; i <= to && !c.Failed(); i++ {
			if seen[i] {
				c.Refusef(errSlotTwice, i)
			}
			seen[i] = true
		}
	}
	return first
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
	if first := distinctRanges(c); c.OK() {
		c.Fail(command.Errorf(errSlotServed, first))
	}
}

// CLUSTER MIGRATESLOTS <SLOTSRANGE start-slot end-slot [start-slot end-slot ...] NODE node-id>
// [SLOTSRANGE ... NODE node-id ...]
func cmdClusterMigrateSlots(c *engine.Call) {
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
func movedRanges(c *engine.Call) {
	if c.Word("NODE") {
		c.Refuse(errNoSlotRange)
	}
	for !c.Failed() && !c.Word("NODE") {
		if c.Left() < 2 {
			c.Refuse(engine.ErrSyntax)
		}
		slotRange(c, errMigrateOrder)
	}
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
func cmdClusterCancelMigrations(c *engine.Call) { c.Fail(errNoMigrations) }

// CLUSTER GETSLOTMIGRATIONS
func cmdClusterGetMigrations(c *engine.Call) { c.Reply.Array(0) }

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

package cluster

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// Slots that move between nodes while clients use them, in one step. The node has all slots and
// keeps them, so that nothing moves: the commands reply what a node of Redis in its place does.

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

// CLUSTER SYNCSLOTS subcommand [argument ...]. Nodes send it on connections of their own; that of a
// client is closed.
func cmdClusterSyncSlots(c *engine.Call) {
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

package engine

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands about hash slots. The keys of a slot are found by going through all keys: nothing is kept for each slot, which would cost every
// command something.

// slotsAlone is CLUSTER KEYSLOT in a server that is no node of a cluster.
var slotsAlone = release.From("valkey:9.1.0")

// statsOrder is when the error of CLUSTER SLOT-STATS for slots in no order changed.
var statsOrder = release.From("8.6.0")

// CLUSTER KEYSLOT key
func cmdClusterKeySlot(c *Call) {
	if !c.Engine.cluster.enabled && !c.Engine.Release.Offers(slotsAlone) {
		c.Fail(ErrNoCluster)
		return
	}
	c.Reply.Int(int64(KeySlot(c.Arg())))
}

// CLUSTER COUNTKEYSINSLOT slot
func cmdClusterCountKeys(c *Call) {
	slot := c.Int()
	if !c.Failed() && (slot < 0 || slot >= slots) {
		c.Refuse(ErrSlot)
	}
	if c.OK() {
		c.Reply.Int(int64(c.World.countSlots()[slot]))
	}
}

// countSlots returns how many keys each slot has.
func (w *World) countSlots() *[slots]int {
	n := new([slots]int)
	w.Keyspace.DB(0).Each(func(key string, _ keyspace.Type) bool {
		n[KeySlot([]byte(key))]++
		return true
	})
	return n
}

// CLUSTER GETKEYSINSLOT slot count
func cmdClusterGetKeys(c *Call) {
	slot, count := c.Int(), c.Int()
	if !c.Failed() && (slot < 0 || slot >= slots || count < 0) {
		c.Refuse(ErrSlotCount)
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	c.DB.Each(func(key string, _ keyspace.Type) bool {
		if int64(n) < count && KeySlot([]byte(key)) == uint16(slot) {
			c.Reply.BulkString(key)
			n++
		}
		return int64(n) < count
	})
	c.Reply.SetArray(at, n)
}

// slot reads a hash slot. Anything else latches an error.
func (c *Call) slot() int {
	n, ok := resp.ParseInt(c.Arg())
	if !ok || n < 0 || n >= slots {
		c.Refuse(ErrSlotRange)
		return 0
	}
	return int(n)
}

// slotRange reads the first and the last of some slots. The error says that they are in no order.
func (c *Call) slotRange(disorder string) (from, to int) {
	from, to = c.slot(), c.slot()
	if c.err == nil && from > to {
		c.Refusef(disorder, from, to)
	}
	return from, to
}

// CLUSTER ADDSLOTS slot [slot ...]. The node has them all.
func cmdClusterAddSlots(c *Call) {
	first := c.slot()
	for c.More() {
		c.slot()
	}
	if c.OK() {
		c.Fail(command.Errorf(ErrSlotBusy, first))
	}
}

// CLUSTER ADDSLOTSRANGE start-slot end-slot [start-slot end-slot ...]
func cmdClusterAddSlotsRange(c *Call) {
	if first := c.slotRanges(); c.OK() {
		c.Fail(command.Errorf(ErrSlotBusy, first))
	}
}

// slotRanges reads all ranges, and returns the first slot.
func (c *Call) slotRanges() (first int) {
	if c.Left()%2 != 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return 0
	}
	first, _ = c.slotRange(ErrSlotOrder)
	for c.More() {
		c.slotRange(ErrSlotOrder)
	}
	return first
}

// CLUSTER DELSLOTS slot [slot ...]. The node keeps them.
func cmdClusterDelSlots(c *Call) {
	for c.More() {
		c.slot()
	}
	if c.OK() {
		c.keepSlots()
	}
}

// CLUSTER DELSLOTSRANGE start-slot end-slot [start-slot end-slot ...]
func cmdClusterDelSlotsRange(c *Call) {
	if c.slotRanges(); c.OK() {
		c.keepSlots()
	}
}

// keepSlots refuses to take slots from the node: the only one of its cluster, or the one that leads its group.
func (c *Call) keepSlots() {
	if c.Engine.topology != nil {
		c.Refuse(ErrGroupNodes)
	}
	c.Fail(ErrKeepsSlots)
}

// CLUSTER FLUSHSLOTS
func cmdClusterFlushSlots(c *Call) {
	if c.DB.Len() > 0 {
		c.Refuse(ErrFlushSlots)
	}
	if c.OK() {
		c.keepSlots()
	}
}

// CLUSTER SETSLOT slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>. No other node can have the slot, so what is allowed changes
// nothing.
func cmdClusterSetSlot(c *Call) {
	slot := c.slot()
	switch known := func() bool { return string(c.Arg()) == c.Engine.cluster.id }; {
	case c.Failed():
	case c.Engine.topology != nil:
		c.Refuse(ErrGroupNodes)
	case c.Left() == 1 && c.Word("STABLE"):
	case c.Left() == 2 && c.Word("MIGRATING"):
		if !known() {
			c.Refusef(ErrNoSuchNode, c.Args[4])
		}
	case c.Left() == 2 && c.Word("IMPORTING"):
		c.Refusef(ErrSlotOwned, slot)
	case c.Left() == 2 && c.Word("NODE"):
		c.knownNode()
	default:
		c.Refuse(ErrSetSlot)
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// CLUSTER SLOT-STATS <SLOTSRANGE start-slot end-slot | ORDERBY key-count [LIMIT limit] [ASC | DESC]>
//
// Replies: an array of the slots, each with a map of its figures.
func cmdClusterSlotStats(c *Call) {
	var list []int
	counts := c.World.countSlots()
	switch {
	case c.Left() == 3 && c.Word("SLOTSRANGE"):
		disorder := ErrSlotOrder
		if c.Has(statsOrder) {
			disorder = ErrStatsOrder
		}
		from, to := c.slotRange(disorder)
		for slot := from; slot <= to; slot++ {
			list = append(list, slot)
		}
	case c.Left() >= 2 && c.Word("ORDERBY"):
		list = c.orderedSlots(counts)
	default:
		c.Refuse(c.SubSyntaxError())
	}
	if !c.OK() {
		return
	}
	c.Reply.Array(len(list))
	for _, slot := range list {
		c.Reply.Array(2)
		c.Reply.Int(int64(slot))
		c.Reply.Map(1)
		c.Reply.BulkString("key-count")
		c.Reply.Int(int64(counts[slot]))
	}
}

// orderedSlots reads what ORDERBY orders by, and returns the slots, those with the most keys first.
func (c *Call) orderedSlots(counts *[slots]int) []int {
	if !bytes.EqualFold(c.Arg(), []byte("key-count")) {
		c.Refuse(ErrSlotMetric)
		return nil
	}
	limit, up, limited, ordered := int64(slots), false, false, false
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("LIMIT"):
			if limit = c.Int(); !c.Failed() && (limit < 1 || limit > slots) {
				c.Refuse(ErrSlotLimit)
			}
			c.refuseTwice(&limited)
		case c.Word("ASC"):
			up = true
			c.refuseTwice(&ordered)
		case c.Word("DESC"):
			c.refuseTwice(&ordered)
		default:
			c.Refuse(ErrSyntax)
		}
	}
	list := make([]int, slots)
	for slot := range list {
		list[slot] = slot
	}
	slices.SortStableFunc(list, func(a, b int) int {
		if up {
			a, b = b, a
		}
		return cmp.Compare(counts[b], counts[a])
	})
	return list[:max(0, min(limit, slots))]
}

// refuseTwice latches an error if an option was seen before.
func (c *Call) refuseTwice(seen *bool) {
	if *seen {
		c.Refuse(ErrFilterTwice)
	}
	*seen = true
}

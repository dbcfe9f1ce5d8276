package cluster

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands about hash slots. The keys of a slot are found by going through all keys: nothing is
// kept for each slot, which would cost every command something.

// slotsAlone is CLUSTER KEYSLOT in a server that is no node of a cluster.
var slotsAlone = release.From("valkey:9.1.0")

// statsOrder is when the error of CLUSTER SLOT-STATS for slots in no order changed.
var statsOrder = release.From("8.6.0")

// CLUSTER KEYSLOT key
func cmdClusterKeySlot(c *engine.Call) {
	if !isNode(c.Engine) && !c.Engine.Release.Offers(slotsAlone) {
		c.Fail(errNoCluster)
		return
	}
	c.Reply.Int(int64(slot.Of(c.Arg())))
}

// CLUSTER COUNTKEYSINSLOT slot
func cmdClusterCountKeys(c *engine.Call) {
	n := c.Int()
	if !c.Failed() && (n < 0 || n >= slot.Count) {
		c.Refuse(errSlot)
	}
	if c.OK() {
		c.Reply.Int(int64(countSlots(c.DB)[n]))
	}
}

// countSlots returns how many keys each slot has in the databases together.
func countSlots(dbs ...*keyspace.DB) *[slot.Count]int {
	n := new([slot.Count]int)
	for _, db := range dbs {
		db.Keys().Each(func(key string, _ keyspace.Type) bool {
			n[slot.Of([]byte(key))]++
			return true
		})
	}
	return n
}

// databases returns all databases of a world.
func databases(w *engine.World) (all []*keyspace.DB) {
	for i := range w.Keyspace.Len() {
		all = append(all, w.Keyspace.DB(i))
	}
	return all
}

// CLUSTER GETKEYSINSLOT slot count
func cmdClusterGetKeys(c *engine.Call) {
	of, count := c.Int(), c.Int()
	if !c.Failed() && (of < 0 || of >= slot.Count || count < 0) {
		c.Refuse(errSlotCount)
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	c.DB.Keys().Each(func(key string, _ keyspace.Type) bool {
		if int64(n) < count && slot.Of([]byte(key)) == uint16(of) {
			c.Reply.BulkString(key)
			n++
		}
		return int64(n) < count
	})
	c.Reply.SetArray(at, n)
}

// readSlot reads a hash slot. Anything else latches an error.
func readSlot(c *engine.Call) int {
	n, ok := resp.ParseInt(c.Arg())
	if !ok || n < 0 || n >= slot.Count {
		c.Refuse(errSlotRange)
		return 0
	}
	return int(n)
}

// slotRange reads the first and the last of some slots. The error says that they are in no order.
func slotRange(c *engine.Call, disorder string) (from, to int) {
	from, to = readSlot(c), readSlot(c)
	if !c.Failed() && from > to {
		c.Refusef(disorder, from, to)
	}
	return from, to
}

// CLUSTER ADDSLOTS slot [slot ...]. The node has them all.
func cmdClusterAddSlots(c *engine.Call) {
	slots := readSlots(c)
	takeSlots(c, slots)
}

// CLUSTER ADDSLOTSRANGE start-slot end-slot [start-slot end-slot ...]
func cmdClusterAddSlotsRange(c *engine.Call) {
	slots := readRanges(c)
	takeSlots(c, slots)
}

// takeSlots makes the node, or the group, the owner of slots.
func takeSlots(c *engine.Call, slots []uint16) {
	groups, among := groupsOf(c.World)
	switch {
	case !c.OK():
	case c.World.Node != nil:
		assignSlots(c, c.World.Node, slots)
	case among:
		assign(c, groups, slots, true)
	default:
		c.Fail(command.Errorf(errSlotBusy, slots[0]))
	}
}

// CLUSTER DELSLOTS slot [slot ...]. The node keeps them.
func cmdClusterDelSlots(c *engine.Call) {
	loseSlots(c, readSlots(c))
}

// CLUSTER DELSLOTSRANGE start-slot end-slot [start-slot end-slot ...]
func cmdClusterDelSlotsRange(c *engine.Call) {
	loseSlots(c, readRanges(c))
}

// loseSlots takes slots from the nodes that serve them.
func loseSlots(c *engine.Call, slots []uint16) {
	switch {
	case !c.OK():
	case c.World.Node != nil:
		assignSlots(c, nil, slots)
	case c.World.Group() != nil && c.World.Group().Map != nil:
		groups, _ := groupsOf(c.World)
		assign(c, groups, slots, false)
	default:
		keepSlots(c)
	}
}

// keepSlots refuses to take slots from the node: the only one of its cluster, or the one that leads
// its group.
func keepSlots(c *engine.Call) {
	if c.Engine.Group() != nil {
		c.Refuse(errGroupNodes)
	}
	c.Fail(errKeepsSlots)
}

// CLUSTER FLUSHSLOTS
func cmdClusterFlushSlots(c *engine.Call) {
	if c.DB.Len() > 0 {
		c.Refuse(errFlushSlots)
	}
	if !c.OK() {
		return
	}
	if n := c.World.Node; n != nil {
		var own []uint16
		for _, r := range n.View.Slots(n) {
			for at := r[0]; at <= r[1]; at++ {
				own = append(own, uint16(at))
			}
		}
		assignSlots(c, nil, own)
		return
	}
	keepSlots(c)
}

// CLUSTER SETSLOT slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>. No other
// node can have the slot of a server alone, so what is allowed there changes nothing.
func cmdClusterSetSlot(c *engine.Call) {
	if c.World.Node != nil {
		setSlot(c)
		return
	}
	n := readSlot(c)
	switch known := func() bool { return string(c.Arg()) == identityOf(c.Engine).id }; {
	case c.Failed():
	case c.Engine.Group() != nil:
		c.Refuse(errGroupNodes)
	case c.Left() == 1 && c.Word("STABLE"):
	case c.Left() == 2 && c.Word("MIGRATING"):
		if !known() {
			c.Refusef(errNoSuchNode, c.Args[4])
		}
	case c.Left() == 2 && c.Word("IMPORTING"):
		c.Refusef(errSlotOwned, n)
	case c.Left() == 2 && c.Word("NODE"):
		knownNode(c)
	default:
		c.Refuse(errSetSlot)
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// CLUSTER SLOT-STATS <SLOTSRANGE start-slot end-slot | ORDERBY key-count [LIMIT limit] [ASC |
// DESC]>
//
// Replies: an array of the slots, each with a map of its figures.
func cmdClusterSlotStats(c *engine.Call) {
	var list []int
	counts := countSlots(databases(c.World)...)
	switch {
	case c.Left() == 3 && c.Word("SLOTSRANGE"):
		disorder := errSlotOrder
		if c.Has(statsOrder) {
			disorder = errStatsOrder
		}
		from, to := slotRange(c, disorder)
		for n := from; n <= to; n++ {
			list = append(list, n)
		}
	case c.Left() >= 2 && c.Word("ORDERBY"):
		list = orderedSlots(c, counts)
	default:
		c.Refuse(c.SubSyntaxError())
	}
	if !c.OK() {
		return
	}
	c.Reply.Array(len(list))
	for _, n := range list {
		c.Reply.Array(2)
		c.Reply.Int(int64(n))
		c.Reply.Map(1)
		c.Reply.BulkString("key-count")
		c.Reply.Int(int64(counts[n]))
	}
}

// orderedSlots reads what ORDERBY orders by, and returns the slots, those with the most keys first.
func orderedSlots(c *engine.Call, counts *[slot.Count]int) []int {
	if !bytes.EqualFold(c.Arg(), []byte("key-count")) {
		c.Refuse(errSlotMetric)
		return nil
	}
	limit, up, limited, ordered := int64(slot.Count), false, false, false
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("LIMIT"):
			if limit = c.Int(); !c.Failed() && (limit < 1 || limit > slot.Count) {
				c.Refuse(errSlotLimit)
			}
			refuseTwice(c, &limited)
		case c.Word("ASC"):
			up = true
			refuseTwice(c, &ordered)
		case c.Word("DESC"):
			refuseTwice(c, &ordered)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	list := make([]int, slot.Count)
	for n := range list {
		list[n] = n
	}
	slices.SortStableFunc(list, func(a, b int) int {
		if up {
			a, b = b, a
		}
		return cmp.Compare(counts[b], counts[a])
	})
	return list[:max(0, min(limit, slot.Count))]
}

// refuseTwice latches an error if an option was seen before.
func refuseTwice(c *engine.Call, seen *bool) {
	if *seen {
		c.Refuse(errFilterTwice)
	}
	*seen = true
}

package keys

import (
	"bytes"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// CLUSTERSCAN goes through the keys of a cluster, node by node. Its cursor leads a client to the
// node that goes on, as it has a key's tag in braces:
//
//	0-{tag}-cursor
//
// The tag lies in the slot at which the node goes on. Valkey goes through its slots in order; here,
// where the node has all slots, the rest of the cursor is that of SCAN, and the slot is the first
// one or that of the option SLOT.

// clusterScanLine is the line of CLUSTERSCAN, which Valkey counts among the commands of clusters.
func clusterScanLine() command.Line {
	return command.Line{Name: "clusterscan", Arity: -2, Flags: command.ReadOnly | command.AnyKeys,
		Keys: command.Key(1, "not_key"), Run: cmdClusterScan, Reply: "array", Since: "valkey:9.1.0", ACL: "keyspace",
		Syntax:     "cursor:string [MATCH match-pattern:pattern] [COUNT count] [TYPE type] [SLOT slot]",
		Summary:    "Iterates over the key names in a cluster.",
		Tips:       "nondeterministic_output request_policy:special response_policy:special",
		Complexity: "O(1) for each call, O(N) for a complete iteration, N being the number of keys"}
}

// ClusterScan is CLUSTERSCAN.
var ClusterScan = command.Family{Group: "cluster", Commands: []command.Line{clusterScanLine()}}

// clusterCursor is where CLUSTERSCAN goes on.
type clusterCursor struct {
	begun bool   // else it is the cursor 0
	tag   []byte // with its braces
	at    uint64 // of SCAN
}

// CLUSTERSCAN cursor [MATCH pattern] [COUNT count] [TYPE type] [SLOT slot]
func cmdClusterScan(c *engine.Call) {
	if !c.Engine.Config.Cluster {
		c.Fail(errNoCluster)
		return
	}
	cursor := parseClusterCursor(c)
	o, only := parseClusterScan(c)
	if !c.Failed() && cursor.begun && only >= 0 && int(slot.Of(cursor.tag)) != only {
		c.Refuse(errCursorSlot)
	}
	switch {
	case !c.OK():
	case cursor.begun:
		replyClusterScan(c, cursor, &o, only)
	default: // as in Valkey, which sends the client to the node that has the slot
		c.Reply.Array(2)
		c.Reply.Bulk(appendClusterCursor(c.Scratch(), tagOf(uint16(max(only, 0))), 0))
		c.Reply.Array(0)
	}
}

// parseClusterCursor reads 0 or fingerprint-{tag}-cursor.
func parseClusterCursor(c *engine.Call) (cursor clusterCursor) {
	text := c.Arg()
	if string(text) == "0" {
		return cursor
	}
	parts := bytes.Split(text, []byte("-"))
	if len(parts) != 3 {
		c.Refuse(errCursor)
		return cursor
	}
	at, err := strconv.ParseUint(string(parts[2]), 10, 64)
	if err != nil {
		c.Refuse(errCursor)
	}
	if string(parts[0]) != "0" { // another node's: from the beginning
		at = 0
	}
	return clusterCursor{begun: true, tag: parts[1], at: at}
}

// parseClusterScan reads the options. The slot is -1 for all.
func parseClusterScan(c *engine.Call) (o keyScan, only int) {
	o, only = keyScan{Scan: elements.NewScan()}, -1
	for c.More() {
		switch {
		case o.parseOption(c):
		case c.Left() > 1 && c.Word("SLOT"):
			if only >= 0 {
				c.Refuse(errSlotTwice)
			}
			only = int(c.IntIn(0, slot.Count-1, errSlotRange))
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return o, only
}

func replyClusterScan(c *engine.Call, cursor clusterCursor, o *keyScan, only int) {
	match := func(key string, t keyspace.Type) bool {
		return o.hasType(t) && elements.Matches(&o.Scan, key) && (only < 0 || int(slot.Of([]byte(key))) == only)
	}
	at, n := c.Reply.Defer(), 0
	next := c.DB.Keys().Scan(cursor.at, o.Count, match, func(key string, _ keyspace.Type) {
		c.Reply.BulkString(key)
		n++
	})
	c.Reply.SetArray(at, n)
	text := []byte("0")
	if next != 0 {
		text = appendClusterCursor(c.Scratch(), cursor.tag, next)
	}
	elements.ReplyCursorText(c, at, text)
}

func appendClusterCursor(b, tag []byte, at uint64) []byte {
	b = append(append(append(b, "0-"...), tag...), '-')
	return strconv.AppendUint(b, at, 10)
}

// tagOf returns a short text in braces that lies in a slot. O(number of slots), as it tries one
// after the other.
func tagOf(of uint16) (tag []byte) {
	for n := uint64(0); ; n++ {
		if tag = append(strconv.AppendUint([]byte("{"), n, 36), '}'); slot.Of(tag) == of {
			return tag
		}
	}
}

package payload

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/commands/encodings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// DEBUG OBJECT key [fast]
//
// Nothing here has an address or is shared, so these two are always the same.
func cmdDebugObject(c *engine.Call) {
	key := c.Arg()
	v, ok := c.PeekValue(key)
	if !ok {
		return
	}
	encoding := encodings.At(c, key, v)
	idle := c.DB.Marks().Idle(key)
	clock := (c.Now()/1000 - idle) & maxClock
	text := fmt.Sprintf("Value at:0x0 refcount:1 encoding:%s", encoding)
	fast := c.More() && c.Word("FAST")
	if !fast {
		text += fmt.Sprintf(" serializedlength:%d", serializedLength(c, v))
	}
	text += fmt.Sprintf(" lru:%d lru_seconds_idle:%d", clock, idle)
	if c.Has(showsFrequency) && !c.Has(hidesFrequency) {
		text += fmt.Sprintf(" lfu_freq:%d lfu_access_time_minutes:%d", max(c.DB.Marks().Frequency(key), 0), clock>>8)
	}
	if l, ok := v.(*list.List); ok && encoding == "quicklist" && !fast {
		text += chain(c, l)
	}
	c.Reply.Status(text)
}

// maxClock is the last second of the clock with which Redis notes accesses, before it begins again.
const maxClock = 1<<24 - 1

var showsFrequency, hidesFrequency = release.From("valkey:8.1.0"), release.From("valkey:9.1.0")

// serializedLength returns how many bytes a value takes in a snapshot.
func serializedLength(c *engine.Call, v keyspace.Value) int {
	const around = 1 + 2 + 8 // the type, the version and the checksum
	encoder := rdb.Encoder{Compress: true, Format: Format(c.Engine)}
	size := len(encoder.Payload(nil, v)) - around
	if h, ok := v.(*hash.Hash); ok && !encoder.Format.Valkey &&
		(h.Volatile() > 0 || h.Encoding() == "listpackex" && encoder.Format.Listpacks) {
		size -= 8 // Redis does not count the earliest deadline
	}
	return size
}

// chain returns what DEBUG OBJECT tells of a quicklist. A list that is packed here is a quicklist
// of one node in older releases.
func chain(c *engine.Call, l *list.List) string {
	nodes, bytes := l.NodeCount(), 0
	l.EachNode(func(data []byte, _ bool) { bytes += len(data) })
	limit := "ql_listpack_max"
	if !c.Has(namesListpacks) {
		limit = "ql_ziplist_max"
	}
	return fmt.Sprintf(" ql_nodes:%d ql_avg_node:%.2f %s:%d ql_compressed:0 ql_uncompressed_size:%d",
		nodes, float64(l.Len())/float64(nodes), limit, c.Engine.Config.List.Node, bytes)
}

var namesListpacks = release.From("7.0.0")

package explain

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/commands/encodings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// debugLines returns the subcommands of DEBUG that show how values are stored.
func debugLines() []engine.DebugLine {
	return []engine.DebugLine{
		{Name: "htstats", Least: 1, Most: 2, Args: "<dbid> [full]", About: "Show the sizes of a database's tables.",
			Run: cmdDebugTables},
		{Name: "htstats-key", Least: 1, Most: 2, Args: "<key> [full]", About: "Show the size of a value's table.",
			Run: cmdDebugTable},
		{Name: "listpack", Least: 1, Most: 1, Args: "<key>", About: "Show the entries of a packed value.",
			Run: debugPacked("listpack"), Since: "7.0.0"},
		{Name: "quicklist", Least: 1, Most: 2, Args: "<key> [<0|1>]", About: "Log the nodes of a list.",
			Run: cmdDebugQuicklist, Since: "7.0.0"},
		{Name: "sdslen", Least: 1, Most: 1, Args: "<key>", About: "Show the lengths of a key and its string.",
			Run: engine.AsStored(cmdDebugTexts)},
		{Name: "ziplist", Least: 1, Most: 1, Args: "<key>", About: "Show the entries of a packed value.",
			Run: debugPacked("ziplist"), Until: "7.0.0"},
	}
}

// DEBUG ZIPLIST | LISTPACK key
//
// Redis prints the entries to the server's standard output. Here they go to the log, and where
// small collections have the name ziplist only here they are the reply.
func debugPacked(kind string) engine.Handler {
	return func(c *engine.Call) {
		v, ok := c.PeekValue(c.Arg())
		if !ok {
			return
		}
		zl, ok := ziplistOf(v)
		own := encodings.NamesZiplists(c.Engine)
		switch {
		case !ok || !own && strings.TrimSuffix(encodings.Of(c.Engine, v), "ex") != kind:
			c.Fail(command.Errorf(errNotEncoded, kind))
		case own:
			replyReport(c, elements.ExplainZiplist(zl, zl.Len()))
		default:
			replyPrinted(c, kind, elements.ExplainZiplist(zl, zl.Len()))
		}
	}
}

// ziplistOf returns the ziplist of a value. ok is false if the value has another encoding.
func ziplistOf(v keyspace.Value) (zl ziplist.List, ok bool) {
	if packed, can := v.(interface{ Ziplist() (ziplist.List, bool) }); can {
		return packed.Ziplist()
	}
	return nil, false
}

// DEBUG QUICKLIST key [0 | 1]
func cmdDebugQuicklist(c *engine.Call) {
	v, ok := c.PeekValue(c.Arg())
	if !ok {
		return
	}
	if encodings.Of(c.Engine, v) != "quicklist" {
		c.Fail(command.Errorf(errNotEncoded, "quicklist"))
		return
	}
	replyPrinted(c, "quicklist", valueReport(c, v, v.Len()))
}

// replyPrinted writes a report to the log, and replies what Redis does when it has printed one.
func replyPrinted(c *engine.Call, kind string, r report) {
	for _, line := range linesOf(r, "") {
		c.Engine.Log('*', "%s", line)
	}
	c.Reply.Status(strings.ToUpper(kind[:1]) + kind[1:] + " structure printed on stdout")
}

// DEBUG SDSLEN key
func cmdDebugTexts(c *engine.Call) {
	key := c.Arg()
	v, ok := c.PeekValue(key)
	if !ok {
		return
	}
	text, ok := v.(*str.Value)
	if !ok || text.Enc() == str.Int {
		c.Fail(errNoText)
		return
	}
	format := "key_sds_len:%d, key_sds_avail:0, key_zmalloc: %d, val_sds_len:%d, val_sds_avail:%d, val_zmalloc: %d"
	if c.Has(namesAllocations) {
		format = "key_sds_len:%d key_sds_avail:0 obj_alloc:%d val_sds_len:%d val_sds_avail:%d val_alloc:%d"
	}
	spare := max(text.Bytes()-text.Len(), 0)
	c.Reply.Status(fmt.Sprintf(format, len(key), len(key), text.Len(), spare, text.Len()+spare))
}

// namesAllocations is when DEBUG SDSLEN got other words.
var namesAllocations = release.From("valkey:8.1.0")

// DEBUG HTSTATS database [FULL]
//
// The sizes are those that Redis' tables would have: a table here has another form, and no chains
// to show. So FULL shows no more.
func cmdDebugTables(c *engine.Call) {
	id := c.Int()
	if !c.OK() {
		return
	}
	if id < 0 || id >= int64(c.World.Keyspace.Len()) {
		c.Fail(errNoDatabase)
		return
	}
	db := c.World.Keyspace.DB(int(id))
	c.Reply.Verbatim("txt", []byte("[Dictionary HT]\n"+tableStats(c, db.Len(), true)+"[Expires HT]\n"+
		tableStats(c, db.Expiry().Volatile(), true)))
}

// DEBUG HTSTATS-KEY key [FULL]
func cmdDebugTable(c *engine.Call) {
	v, ok := c.PeekValue(c.Arg())
	if !ok {
		return
	}
	switch encodings.Of(c.Engine, v) {
	case "hashtable", "skiplist":
		c.Reply.Verbatim("txt", []byte(tableStats(c, v.Len(), false)))
	default:
		c.Fail(errNoTable)
	}
}

// tableStats returns what Redis tells of a table of n elements. Since 7.4 it tells nothing of a
// database without keys.
func tableStats(c *engine.Call, n int, database bool) string {
	const title = "Hash table 0 stats (main hash table):\n"
	switch {
	case n == 0 && database && c.Has(omitsEmptyTables):
		return ""
	case n == 0:
		return title + "No stats available for empty dictionaries\n"
	}
	size, elements := 1<<max(bits.Len(uint(n-1)), 2), "elements"
	if c.Has(namesAllocations) {
		size, elements = 7<<bits.Len(uint(n-1)/7), "entries"
	}
	return fmt.Sprintf(title+" table size: %d\n number of %s: %d\n", size, elements, n)
}

var omitsEmptyTables = release.From("7.4.0 valkey:8.0.0")

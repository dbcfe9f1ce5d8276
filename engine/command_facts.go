package engine

import (
	"slices"
	"strings"
)

// What COMMAND tells beyond a command's own line: ACL categories, which follow from its flags and
// its group, and how it uses its keys.

// groupCategories maps a family's group to the ACL category of its commands.
var groupCategories = map[string]string{
	"generic": "keyspace", "string": "string", "hash": "hash", "list": "list", "set": "set", "sorted-set": "sortedset",
	"stream": "stream", "bitmap": "bitmap", "hyperloglog": "hyperloglog", "geo": "geo", "pubsub": "pubsub",
	"connection": "connection", "transactions": "transaction", "scripting": "scripting",
}

// categoryOrder is the order in which Redis tells the categories.
var categoryOrder = []string{"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
	"hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection",
	"transaction", "scripting"}

// flagCategories are the categories that follow from flags.
var flagCategories = []struct {
	flag       Flags
	categories string
}{
	{Write, "write"}, {ReadOnly, "read"}, {Admin, "admin dangerous"}, {PubSub, "pubsub"}, {Fast, "fast"},
	{Blocking, "blocking"},
}

// Categories returns the ACL categories of the command, "@read" and the like.
func (cmd *Command) Categories() []string {
	have := make(map[string]bool)
	set := func(names string) {
		for _, name := range strings.Fields(names) {
			name, minus := strings.CutPrefix(name, "-")
			have[name] = !minus
		}
	}
	for _, f := range flagCategories {
		if cmd.Flags&f.flag != 0 {
			set(f.categories)
		}
	}
	have["slow"] = cmd.Flags&Fast == 0
	if cmd.Run != nil {
		set(groupCategories[cmd.group])
	}
	if have["scripting"] {
		have["read"] = false
	}
	set(cmd.ACL)
	var list []string
	for _, name := range categoryOrder {
		if have[name] {
			list = append(list, "@"+name)
		}
	}
	return list
}

// keyAccess says how commands use their keys, where it is not RO access for reading and RW update
// for writing ones. Uses are separated by commas: the first key's, the second's, the last for all
// others.
var keyAccess = map[string]string{
	"OW update":           "setex psetex mset restore",
	"OW insert":           "setnx msetnx",
	"RM delete":           "del unlink",
	"RO":                  "exists hexists hlen hstrlen strlen zcard type touch watch memory|usage object|encoding object|freq object|idletime object|refcount",
	"RW insert":           "append hsetnx",
	"RW delete":           "hdel zrem zremrangebylex zremrangebyrank zremrangebyscore",
	"RW access update":    "decr decrby incr incrby incrbyfloat getset getex set hincrby hincrbyfloat zincrby setbit move eval evalsha fcall",
	"RW access delete":    "getdel zpopmin zpopmax zmpop bzpopmin bzpopmax bzmpop",
	"OW update,RO access": "bitop zdiffstore zinterstore zrangestore zunionstore",
	"RO access,OW update": "copy",

	"RW access delete,OW update": "rename",
	"RW access delete,OW insert": "renamenx",
}

// access returns how the command uses its key number n, counted from 0.
func (cmd *Command) access(n int) string {
	for access, names := range keyAccess {
		if slices.Contains(strings.Fields(names), cmd.full) {
			uses := strings.Split(access, ",")
			return uses[min(n, len(uses)-1)]
		}
	}
	if cmd.Flags&Write != 0 {
		return "RW update"
	}
	return "RO access"
}

// tellKeySpecs writes where the keys are, as specifications: a range from the first to the last,
// a destination, or a number of keys followed by them.
func (c *Call) tellKeySpecs(cmd *Command) {
	k := cmd.Keys
	switch {
	case k.count != 0 && k.First != 0:
		c.Reply.Set(2)
		c.tellKeySpec(cmd.access(0), k.First, "range", []specPart{{"lastkey", 0}, {"keystep", 1}, {"limit", 0}})
		c.tellKeySpec(cmd.access(1), k.count, "keynum", keynum)
	case k.count != 0:
		c.Reply.Set(1)
		c.tellKeySpec(cmd.access(0), k.count, "keynum", keynum)
	case k.First != 0:
		last := k.Last
		if last > 0 {
			last -= k.First
		}
		c.Reply.Set(1)
		c.tellKeySpec(cmd.access(0), k.First, "range", []specPart{{"lastkey", last}, {"keystep", k.Step}, {"limit", 0}})
	default:
		c.Reply.Set(0)
	}
}

type specPart struct {
	name string
	n    int
}

var keynum = []specPart{{"keynumidx", 0}, {"firstkey", 1}, {"keystep", 1}}

func (c *Call) tellKeySpec(access string, index int, kind string, parts []specPart) {
	w := c.Reply
	w.Map(3)
	w.BulkString("flags")
	c.tellWords(strings.Fields(access))
	c.tellSpecPart("begin_search", "index", []specPart{{"index", index}})
	c.tellSpecPart("find_keys", kind, parts)
}

func (c *Call) tellSpecPart(name, kind string, parts []specPart) {
	w := c.Reply
	w.BulkString(name)
	w.Map(2)
	w.BulkString("type")
	w.BulkString(kind)
	w.BulkString("spec")
	w.Map(len(parts))
	for _, p := range parts {
		w.BulkString(p.name)
		w.Int(int64(p.n))
	}
}

package engine

import (
	"slices"
	"strings"
	"sync"
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
	"RO": "exists hexists hlen hstrlen llen memory|usage object|encoding object|freq object|idletime object|refcount scard " +
		"sismember strlen touch type watch xlen zcard",
	"OW insert": "msetnx setnx",
	"OW update": "mset msetex psetex restore setex",
	"RM delete": "del unlink",
	"RW access": "pfcount pfdebug",
	"RW insert": "append hsetnx linsert lpush lpushx pfadd rpush rpushx sadd xgroup|create xgroup|createconsumer",
	"RW delete": "delifeq hdel lrem ltrim srem xautoclaim xdel xgroup|delconsumer xgroup|destroy xtrim zrem zremrangebylex " +
		"zremrangebyrank zremrangebyscore",
	"RW access delete": "blmpop blpop brpop bzmpop bzpopmax bzpopmin getdel lmpop lpop migrate rpop spop zmpop zpopmax zpopmin",
	"RW access update": "decr decrby eval evalsha fcall getex getset hincrby hincrbyfloat incr incrby incrbyfloat increx move setbit zincrby",

	"RW access update variable_flags": "bitfield set",
	"RW delete variable_flags":        "delex",
	"not_key":                         "spublish ssubscribe sunsubscribe",

	"OW update,RO access":        "bitop geosearchstore sdiffstore sunionstore zdiffstore zinterstore zrangestore zunionstore",
	"RW update,RO access":        "sinterstore",
	"RW access insert,RO access": "pfmerge",
	"RO access,OW update":        "copy georadius georadiusbymember sort",
	"RW access delete,OW update": "rename",
	"RW access delete,OW insert": "renamenx",
	"RW access delete,RW insert": "blmove brpoplpush lmove rpoplpush smove",
}

// clusterTips are Redis' hints for clients of clusters, by the commands that give them.
var clusterTips = map[string]string{
	"nondeterministic_output": "lastsave cluster|bumpepoch cluster|count-failure-reports cluster|getkeysinslot cluster|info cluster|links cluster|nodes cluster|replicas cluster|shards cluster|slaves cluster|slots " +
		"client|info client|list dump hrandfield hscan migrate object|encoding object|freq object|idletime " +
		"object|refcount pttl spop srandmember sscan time ttl xadd xautoclaim xclaim xinfo|consumers xpending " +
		"xtrim zrandmember zscan",
	"nondeterministic_output request_policy:all_nodes response_policy:special":  "latency|doctor latency|graph latency|histogram latency|history latency|latest",
	"nondeterministic_output request_policy:all_shards response_policy:special": "function|stats info memory|doctor memory|malloc-stats memory|stats",
	"nondeterministic_output request_policy:special":                            "scan",
	"nondeterministic_output_order": "module|list command command|docs command|info command|list function|list hgetall hkeys hvals sdiff sinter " +
		"smembers sunion",
	"request_policy:all_nodes nondeterministic_output":                         "slowlog|get",
	"request_policy:all_nodes response_policy:agg_sum nondeterministic_output": "slowlog|len",
	"request_policy:all_nodes response_policy:all_succeeded":                   "config|set latency|reset script|flush script|load slowlog|reset",
	"request_policy:all_shards nondeterministic_output":                        "randomkey",
	"request_policy:all_shards nondeterministic_output_order":                  "keys",
	"request_policy:all_shards response_policy:agg_logical_and":                "script|exists",
	"request_policy:all_shards response_policy:agg_min":                        "wait",
	"request_policy:all_shards response_policy:agg_sum":                        "dbsize",
	"request_policy:all_shards response_policy:all_succeeded":                  "flushall flushdb function|delete function|flush function|load function|restore memory|purge ping",
	"request_policy:all_shards response_policy:one_succeeded":                  "function|kill script|kill",
	"request_policy:multi_shard":                                               "mget",
	"request_policy:multi_shard response_policy:agg_min":                       "msetnx",
	"request_policy:multi_shard response_policy:agg_sum":                       "del exists touch unlink",
	"request_policy:multi_shard response_policy:all_succeeded":                 "mset msetex",
}

// invert maps each name to the text whose list it stands in.
func invert(lists map[string]string) map[string]string {
	of := make(map[string]string)
	for text, names := range lists {
		for _, name := range strings.Fields(names) {
			of[name] = text
		}
	}
	return of
}

var (
	accessOf = sync.OnceValue(func() map[string]string { return invert(keyAccess) })
	tipsOf   = sync.OnceValue(func() map[string]string { return invert(clusterTips) })
)

// tips returns the command's hints for clients of clusters.
func (cmd *Command) tips() []string { return strings.Fields(tipsOf()[cmd.full]) }

// access returns how the command uses its key number n, counted from 0.
func (cmd *Command) access(n int) string {
	if known, ok := accessOf()[cmd.full]; ok {
		uses := strings.Split(known, ",")
		return uses[min(n, len(uses)-1)]
	}
	if cmd.Flags&Write != 0 {
		return "RW update"
	}
	return "RO access"
}

// accessIn is access where it depends on the arguments: SET reads with GET or a condition only, DELEX
// with a condition, and BITFIELD may do nothing but read.
func (cmd *Command) accessIn(args [][]byte, n int) string {
	has := func(word string) bool {
		return len(args) > 3 && slices.ContainsFunc(args[3:], func(a []byte) bool { return IsWord(a, word) })
	}
	switch {
	case cmd.full == "set" && !has("GET") && !slices.ContainsFunc(comparisons[:], func(k comparisonWord) bool { return has(k.word) }):
		return "OW update"
	case cmd.full == "delex" && len(args) == 2:
		return "RM delete"
	case cmd.full == "bitfield" && onlyGets(args[2:]):
		return "RO access"
	}
	known, _ := strings.CutSuffix(cmd.access(n), " variable_flags")
	return known
}

// onlyGets reports whether the operations of a BITFIELD do nothing but read, and are well-formed.
func onlyGets(ops [][]byte) bool {
	for len(ops) > 0 {
		switch {
		case IsWord(ops[0], "GET") && len(ops) > 2:
			ops = ops[3:]
		case IsWord(ops[0], "OVERFLOW") && len(ops) > 1:
			ops = ops[2:]
		default:
			return false
		}
	}
	return true
}

// keySpec is a specification of keys that may stand anywhere: behind a word, or where only the command
// itself can tell.
type keySpec struct {
	access    string
	word      string // "" for unknown
	startFrom int    // where the word is looked for
	last      int    // the last key, relative to the first or to the end
	limit     int    // the keys are one part in so many of what is left; 0 for all
}

// movingKeys are the specifications of keys beyond those whose positions are fixed.
var movingKeys = map[string][]keySpec{
	"migrate":           {{"RW access delete incomplete", "KEYS", -2, -1, 0}},
	"sort":              {{access: "RO access"}, {access: "OW update"}},
	"sort_ro":           {{access: "RO access"}},
	"georadius":         {{"OW update", "STORE", 6, 0, 0}, {"OW update", "STOREDIST", 6, 0, 0}},
	"georadiusbymember": {{"OW update", "STORE", 5, 0, 0}, {"OW update", "STOREDIST", 5, 0, 0}},
	"xread":             {{"RO access", "STREAMS", 1, -1, 2}},
	"xreadgroup":        {{"RO access", "STREAMS", 4, -1, 2}},
}

// tellMovingKeys writes a key's range, if there is one at a fixed position, and the further specifications.
func (c *Call) tellMovingKeys(cmd *Command, specs []keySpec) {
	n := len(specs)
	if cmd.Keys.First != 0 {
		n++
	}
	c.Reply.Set(n)
	if cmd.Keys.First != 0 {
		c.tellKeyRange(cmd.access(0), cmd.Keys.First, cmd.Keys.Last, 1)
	}
	for _, s := range specs {
		c.tellKeySpec(s)
	}
}

// tellKeySpec writes a specification of keys behind a word, or of unknown ones.
func (c *Call) tellKeySpec(s keySpec) {
	c.openKeySpec(s.access)
	if s.word == "" {
		c.tellSpecPart("begin_search", "unknown")
		c.tellSpecPart("find_keys", "unknown")
		return
	}
	c.openSpecPart("begin_search", "keyword", 2)
	c.Reply.BulkString("keyword")
	c.Reply.BulkString(s.word)
	c.tellSpecNumber("startfrom", s.startFrom)
	c.tellSpecPart("find_keys", "range", specPart{"lastkey", s.last}, specPart{"keystep", 1}, specPart{"limit", s.limit})
}

// tellKeySpecs writes where the keys are, as specifications: a range from the first to the last, a
// number of keys followed by them, or two of those where a command uses its keys differently.
func (c *Call) tellKeySpecs(cmd *Command) {
	k, w := cmd.Keys, c.Reply
	if specs, ok := movingKeys[cmd.full]; ok {
		c.tellMovingKeys(cmd, specs)
		return
	}
	switch apart := cmd.access(0) != cmd.access(1); {
	case k.count != 0 && k.First != 0:
		w.Set(2)
		c.tellKeyRange(cmd.access(0), k.First, k.First, 1)
		c.tellKeyNum(cmd.access(1), k)
	case k.count != 0:
		w.Set(1)
		c.tellKeyNum(cmd.access(0), k)
	case k.First == 0:
		w.Set(0)
	case apart:
		w.Set(2)
		c.tellKeyRange(cmd.access(0), k.First, k.First, 1)
		c.tellKeyRange(cmd.access(1), k.First+1, k.Last, 1)
	default:
		w.Set(1)
		c.tellKeyRange(cmd.access(0), k.First, k.Last, k.Step)
	}
}

type specPart struct {
	name string
	n    int
}

// tellKeyRange writes a specification of a range. Its end is told relative to the first key, or to
// the end of the arguments.
func (c *Call) tellKeyRange(access string, first, last, step int) {
	if last > 0 {
		last -= first
	}
	c.tellKeysAt(access, first, "range", specPart{"lastkey", last}, specPart{"keystep", step}, specPart{"limit", 0})
}

func (c *Call) tellKeyNum(access string, k Keys) {
	c.tellKeysAt(access, k.count, "keynum", specPart{"keynumidx", 0}, specPart{"firstkey", 1}, specPart{"keystep", k.every})
}

// tellKeysAt writes a specification of keys that begin at an index.
func (c *Call) tellKeysAt(access string, index int, kind string, parts ...specPart) {
	c.openKeySpec(access)
	c.tellSpecPart("begin_search", "index", specPart{"index", index})
	c.tellSpecPart("find_keys", kind, parts...)
}

// openKeySpec begins a specification: its two parts follow.
func (c *Call) openKeySpec(access string) {
	c.Reply.Map(3)
	c.Reply.BulkString("flags")
	c.tellWords(strings.Fields(access))
}

func (c *Call) tellSpecPart(name, kind string, parts ...specPart) {
	c.openSpecPart(name, kind, len(parts))
	for _, p := range parts {
		c.tellSpecNumber(p.name, p.n)
	}
}

func (c *Call) openSpecPart(name, kind string, n int) {
	w := c.Reply
	w.BulkString(name)
	w.Map(2)
	w.BulkString("type")
	w.BulkString(kind)
	w.BulkString("spec")
	w.Map(n)
}

func (c *Call) tellSpecNumber(name string, n int) {
	c.Reply.BulkString(name)
	c.Reply.Int(int64(n))
}

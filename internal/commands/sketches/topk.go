package sketches

import (
	"fmt"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/topk"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// TopK is the family of RedisBloom's commands on Top-K sketches.
var TopK = command.Family{Group: "topk", Module: "bf", Category: "topk", Commands: []command.Line{
	{Name: "topk.reserve", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTopKReserve, Reply: "status", Since: sinceStack, ACL: "fast -slow",
		Syntax:  "key topk:integer [<width:integer depth:integer decay:double>]",
		Summary: "Creates a Top-K sketch", Complexity: "O(1)"},
	{Name: "topk.add", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTopKAdd, Reply: "texts?", Since: sinceStack, Syntax: "key items...",
		Summary:    "Adds items to a Top-K sketch, and returns those that leave the list for them",
		Complexity: "O(n * k) where n is the number of items and k is the depth"},
	{Name: "topk.incrby", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTopKIncrBy, Reply: "array", Since: sinceStack, Syntax: "key <item increment:integer>...",
		Summary:    "Adds items to a Top-K sketch as often as told",
		Complexity: "O(n * k * incr) where n is the number of items, k is the depth and incr is the increment"},
	{Name: "topk.query", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTopKQuery, Reply: "integers", Since: sinceStack, Syntax: "key item...",
		Summary:    "Checks whether items are in the list of a Top-K sketch",
		Complexity: "O(n) where n is the number of items"},
	{Name: "topk.count", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTopKCount, Reply: "integers", Since: sinceStack, Syntax: "key item...",
		Summary:    "Returns how often items were added to a Top-K sketch, about",
		Complexity: "O(n) where n is the number of items"},
	{Name: "topk.list", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTopKList, Reply: "array", Since: sinceStack, Syntax: "key [WITHCOUNT]",
		Summary: "Returns the list of a Top-K sketch", Complexity: "O(k log k) where k is the length of the list"},
	{Name: "topk.info", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTopKInfo, Reply: "array", Since: sinceStack, ACL: "fast -slow", Syntax: "key",
		Summary: "Returns the properties of a Top-K sketch", Complexity: "O(1)"},
}}

// TopKType is the data type of Top-K sketches.
var TopKType = engine.Type{Type: topk.Type,
	Dump: func(v keyspace.Value, _ int64) (_ string, lines []string) {
		s := v.(*topk.Sketch)
		for _, e := range s.List() {
			lines = append(lines, fmt.Sprintf("%s %d", elements.Quoted([]byte(e.Item)), e.Count))
		}
		return fmt.Sprintf("topk, k %d, width %d, depth %d, decay %v, digest %s", s.K, s.Width, s.Depth, s.Decay,
			digestOf(s)), lines
	},
	Explain: func(v keyspace.Value, _ int) []engine.Detail {
		s := v.(*topk.Sketch)
		p := s.Parts()
		return []engine.Detail{{"topk", []engine.Detail{
			{"cells", int(s.Width) * int(s.Depth), "width * depth, of 8 bytes each"}, {"cells-bytes", p.Cells, ""},
			{"cells-used", s.UsedCells(), "hold a count"},
			{"items", s.Len(), "in the heap"}, {"heap-bytes", p.Heap, "a place for each of k items"},
			{"items-bytes", p.Items, "their texts"}, {"index-bytes", p.Index, "finds items in a long heap"},
			{"chances-bytes", p.Chances, "of a decay other than 0.9"}}, ""}}
	},
}

// digestOf returns a short digest of a value, whose parts cannot be listed.
func digestOf(v keyspace.Value) string {
	var m value.Mixer
	v.Digest(&m)
	return m.String()[:16]
}

// readTopK returns the sketch at key. An absent key or a value of another type latches an error.
func readTopK(c *engine.Call, key []byte) *topk.Sketch {
	s, found := engine.Read[*topk.Sketch](c, key)
	if !found {
		c.Refuse(errNoTopK)
	}
	return s
}

// editTopK is readTopK for changing.
func editTopK(c *engine.Call, key []byte) *topk.Sketch {
	s, found := engine.Edit[*topk.Sketch](c, key)
	if !found {
		c.Refuse(errNoTopK)
	}
	return s
}

// TOPK.RESERVE key topk [width depth decay]
func cmdTopKReserve(c *engine.Call) {
	if n := len(c.Args); n != 3 && n != 6 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key := c.Arg()
	if !c.Failed() && c.Exists(key) {
		c.Refuse(errTopKExists)
	}
	o := topk.Default(uint32(c.IntIn(1, math.MaxUint32, errTopKSize)))
	if c.More() {
		o.Width = uint32(c.IntIn(1, math.MaxUint32, errTopKWidth))
		o.Depth = uint32(c.IntIn(1, math.MaxUint32, errTopKDepth))
		if o.Decay = c.FloatOr(errTopKDecay); !(o.Decay > 0 && o.Decay <= 1) {
			c.Refuse(errTopKDecay)
		}
	}
	if !o.Valid() {
		c.Refuse(errTopKMemory)
	} else if !c.Failed() && o.Bytes() > c.World.Room() {
		c.Refuse(engine.ErrOOM)
	}
	if !c.OK() {
		return
	}
	c.DB.Set(key, topk.New(o), false)
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// TOPK.ADD key item [item ...]
func cmdTopKAdd(c *engine.Call) {
	key := c.Arg()
	s, items := editTopK(c, key), c.Rest()
	if !c.OK() {
		return
	}
	c.Reply.Array(len(items))
	for _, item := range items {
		replyLeft(c, s, item, 1)
	}
	c.Changed(key, event.Event{})
}

// replyLeft adds an item to a sketch and replies with the one that leaves the list.
func replyLeft(c *engine.Call, s *topk.Sketch, item []byte, n uint32) {
	if left, ok := s.Add(item, n); ok {
		c.Reply.BulkString(left)
	} else {
		c.Reply.Null()
	}
}

// TOPK.INCRBY key item increment [item increment ...]
//
// Like RedisBloom it stops at an increment that is none, whose error is the last reply. There the
// array is announced with more replies than come.
func cmdTopKIncrBy(c *engine.Call) {
	if len(c.Args)%2 != 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key := c.Arg()
	s := editTopK(c, key)
	if !c.OK() {
		return
	}
	replies, at := 0, c.Reply.Defer()
	for ok := true; ok && c.More(); replies++ {
		item := c.Arg()
		n, isInt := resp.ParseInt(c.Arg())
		if ok = isInt && n >= 0 && n <= topk.MaxIncrement; ok {
			replyLeft(c, s, item, uint32(n))
		} else {
			c.Reply.Error(errTopKIncrement)
		}
	}
	c.Reply.SetArray(at, replies)
	c.Changed(key, event.Event{})
}

// TOPK.QUERY key item [item ...]
func cmdTopKQuery(c *engine.Call) {
	s, items := readTopK(c, c.Arg()), c.Rest()
	if !c.OK() {
		return
	}
	c.Reply.Array(len(items))
	for _, item := range items {
		c.Reply.Bool(s.Has(item))
	}
}

// TOPK.COUNT key item [item ...]
func cmdTopKCount(c *engine.Call) {
	s, items := readTopK(c, c.Arg()), c.Rest()
	if !c.OK() {
		return
	}
	c.Reply.Array(len(items))
	for _, item := range items {
		c.Reply.Int(int64(s.Count(item)))
	}
}

// TOPK.LIST key [WITHCOUNT]
//
// Like RedisBloom it takes the begin of the word, too.
func cmdTopKList(c *engine.Call) {
	if len(c.Args) > 3 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key, counts := c.Arg(), c.Left() > 0
	if counts && !strings.HasPrefix("WITHCOUNT", strings.ToUpper(string(c.Arg()))) {
		c.Refuse(errTopKList)
	}
	s := readTopK(c, key)
	if !c.OK() {
		return
	}
	list := s.List()
	if counts {
		c.Reply.Array(2 * len(list))
	} else {
		c.Reply.Array(len(list))
	}
	for i := range list {
		c.Reply.BulkString(list[i].Item)
		if counts {
			c.Reply.Int(int64(list[i].Count))
		}
	}
}

// TOPK.INFO key
func cmdTopKInfo(c *engine.Call) {
	s := readTopK(c, c.Arg())
	if !c.OK() {
		return
	}
	c.Reply.Map(4)
	c.Reply.Status("k")
	c.Reply.Int(int64(s.K))
	c.Reply.Status("width")
	c.Reply.Int(int64(s.Width))
	c.Reply.Status("depth")
	c.Reply.Int(int64(s.Depth))
	c.Reply.Status("decay")
	c.Reply.Double(s.Decay)
}

package sketches

import (
	"crypto/sha1"
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/ds/countmin"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// CountMin is the family of RedisBloom's commands on count-min sketches.
var CountMin = command.Family{Group: "cms", Module: "bf", Category: "cms", Commands: []command.Line{
	{Name: "cms.initbydim", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdCMSInitByDim, Reply: "status", Since: sinceStack, ACL: "fast -slow",
		Syntax:  "key width:integer depth:integer",
		Summary: "Initializes a Count-Min Sketch to dimensions specified by user", Complexity: "O(1)"},
	{Name: "cms.initbyprob", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdCMSInitByProb, Reply: "status", Since: sinceStack, ACL: "fast -slow",
		Syntax:  "key error:double probability:double",
		Summary: "Initializes a Count-Min Sketch to accommodate requested tolerances.", Complexity: "O(1)"},
	{Name: "cms.incrby", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdCMSIncrBy, Reply: "array", Since: sinceStack, Syntax: "key <item increment:integer>...",
		Summary:    "Increases the count of one or more items by increment",
		Complexity: "O(N * M), N being the number of items, and M the depth"},
	{Name: "cms.query", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdCMSQuery, Reply: "integers", Since: sinceStack, Syntax: "key item...",
		Summary:    "Returns the count for one or more items in a sketch",
		Complexity: "O(N * M), N being the number of items, and M the depth"},
	{Name: "cms.merge", Arity: -4, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW update").And(command.NumKeys(2, "RO access")),
		Run:  cmdCMSMerge, Reply: "status", Since: sinceStack,
		Syntax:     "destination numkeys source:key... [WEIGHTS weight:integer...]",
		Summary:    "Merges several sketches into one sketch",
		Complexity: "O(N * M), N being the number of sketches, and M that of their cells"},
	{Name: "cms.info", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdCMSInfo, Reply: "array", Since: sinceStack, ACL: "fast -slow", Syntax: "key",
		Summary: "Returns information about a sketch", Complexity: "O(1)"},
}}

// CMS.INITBYDIM key width depth
func cmdCMSInitByDim(c *engine.Call) {
	key := newSketchKey(c)
	width := c.IntIn(1, math.MaxInt64, errWidth)
	depth := c.IntIn(1, math.MaxInt64, errDepth)
	initSketch(c, key, uint64(width), uint64(depth))
}

// CMS.INITBYPROB key error probability
func cmdCMSInitByProb(c *engine.Call) {
	key := newSketchKey(c)
	off := betweenArg(c, errOverestimation)
	chance := betweenArg(c, errChance)
	if c.OK() {
		width, depth := countmin.Dimensions(off, chance)
		initSketch(c, key, width, depth)
	}
}

// newSketchKey reads a key, which must be absent.
func newSketchKey(c *engine.Call) []byte {
	key := c.Arg()
	if _, found := engine.Edit[keyspace.Value](c, key); found {
		c.Refuse(errSketchExists)
	}
	return key
}

// betweenArg reads a number between 0 and 1, both excluded.
func betweenArg(c *engine.Call, bad error) float64 {
	f, ok := resp.ParseFloat(c.Arg())
	if !ok || !(f > 0 && f < 1) {
		c.Refuse(bad)
	}
	return f
}

// initSketch stores a new sketch at key.
func initSketch(c *engine.Call, key []byte, width, depth uint64) {
	if width > math.MaxInt64/max(depth, 1) {
		c.Refuse(errDimensions)
	}
	if !c.OK() {
		return
	}
	s, ok := countmin.New(width, depth)
	switch {
	case !ok:
		c.Fail(errSketchMemory)
	case s.Bytes() > c.World.Room():
		c.Fail(engine.ErrOOM)
	default:
		c.DB.Set(key, s, false)
		c.Changed(key, event.Event{})
		c.Reply.Status("OK")
	}
}

// CMS.INCRBY key item increment [item increment ...]
func cmdCMSIncrBy(c *engine.Call) {
	if len(c.Args)%2 == 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key := c.Arg()
	s, found := engine.Edit[*countmin.Sketch](c, key)
	if !found {
		c.Refuse(errNoSketch)
	}
	first := c.Pos()
	for c.More() {
		c.Skip(1)
		if n := c.IntOr(errIncrement); n < 0 {
			c.Refuse(errNegative)
		}
	}
	if !c.OK() {
		return
	}
	c.Seek(first)
	c.Reply.Array(c.Left() / 2)
	for c.More() {
		if n := s.Add(c.Arg(), uint64(c.Int())); n == countmin.Most {
			c.Reply.Error(errIncrementOverflow)
		} else {
			c.Reply.Int(int64(n))
		}
	}
	c.Changed(key, event.Event{})
}

// CMS.QUERY key item [item ...]
func cmdCMSQuery(c *engine.Call) {
	s := readSketch(c, c.Arg())
	if !c.OK() {
		return
	}
	items := c.Rest()
	c.Reply.Array(len(items))
	for _, item := range items {
		c.Reply.Int(int64(s.Count(item)))
	}
}

// readSketch returns the sketch at key. An absent key or a value of another type latches an error.
func readSketch(c *engine.Call, key []byte) *countmin.Sketch {
	s, found := engine.Read[*countmin.Sketch](c, key)
	if !found {
		c.Refuse(errNoSketch)
	}
	return s
}

// CMS.MERGE destination numkeys source [source ...] [WEIGHTS weight [weight ...]]
func cmdCMSMerge(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*countmin.Sketch](c, key)
	if !found {
		c.Refuse(errNoSketch)
	}
	sources, weights := mergeArgs(c, s)
	if !c.OK() {
		return
	}
	if !s.Merge(sources, weights) {
		c.Fail(errMergeOverflow)
		return
	}
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// mergeArgs reads the sources of CMS.MERGE, and their weights.
func mergeArgs(c *engine.Call, to *countmin.Sketch) (sources []*countmin.Sketch, weights []int64) {
	n := c.IntOr(errSketchCount)
	if n <= 0 {
		c.Refuse(errSketchFew)
	}
	if c.Failed() {
		return nil, nil
	}
	rest := c.Rest()
	at := wordIndex(rest, "WEIGHTS")
	switch {
	case at < 0 && n != int64(len(rest)):
		c.Refuse(errSketchKeys)
	case at >= 0 && (n != int64(at) || len(rest) != 2*at+1):
		c.Refuse(errSketchWeights)
	}
	for i := 0; int64(i) < n && !c.Failed(); i++ {
		weight := int64(1)
		if at >= 0 {
			w, ok := resp.ParseInt(rest[at+1+i])
			if !ok {
				c.Refuse(errWeight)
				break
			}
			weight = w
		}
		source := readSketch(c, rest[i])
		if !c.Failed() && (source.Width() != to.Width() || source.Depth() != to.Depth()) {
			c.Refuse(errSketchShape)
		}
		sources, weights = append(sources, source), append(weights, weight)
	}
	return sources, weights
}

// CMS.INFO key
func cmdCMSInfo(c *engine.Call) {
	s := readSketch(c, c.Arg())
	if !c.OK() {
		return
	}
	c.Reply.Map(3)
	c.Reply.Status("width")
	c.Reply.Int(int64(s.Width()))
	c.Reply.Status("depth")
	c.Reply.Int(int64(s.Depth()))
	c.Reply.Status("count")
	c.Reply.Int(int64(s.Total()))
}

// CountMinSketch is the data type of count-min sketches. As in RedisBloom, no command makes one.
var CountMinSketch = engine.Type{Type: countmin.Type,
	Explain: explainCountMin,
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		s := v.(*countmin.Sketch)
		h := sha1.New()
		for iter := uint64(0); iter < s.CellBytes(); iter += 1 << 20 {
			_, _ = h.Write(s.AppendCells(nil, iter, 1<<20))
		}
		return fmt.Sprintf("countmin, width %d, depth %d, count %d, sha1 %x", s.Width(), s.Depth(), s.Total(),
			h.Sum(nil)[:8]), nil
	},
}

// explainCountMin tells how full the cells are, and how far counts are off.
func explainCountMin(v keyspace.Value, _ int) []engine.Detail {
	s := v.(*countmin.Sketch)
	used, full := s.Used()
	return []engine.Detail{
		{Name: "cells", Value: s.Len(), Note: fmt.Sprintf("%d of each of %d rows", s.Width(), s.Depth())},
		{Name: "used", Value: int(used)}, {Name: "fill", Value: percent(float64(used) / float64(s.Len()))},
		{Name: "full", Value: int(full), Note: "at the highest count, 4294967295"},
		{Name: "counted", Value: int(s.Total()), Note: "in all"},
		{Name: "error", Value: fmt.Sprintf("%.0f", 2*float64(s.Total())/float64(s.Width())),
			Note: "a count exceeds the truth by at most so much ..."},
		{Name: "probability", Value: percent(1 - power(0.5, float64(s.Depth()))), Note: "... with this probability"},
	}
}

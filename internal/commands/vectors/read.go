package vectors

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/vectors"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// readElement takes a key and an element and finds both. Those that are absent are no error.
func readElement(c *engine.Call) (s *vectors.Set, e vectors.Element, found bool) {
	s, found = engine.Read[*vectors.Set](c, c.Arg())
	if !found {
		return nil, e, false
	}
	e, found = s.Find(c.Arg())
	return s, e, found
}

// VCARD key
func cmdVCard(c *engine.Call) {
	s, found := engine.Read[*vectors.Set](c, c.Arg())
	switch {
	case !c.OK():
	case !found:
		c.Reply.Int(0)
	default:
		c.Reply.Int(int64(s.Len()))
	}
}

// VDIM key
func cmdVDim(c *engine.Call) {
	s, found := engine.Read[*vectors.Set](c, c.Arg())
	if !found {
		c.Refuse(errNoKey)
	}
	if c.OK() {
		c.Reply.Int(int64(s.Options().Dim))
	}
}

// VISMEMBER key element
func cmdVIsMember(c *engine.Call) {
	if _, _, found := readElement(c); c.OK() {
		c.Reply.Bool(found)
	}
}

// VGETATTR key element
func cmdVGetAttr(c *engine.Call) {
	s, e, found := readElement(c)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Null()
	default:
		replyAttributes(c, s, e)
	}
}

func replyAttributes(c *engine.Call, s *vectors.Set, e vectors.Element) {
	if text := s.Attributes(e); len(text) > 0 {
		c.Reply.Bulk(text)
	} else {
		c.Reply.Null()
	}
}

// VEMB key element [RAW]
func cmdVEmb(c *engine.Call) {
	raw := len(c.Args) > 3
	if raw {
		for c.Seek(3); c.More(); {
			if !c.Word("RAW") {
				c.Refuse(errOption)
			}
		}
		c.Seek(1)
	}
	s, e, found := readElement(c)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Null()
	case raw:
		v := s.Vector(e)
		replyRaw(c, &v)
	default:
		v := s.Vector(e)
		list := v.Components(nil)
		c.Reply.Array(len(list))
		for _, x := range list {
			c.Reply.Double(float64(x))
		}
	}
}

// kinds are the names of the kinds of vectors.
var kinds = [hnsw.Kinds]string{hnsw.Float: "f32", hnsw.Int8: "int8", hnsw.Bit: "bin"}

// replyRaw replies with a vector as it is kept.
func replyRaw(c *engine.Call, v *hnsw.Vector) {
	scaled := v.Kind == hnsw.Int8
	if scaled {
		c.Reply.Array(4)
	} else {
		c.Reply.Array(3)
	}
	c.Reply.Status(kinds[v.Kind])
	c.Reply.Bulk(v.Append(nil))
	c.Reply.Double(float64(v.Norm))
	if scaled {
		c.Reply.Double(float64(v.Scale))
	}
}

// VLINKS key element [WITHSCORES]
func cmdVLinks(c *engine.Call) {
	scores := len(c.Args) > 3
	if scores {
		if c.Seek(3); !c.Word("WITHSCORES") || c.More() {
			c.Refusef(command.ErrArity, c.Cmd.FullName())
		}
		c.Seek(1)
	}
	s, e, found := readElement(c)
	switch {
	case !c.OK():
		return
	case !found:
		c.Reply.Null()
		return
	}
	levels := s.Levels(e)
	c.Reply.Array(levels)
	for level := levels - 1; level >= 0; level-- {
		links := s.Links(e, level)
		if scores {
			c.Reply.Map(len(links))
		} else {
			c.Reply.Array(len(links))
		}
		for _, l := range links {
			c.Reply.Bulk(s.Name(l.Element))
			if scores {
				c.Reply.Double(similarity(l.Distance))
			}
		}
	}
}

// VRANDMEMBER key [count]
func cmdVRandMember(c *engine.Call) {
	key, count, several := c.Arg(), int64(1), c.Left() > 0
	if c.Left() > 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	} else if several {
		count = c.IntIn(-math.MaxInt64, math.MaxInt64, errDraw)
	}
	s, found := engine.Read[*vectors.Set](c, key)
	switch {
	case !c.OK():
	case !found && !several:
		c.Reply.Null()
	case !found:
		c.Reply.Array(0)
	case !several:
		c.Reply.Bulk(s.Name(s.Random(c.World.Dice)))
	case count < 0:
		c.Reply.Array(elements.DrawLen(int(count), s.Len()))
		for ; count < 0 && !c.Reply.Full(); count++ {
			c.Reply.Bulk(s.Name(s.Random(c.World.Dice)))
		}
	default:
		n := elements.DrawLen(int(count), s.Len())
		c.Reply.Array(n)
		s.Sample(n, c.World.Dice, func(e vectors.Element) { c.Reply.Bulk(s.Name(e)) })
	}
}

// VRANGE key start end [count]
func cmdVRange(c *engine.Call) {
	if len(c.Args) > 5 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key, start, end, count := c.Arg(), c.Arg(), c.Arg(), int64(-1)
	if c.More() {
		count = c.IntOr(errRangeCount)
	}
	from, ok := parseBound(start)
	if !ok {
		c.Refuse(errStart)
	}
	to, ok := parseBound(end)
	if !ok {
		c.Refuse(errEnd)
	}
	if len(start) > 0 && start[0] == '+' || len(end) > 0 && end[0] == '-' {
		c.Refuse(errEnds)
	}
	s, found := engine.Read[*vectors.Set](c, key)
	if !c.OK() {
		return
	}
	var list [][]byte
	if found {
		list = s.Between(from, to, int(min(count, int64(s.Len()))))
	}
	c.Reply.Array(len(list))
	for _, name := range list {
		c.Reply.Bulk(name)
	}
}

// parseBound reads an end of a range: - or +, or a name behind [ or (.
func parseBound(text []byte) (b vectors.Bound, ok bool) {
	switch {
	case string(text) == "-" || string(text) == "+":
		return vectors.Bound{Open: true}, true
	case len(text) > 1 && (text[0] == '[' || text[0] == '('):
		return vectors.Bound{Name: text[1:], Inclusive: text[0] == '['}, true
	}
	return b, false
}

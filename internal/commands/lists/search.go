package lists

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// LREM key count element
func cmdLRem(c *engine.Call) {
	key, count, element := c.Arg(), c.Int(), c.Arg()
	if count == math.MinInt64 {
		c.Refusef(engine.ErrRange, -math.MaxInt64, math.MaxInt64)
	}
	l, found := engine.Edit[*list.List](c, key)
	switch {
	case !c.OK():
		return
	case !found:
		c.Reply.Int(0)
		return
	}
	from, most := list.Head, int(count)
	switch {
	case count == 0:
		most = math.MaxInt
	case count < 0:
		from, most = list.Tail, int(-count)
	}
	removed := l.Remove(element, most, from)
	if removed > 0 {
		l.Shrink(c.Engine.Config.List)
		c.Changed(key, event.List("lrem"))
		c.AddChanges(removed - 1)
	}
	c.Reply.Int(int64(removed))
}

// posOptions are the options of LPOS.
type posOptions struct {
	rank    int64 // 1 is the first match, -1 the last
	count   int64 // matches to reply with, 0 for all
	counted bool  // COUNT was given: the reply is an array
	maxLen  int64 // elements to compare
}

// LPOS key element [RANK rank] [COUNT num-matches] [MAXLEN len]
func cmdLPos(c *engine.Call) {
	key, element := c.Arg(), c.Arg()
	p := parsePosOptions(c)
	l, ok := readList(c, key)
	if !ok {
		return
	}
	from, skip := list.Head, p.rank-1
	if p.rank < 0 {
		from, skip = list.Tail, -p.rank-1
	}
	at, n := 0, int64(0)
	if p.counted {
		at = c.Reply.Defer()
	}
	l.Search(element, from, int(p.maxLen), func(i int) bool {
		if skip > 0 {
			skip--
			return true
		}
		c.Reply.Int(int64(i))
		n++
		return n != p.count
	})
	switch {
	case p.counted:
		c.Reply.SetArray(at, int(n))
	case n == 0:
		c.Reply.Null()
	}
}

// parsePosOptions reads the options of LPOS.
func parsePosOptions(c *engine.Call) posOptions {
	p := posOptions{rank: 1, count: 1}
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("RANK"):
			if p.rank = c.Int(); p.rank == math.MinInt64 {
				c.Refusef(engine.ErrRange, -math.MaxInt64, math.MaxInt64)
			}
			if p.rank == 0 {
				c.Refuse(errRankZero)
			}
		case c.Left() > 1 && c.Word("COUNT"):
			p.counted, p.count = true, c.IntIn(0, math.MaxInt64, errNegativeCount)
		case c.Left() > 1 && c.Word("MAXLEN"):
			p.maxLen = c.IntIn(0, math.MaxInt64, errNegativeMaxLen)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if p.maxLen == 0 {
		p.maxLen = math.MaxInt64
	}
	return p
}

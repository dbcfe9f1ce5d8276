package engine

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/glob"
)

// What the commands on elements of collections share: cursors, random draws and replies made of
// pairs, a field with its value or a member with its score.

// openPairs opens a reply of n elements, each with its value if paired. RESP3 gets an array for each
// pair, opened by openPair; RESP2 gets one flat array.
func (c *Call) openPairs(n int, paired bool) {
	if paired && c.Reply.Proto() == 2 {
		n *= 2
	}
	c.Reply.Array(n)
}

// openPair opens one pair within openPairs.
func (c *Call) openPair(paired bool) {
	if paired && c.Reply.Proto() == 3 {
		c.Reply.Array(2)
	}
}

// deferPairs is openPairs for a number of elements that setPairs tells once they were written.
func (c *Call) deferPairs() (at int) { return c.Reply.Defer() }

func (c *Call) setPairs(at, n int, paired bool) {
	if paired && c.Reply.Proto() == 2 {
		n *= 2
	}
	c.Reply.SetArray(at, n)
}

// draws reads [count [word]] of HRANDFIELD and ZRANDMEMBER. A count below zero draws the same
// element repeatedly.
func (c *Call) draws(word string) (count int, paired bool) {
	count = c.drawCount()
	paired = c.Word(word)
	c.End()
	if paired && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		c.Refuse(ErrOutOfRange)
	}
	return count, paired
}

// drawCount reads the count of draws and SRANDMEMBER.
func (c *Call) drawCount() int {
	n := c.Int()
	if n == math.MinInt64 {
		c.Refusef(ErrRange, -math.MaxInt64, math.MaxInt64)
	}
	return int(n)
}

// multiPop reads numkeys key [key ...] <first | second> [COUNT count] of ZMPOP and LMPOP, and tells
// whether the word was the second.
func (c *Call) multiPop(first, second string) (keys [][]byte, isSecond bool, count int) {
	n := c.IntIn(1, math.MaxInt64, ErrNumKeys)
	if n >= int64(c.Left()) {
		c.Refuse(ErrSyntax)
	}
	if c.Failed() {
		return nil, false, 0
	}
	keys = c.Next(int(n))
	if isSecond = c.Word(second); !isSecond && !c.Word(first) {
		c.Refuse(ErrSyntax)
	}
	for c.More() {
		if count != 0 || c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(ErrSyntax)
			break
		}
		count = int(c.IntIn(1, math.MaxInt64, ErrPopCount))
	}
	return keys, isSecond, max(count, 1)
}

// drawn returns how many elements a count draws from size.
func drawn(count, size int) int {
	switch {
	case size == 0:
		return 0
	case count < 0:
		return -count
	}
	return min(count, size)
}

// cursor reads a cursor of SCAN and its kin as C's strtoul does: with a sign, if one likes.
func (c *Call) cursor() uint64 {
	text, _, _ := bytes.Cut(c.Arg(), []byte{0})
	digits, negative := text, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		digits, negative = text[1:], text[0] == '-'
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil && len(text) > 0 {
		c.Refuse(ErrInvalidCursor)
	}
	if negative {
		n = -n
	}
	return n
}

// scan is the options of a cursor iteration.
type scan struct {
	pattern string
	count   int
}

// newScan returns the options as they are if nothing is said.
func newScan() scan { return scan{pattern: "*", count: 10} }

// scanOption moves past [MATCH pattern] or [COUNT count] and reports whether it found one.
func (c *Call) scanOption(o *scan) bool {
	switch {
	case c.Left() > 1 && c.Word("MATCH"):
		o.pattern = string(c.Arg())
	case c.Left() > 1 && c.Word("COUNT"):
		n := c.Int()
		if n < 1 {
			c.Refuse(ErrSyntax)
		}
		o.count = int(n)
	default:
		return false
	}
	return true
}

// scanOptions reads [MATCH pattern] [COUNT count] up to the end.
func (c *Call) scanOptions() scan {
	o := newScan()
	for c.More() && c.scanOption(&o) {
	}
	c.End()
	return o
}

// takes reports whether the iteration is to show name. The single star is no pattern: it takes even
// the empty name.
func (o *scan) takes(name []byte) bool {
	return o.pattern == "*" || glob.Match(o.pattern, name)
}

// tellCursor completes the reply of an iteration whose array of elements was written from at on:
// the cursor goes in front of it.
func (c *Call) tellCursor(at int, next uint64) {
	elements := bytes.Clone(c.Reply.Bytes()[at:])
	c.Reply.Truncate(at)
	c.Reply.Array(2)
	c.Reply.Bulk(strconv.AppendUint(c.Scratch(), next, 10))
	c.Reply.Raw(elements)
}

// tellNoScan is the reply to an iteration over an absent key. Redis does not look at the options
// then.
func (c *Call) tellNoScan() {
	c.Reply.Array(2)
	c.Reply.BulkString("0")
	c.Reply.Array(0)
}

package elements

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/glob"
)

// What the commands on elements of collections share: cursors, random draws and replies made of
// pairs, a field with its value or a member with its score.

// openPairs opens a reply of n elements, each with its value if paired. RESP3 gets an array for each
// pair, opened by openPair; RESP2 gets one flat array.
func OpenPairs(c *engine.Call, n int, paired bool) {
	if paired && c.Reply.Proto() == 2 {
		n *= 2
	}
	c.Reply.Array(n)
}

// openPair opens one pair within openPairs.
func OpenPair(c *engine.Call, paired bool) {
	if paired && c.Reply.Proto() == 3 {
		c.Reply.Array(2)
	}
}

// deferPairs is openPairs for a number of elements that setPairs tells once they were written.
func DeferPairs(c *engine.Call) (at int) { return c.Reply.Defer() }

func SetPairs(c *engine.Call, at, n int, paired bool) {
	if paired && c.Reply.Proto() == 2 {
		n *= 2
	}
	c.Reply.SetArray(at, n)
}

// draws reads [count [word]] of HRANDFIELD and ZRANDMEMBER. A count below zero draws the same
// element repeatedly.
func Draws(c *engine.Call, word string) (count int, paired bool) {
	count = DrawCount(c)
	paired = c.Word(word)
	c.End()
	if paired && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		c.Refuse(errOutOfRange)
	}
	return count, paired
}

// drawCount reads the count of draws and SRANDMEMBER.
func DrawCount(c *engine.Call) int {
	n := c.Int()
	if n == math.MinInt64 {
		c.Refusef(engine.ErrRange, -math.MaxInt64, math.MaxInt64)
	}
	return int(n)
}

// multiPop reads numkeys key [key ...] <first | second> [COUNT count] of ZMPOP and LMPOP, and tells
// whether the word was the second.
func MultiPop(c *engine.Call, first, second string) (keys [][]byte, isSecond bool, count int) {
	n := c.IntIn(1, math.MaxInt64, engine.ErrNumKeys)
	if n >= int64(c.Left()) {
		c.Refuse(engine.ErrSyntax)
	}
	if c.Failed() {
		return nil, false, 0
	}
	keys = c.Next(int(n))
	if isSecond = c.Word(second); !isSecond && !c.Word(first) {
		c.Refuse(engine.ErrSyntax)
	}
	for c.More() {
		if count != 0 || c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(engine.ErrSyntax)
			break
		}
		count = int(c.IntIn(1, math.MaxInt64, errPopCount))
	}
	return keys, isSecond, max(count, 1)
}

// drawn returns how many elements a count draws from size.
func Drawn(count, size int) int {
	switch {
	case size == 0:
		return 0
	case count < 0:
		return -count
	}
	return min(count, size)
}

// cursor reads a cursor of SCAN and its kin as C's strtoul does: with a sign, if one likes.
func Cursor(c *engine.Call) uint64 {
	text, _, _ := bytes.Cut(c.Arg(), []byte{0})
	digits, negative := text, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		digits, negative = text[1:], text[0] == '-'
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil && len(text) > 0 {
		c.Refuse(errInvalidCursor)
	}
	if negative {
		n = -n
	}
	return n
}

// scan is the options of a cursor iteration.
type Scan struct {
	Pattern string
	Count   int
}

// newScan returns the options as they are if nothing is said.
func NewScan() Scan { return Scan{Pattern: "*", Count: 10} }

// scanOption moves past [MATCH pattern] or [COUNT count] and reports whether it found one.
func ScanOption(c *engine.Call, o *Scan) bool {
	switch {
	case c.Left() > 1 && c.Word("MATCH"):
		o.Pattern = string(c.Arg())
	case c.Left() > 1 && c.Word("COUNT"):
		n := c.Int()
		if n < 1 {
			c.Refuse(engine.ErrSyntax)
		}
		o.Count = int(n)
	default:
		return false
	}
	return true
}

// scanOptions reads [MATCH pattern] [COUNT count] up to the end.
func ScanOptions(c *engine.Call) Scan {
	o := NewScan()
	for c.More() && ScanOption(c, &o) {
	}
	c.End()
	return o
}

// takes reports whether the iteration is to show name. The single star is no pattern: it takes even
// the empty name.
func (o *Scan) Takes(name []byte) bool {
	return o.Pattern == "*" || glob.Match(o.Pattern, name)
}

// tellCursor completes the reply of an iteration whose array of elements was written from at on:
// the cursor goes in front of it.
func ReplyCursor(c *engine.Call, at int, next uint64) {
	elements := bytes.Clone(c.Reply.Bytes()[at:])
	c.Reply.Truncate(at)
	c.Reply.Array(2)
	c.Reply.Bulk(strconv.AppendUint(c.Scratch(), next, 10))
	c.Reply.Raw(elements)
}

// tellNoScan is the reply to an iteration over an absent key. Redis does not look at the options
// then.
func ReplyEmptyScan(c *engine.Call) {
	c.Reply.Array(2)
	c.Reply.BulkString("0")
	c.Reply.Array(0)
}

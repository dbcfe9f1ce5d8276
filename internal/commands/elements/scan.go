package elements

import (
	"bytes"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// strictCursors is when negative cursors and empty ones were refused; and HSCAN got the option
// NOVALUES.
var strictCursors = release.From("7.4.0 valkey:8.0.0")

// noScores is when ZSCAN got the option NOSCORES.
var noScores = release.From("valkey:8.0.0")

// ParseCursor reads the cursor of SCAN, HSCAN, SSCAN or ZSCAN. An integer may not be negative; any
// other text is read as C's strtoul does: space in front and a sign are allowed, and a zero byte
// ends the number.
func ParseCursor(c *engine.Call) uint64 {
	text, _, _ := bytes.Cut(c.Arg(), []byte{0})
	strict := c.Has(strictCursors)
	if n, ok := resp.ParseInt(text); ok && n >= 0 {
		return uint64(n)
	} else if ok && strict {
		c.Refuse(errInvalidCursor)
	}
	if strict {
		text = bytes.TrimLeft(text, " \t\n\v\f\r")
	}
	n, ok := parseUnsigned(text)
	if !ok && (strict || len(text) > 0) {
		c.Refuse(errInvalidCursor)
	}
	return n
}

// parseUnsigned reads a number with an optional sign. A negative one counts down from 2^64.
func parseUnsigned(text []byte) (n uint64, ok bool) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	if !negative {
		digits = bytes.TrimPrefix(text, []byte("+"))
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if negative {
		n = -n
	}
	return n, err == nil
}

// Scan is the options of an iteration.
type Scan struct {
	Pattern string
	Count   int
}

// NewScan returns the options' defaults.
func NewScan() Scan { return Scan{Pattern: "*", Count: 10} }

// ParseOption moves past [MATCH pattern] or [COUNT count] and reports whether it did.
func (o *Scan) ParseOption(c *engine.Call) bool {
	switch {
	case c.Left() > 1 && c.Word("MATCH"):
		o.Pattern = string(c.Arg())
	case c.Left() > 1 && c.Word("COUNT"):
		n := c.Int()
		if n < 1 {
			c.Refuse(engine.ErrSyntax)
		}
		o.Count = int(n)
	case c.Has(strictCursors) && c.Word("NOVALUES"):
		c.Refuse(errNoValues)
	case c.Has(noScores) && c.Word("NOSCORES"):
		c.Refuse(errNoScores)
	default:
		return false
	}
	return true
}

// ParseScan reads [MATCH pattern] [COUNT count] up to the end.
func ParseScan(c *engine.Call) Scan {
	o := NewScan()
	for c.More() && o.ParseOption(c) {
	}
	c.End()
	return o
}

// Matches reports whether the pattern matches a name. A lone star matches even the empty name,
// which in [glob.Match] no star does.
func Matches[T ~string | ~[]byte](o *Scan, name T) bool {
	return o.Pattern == "*" || glob.Match(o.Pattern, name)
}

// ReplyCursor completes the reply of an iteration. The array of its elements was written from
// position at on; the next cursor goes in front of it.
func ReplyCursor(c *engine.Call, at int, next uint64) {
	ReplyCursorText(c, at, strconv.AppendUint(c.Scratch(), next, 10))
}

// ReplyCursorText is ReplyCursor for a cursor that is no number.
func ReplyCursorText(c *engine.Call, at int, next []byte) {
	elements := bytes.Clone(c.Reply.Bytes()[at:])
	c.Reply.Truncate(at)
	c.Reply.Array(2)
	c.Reply.Bulk(next)
	c.Reply.Raw(elements)
}

// ReplyEmptyScan replies to an iteration over an absent key, for which Redis does not read the
// options.
func ReplyEmptyScan(c *engine.Call) {
	c.Reply.Array(2)
	c.Reply.BulkString("0")
	c.Reply.Array(0)
}

package streams

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// The ID of an entry is written ms-seq, or ms alone. The command then decides the sequence number.

// idArg returns the next argument as an ID. seq is the sequence number of an ID that is ms alone.
// Anything else latches errID.
func idArg(c *engine.Call, seq uint64) stream.ID {
	id, ok := parseID(c.Arg(), seq)
	if !ok {
		c.Refuse(errID)
	}
	return id
}

// newIDArg is idArg for a new entry. autoSeq is true for ms-*, whose sequence number the server
// generates.
func newIDArg(c *engine.Call) (id stream.ID, autoSeq bool) {
	arg := c.Arg()
	if ms, auto := bytes.CutSuffix(arg, []byte("-*")); auto && bytes.IndexByte(ms, '-') < 0 && c.Has(numbersEntries) {
		arg, autoSeq = ms, true
	}
	id, ok := parseID(arg, 0)
	if !ok {
		c.Refuse(errID)
	}
	return id, autoSeq
}

// idArgs appends all remaining arguments as IDs. ok is false if an error was sent.
func idArgs(c *engine.Call, ids []stream.ID) (_ []stream.ID, ok bool) {
	for c.More() {
		ids = append(ids, idArg(c, 0))
	}
	return ids, c.OK()
}

// boundArg returns the next argument as the first or the last ID of a range: "-", "+", an ID, or
// "(" and an ID that the range excludes.
func boundArg(c *engine.Call, last bool) stream.ID {
	arg, seq, err := c.Arg(), uint64(0), error(errRangeStart)
	if last {
		seq, err = math.MaxUint64, errRangeEnd
	}
	switch string(arg) {
	case "-":
		return stream.ID{}
	case "+":
		return stream.MaxID
	}
	exclusive := len(arg) > 1 && arg[0] == '('
	if exclusive {
		arg = arg[1:]
	}
	id, ok := parseID(arg, seq)
	switch {
	case !ok:
		c.Refuse(errID)
	case exclusive && last:
		id, ok = id.Prev()
	case exclusive:
		id, ok = id.Next()
	}
	if !ok {
		c.Refuse(err)
	}
	return id
}

// parseID reads an ID. Like Redis it ignores a zero byte and what follows it.
func parseID(arg []byte, seq uint64) (id stream.ID, ok bool) {
	if len(arg) > 127 {
		return id, false
	}
	arg, _, _ = bytes.Cut(arg, []byte{0})
	ms, rest, both := bytes.Cut(arg, []byte("-"))
	if id.Ms, ok = parseUint(ms); !ok {
		return id, false
	}
	id.Seq = seq
	if both {
		id.Seq, ok = parseUint(rest)
	}
	return id, ok
}

// parseUint reads a number as Redis does. Redis rejects a negative number in canonical form, and
// passes any other text to strtoull. That accepts leading blanks, a sign and leading zeros, and
// wraps negative numbers.
func parseUint(arg []byte) (n uint64, ok bool) {
	if i, isInt := resp.ParseInt(arg); isInt {
		return uint64(i), i >= 0
	}
	for len(arg) > 0 && (arg[0] == ' ' || arg[0] >= '\t' && arg[0] <= '\r') {
		arg = arg[1:]
	}
	negative := len(arg) > 0 && arg[0] == '-'
	if negative || len(arg) > 0 && arg[0] == '+' {
		arg = arg[1:]
	}
	for _, ch := range arg {
		digit := uint64(ch - '0')
		if ch < '0' || ch > '9' || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	if negative {
		n = -n
	}
	return n, len(arg) > 0
}

// replyID replies with an ID.
func replyID(c *engine.Call, id stream.ID) { c.Reply.Bulk(id.Append(c.Scratch())) }

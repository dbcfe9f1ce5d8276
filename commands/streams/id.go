package streams

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// The IDs of entries among arguments: ms-seq, or ms alone, whose sequence number is then up to who asks.

// streamID returns the next argument as an ID, seq being the sequence number that it may lack; latches
// ErrStreamID.
func streamID(c *engine.Call, seq uint64) stream.ID {
	id, ok := parseStreamID(c.Arg(), seq)
	if !ok {
		c.Refuse(errStreamID)
	}
	return id
}

// newStreamID is streamID for a new entry: of ms-* the sequence number is to be made.
func newStreamID(c *engine.Call) (id stream.ID, autoSeq bool) {
	arg := c.Arg()
	if ms, auto := bytes.CutSuffix(arg, []byte("-*")); auto && bytes.IndexByte(ms, '-') < 0 {
		arg, autoSeq = ms, true
	}
	id, ok := parseStreamID(arg, 0)
	if !ok {
		c.Refuse(errStreamID)
	}
	return id, autoSeq
}

// streamIDs appends all arguments left as IDs; ok is false if an error was sent.
func streamIDs(c *engine.Call, ids []stream.ID) (_ []stream.ID, ok bool) {
	for c.More() {
		ids = append(ids, streamID(c, 0))
	}
	return ids, c.OK()
}

// bound returns the next argument as the first or the last ID of a range: "-", "+", an ID, or after "("
// the ID beyond which it begins or ends.
func bound(c *engine.Call, last bool) stream.ID {
	arg, seq, err := c.Arg(), uint64(0), error(errStreamStart)
	if last {
		seq, err = math.MaxUint64, errStreamEnd
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
	id, ok := parseStreamID(arg, seq)
	switch {
	case !ok:
		c.Refuse(errStreamID)
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

// parseStreamID reads an ID. Like Redis it sees no further than to a zero byte.
func parseStreamID(arg []byte, seq uint64) (id stream.ID, ok bool) {
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

// parseUint reads a number as strtoull does for Redis: blanks, a sign and zeros ahead are no error, and
// what is negative, unless it is written as Redis itself would, counts from the top.
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

package arrays

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// AROP key start end <SUM | MIN | MAX | AND | OR | XOR | MATCH value | USED>
func cmdAROp(c *engine.Call) {
	key, start, end := c.Arg(), indexArg(c, array.MaxIndex), indexArg(c, array.MaxIndex)
	o := parseOperation(c)
	a, ok := read(c, key)
	if !ok {
		return
	}
	buf := make([]byte, 0, 32)
	a.Scan(min(start, end), max(start, end), func(_ uint64, e ziplist.Entry) bool {
		o.add(e, buf)
		return true
	})
	o.reply(c)
}

// operation is what AROP combines elements by, and what it has so far.
type operation struct {
	name  string
	match []byte          // of MATCH
	n     int64           // elements that count
	bits  int64           // of AND, OR and XOR
	sum   resp.LongDouble // of SUM, MIN and MAX
}

// parseOperation reads the operation.
func parseOperation(c *engine.Call) *operation {
	o := &operation{name: string(bytes.ToUpper(c.Arg()))}
	switch o.name {
	case "SUM", "MIN", "MAX", "AND", "OR", "XOR", "USED":
		if c.More() {
			refuseArity(c)
		}
	case "MATCH":
		if c.Left() != 1 {
			c.Refuse(errMatch)
		} else {
			o.match = c.Arg()
		}
	default:
		c.Refuse(errOperation)
	}
	return o
}

// add combines an element with what there is.
func (o *operation) add(e ziplist.Entry, buf []byte) {
	switch o.name {
	case "USED":
		o.n++
	case "MATCH":
		if bytes.Equal(e.Text(buf), o.match) {
			o.n++
		}
	case "AND", "OR", "XOR":
		if bits, ok := integer(e); ok {
			o.addBits(bits)
		}
	default:
		if x, ok := number(e, buf); ok {
			o.addNumber(x)
		}
	}
}

func (o *operation) addBits(bits int64) {
	switch {
	case o.n == 0:
		o.bits = bits
	case o.name == "AND":
		o.bits &= bits
	case o.name == "OR":
		o.bits |= bits
	default:
		o.bits ^= bits
	}
	o.n++
}

func (o *operation) addNumber(x resp.LongDouble) {
	switch {
	case o.n == 0:
		o.sum = x
	case o.name == "SUM":
		o.sum = o.sum.Add(x)
	case o.name == "MIN" && x.Less(o.sum), o.name == "MAX" && o.sum.Less(x):
		o.sum = x
	}
	o.n++
}

// number returns an element as a number; ok is false if it is none. What Redis keeps as a double
// counts as that.
func number(e ziplist.Entry, buf []byte) (x resp.LongDouble, ok bool) {
	if !e.IsInt() {
		if f, ok := array.Double(e.Str); ok {
			return resp.LongDoubleOf(f), true
		}
	}
	return resp.ParseLongDouble(e.Text(buf))
}

// leastInteger is the least int64.
var leastInteger = resp.LongDoubleOf(math.MinInt64)

// integer returns an element without its fraction; ok is false if it is no number, or one that no
// int64 holds.
func integer(e ziplist.Entry) (n int64, ok bool) {
	if e.IsInt() {
		return e.Int, true
	}
	x, ok := number(e, nil)
	n = x.Truncate()
	return n, ok && (n != math.MinInt64 || x == leastInteger)
}

// reply replies with the result.
func (o *operation) reply(c *engine.Call) {
	switch o.name {
	case "USED", "MATCH":
		c.Reply.Int(o.n)
		return
	}
	switch {
	case o.n == 0:
		c.Reply.Null()
	case o.name == "AND", o.name == "OR", o.name == "XOR":
		c.Reply.Int(o.bits)
	default:
		c.Reply.Bulk(o.sum.Append17(c.Scratch()))
	}
}

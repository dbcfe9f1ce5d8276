package bitmaps

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/bitmap"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// fieldOp is one operation of BITFIELD.
type fieldOp struct {
	kind     fieldKind
	overflow bitmap.Overflow
	field    bitmap.Field
	at       int   // first bit
	n        int64 // value or increment
}

type fieldKind uint8

const (
	fieldGet fieldKind = iota
	fieldSet
	fieldIncr
)

// bitFieldAccess returns how BITFIELD accesses its key. Well-formed operations that are all GET
// only read.
func bitFieldAccess(args [][]byte) string {
	for ops := args[2:]; len(ops) > 0; {
		switch {
		case command.IsWord(ops[0], "GET") && len(ops) > 2:
			ops = ops[3:]
		case command.IsWord(ops[0], "OVERFLOW") && len(ops) > 1:
			ops = ops[2:]
		default:
			return "RW access update"
		}
	}
	return "RO access"
}

// BITFIELD key [GET encoding offset | [OVERFLOW WRAP | SAT | FAIL] SET encoding offset value |
// INCRBY encoding offset increment [GET encoding offset | ...]]
func cmdBitField(c *engine.Call) {
	var room [8]fieldOp
	key, ops := c.Arg(), fieldOps(c, room[:0])
	switch end := writtenSize(ops); {
	case !c.OK():
	case end == 0:
		readFields(c, key, ops)
	default:
		changeFields(c, key, ops, end)
	}
}

// BITFIELD_RO key [GET encoding offset [GET encoding offset ...]]
func cmdBitFieldRO(c *engine.Call) {
	var room [8]fieldOp
	key, ops := c.Arg(), fieldOps(c, room[:0])
	if writtenSize(ops) > 0 {
		c.Refuse(errReadOnly)
	}
	if c.OK() {
		readFields(c, key, ops)
	}
}

// writtenSize returns the size in bytes that a string needs for the operations that write, 0 if all
// of them read.
func writtenSize(ops []fieldOp) (size int) {
	for i := range ops {
		if op := &ops[i]; op.kind != fieldGet {
			size = max(size, (op.at+op.field.Width+7)>>3)
		}
	}
	return size
}

// fieldOps appends the operations in the remaining arguments to ops. OVERFLOW applies to those
// after it.
func fieldOps(c *engine.Call, ops []fieldOp) []fieldOp {
	overflow := bitmap.Wrap
	for c.More() {
		op := fieldOp{overflow: overflow}
		switch {
		case c.Left() > 1 && c.Word("OVERFLOW"):
			overflow = parseOverflow(c)
			continue
		case c.Left() > 2 && c.Word("GET"):
		case c.Left() > 3 && c.Word("SET"):
			op.kind = fieldSet
		case c.Left() > 3 && c.Word("INCRBY"):
			op.kind = fieldIncr
		default:
			c.Refuse(engine.ErrSyntax)
			continue
		}
		op.field = fieldArg(c)
		op.at = offsetArg(c, op.field.Width)
		if op.kind != fieldGet {
			op.n = c.Int()
		}
		ops = append(ops, op)
	}
	return ops
}

// parseOverflow reads WRAP, SAT or FAIL.
func parseOverflow(c *engine.Call) bitmap.Overflow {
	switch {
	case c.Word("WRAP"):
		return bitmap.Wrap
	case c.Word("SAT"):
		return bitmap.Saturate
	case c.Word("FAIL"):
		return bitmap.Fail
	}
	c.Refuse(errOverflow)
	return 0
}

// fieldArg returns the next argument as a type of integer, i1 to i64 or u1 to u63. Anything else
// latches errFieldType. Like Redis it ignores a zero byte and what follows it.
func fieldArg(c *engine.Call) (f bitmap.Field) {
	text, _, _ := bytes.Cut(c.Arg(), []byte{0})
	if len(text) > 0 {
		f.Signed = text[0] == 'i'
		n, ok := resp.ParseInt(text[1:])
		if ok && n >= 1 && (f.Signed && n <= 64 || text[0] == 'u' && n <= 63) {
			f.Width = int(n)
			return f
		}
	}
	c.Refuse(errFieldType)
	return f
}

// readFields executes operations that only read.
func readFields(c *engine.Call, key []byte, ops []fieldOp) {
	var b []byte
	if v, ok := engine.Read[*str.Value](c, key); ok {
		b = v.Text(c.Scratch())
	}
	if !c.OK() {
		return
	}
	c.Reply.Array(len(ops))
	for i := range ops {
		c.Reply.Int(ops[i].field.Get(b, ops[i].at))
	}
}

// changeFields executes operations, some of which write. The string grows to at least size bytes.
func changeFields(c *engine.Call, key []byte, ops []fieldOp, size int) {
	v, _ := engine.Upsert[*str.Value](c, key, keyspace.String)
	if !c.OK() {
		return
	}
	grown, changes := v.Len() < size, 0
	b := v.Edit(size)
	c.Reply.Array(len(ops))
	for i := range ops {
		if wrote, differs := runField(c, b, &ops[i]); wrote && (grown || differs || !c.Has(comparesBits)) {
			changes++
		}
	}
	if changes > 0 || !c.Has(comparesBits) {
		c.Changed(key, event.String("setbit"))
		c.AddChanges(max(changes, 1) - 1)
		return
	}
	c.DB.Commit(key) // the encoding has changed
	if grown {
		c.PropagateToJournal(c.Args...) // all writes failed, but the string grew: Redis loses that at a restart
	}
}

// runField executes one operation and replies to it: SET with the old value, INCRBY with the new
// one, nil for an overflow with FAIL.
func runField(c *engine.Call, b []byte, op *fieldOp) (wrote, differs bool) {
	old := op.field.Get(b, op.at)
	value, ok := old, true
	switch op.kind {
	case fieldSet:
		value, ok = op.field.Add(op.n, 0, op.overflow)
	case fieldIncr:
		value, ok = op.field.Add(old, op.n, op.overflow)
	}
	switch {
	case !ok:
		c.Reply.Null()
		return false, false
	case op.kind == fieldIncr:
		c.Reply.Int(value)
	default:
		c.Reply.Int(old)
	}
	if value != old {
		op.field.Put(b, op.at, value)
	}
	return op.kind != fieldGet, value != old
}

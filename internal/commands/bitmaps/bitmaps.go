// Package bitmaps is the family of commands that use a string as an array of bits: SETBIT,
// BITCOUNT, BITOP and their like in bitmaps.go, and BITFIELD, which reads and writes integers of 1
// to 64 bits at any offset, in bitfield.go. The bits themselves are the work of [bitmap].
//
// SETBIT and BITFIELD convert the string to the raw encoding, even if no bit changes. They then
// commit the key without reporting a change, because only its size in memory differs.
package bitmaps

import (
	"github.com/miniserver-go/miniserver/ds/bitmap"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Family is the family of bitmap commands.
var Family = command.Family{Group: "bitmap", Commands: []command.Line{
	{Name: "setbit", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW access update"),
		Run: cmdSetBit, Reply: "integer", Since: "2.2.0", Syntax: "key offset value:integer",
		Summary:    "Sets or clears the bit at offset of the string value. Creates the key if it doesn't exist.",
		Complexity: "O(1)"},
	{Name: "getbit", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdGetBit, Reply: "integer", Since: "2.2.0",
		Syntax: "key offset", Summary: "Returns a bit value by offset.", Complexity: "O(1)"},
	{Name: "bitcount", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdBitCount, Reply: "integer", Since: "2.6.0",
		Was: []command.Was{{Before: release.NoValkey, Edit: command.Writes("end:integer "+
			"unit(/index_unit)=[BYTE|BIT]@7.0.0", "end-unit-block=[end:integer unit=[BYTE|BIT]@7.0.0]")}},
		Syntax:     "key range(/index)=[start:integer end:integer unit(/index_unit)=[BYTE|BIT]@7.0.0]",
		Summary:    "Counts the number of set bits (population counting) in a string.",
		Complexity: "O(N), N being the length of the string",
		History:    "7.0.0 The option `BYTE|BIT`.\nvalkey:8.0.0 The end may be left out."},
	{Name: "bitpos", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdBitPos, Reply: "integer", Since: "2.8.7",
		Syntax: "key bit range(/index)=[start:integer end-unit-block(/end_index)=[end:integer " +
			"unit(/index_unit)=[BYTE|BIT]@7.0.0]]",
		Summary:    "Finds the first set (1) or clear (0) bit in a string.",
		Complexity: "O(N), N being the length of the string",
		History:    "7.0.0 The option `BYTE|BIT`."},
	{Name: "bitop", Arity: -4, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(2, "OW update").And(command.KeyRange(3, -1, 1, "RO access")),
		Run:  cmdBitOp, Reply: "integer", Since: "2.6.0", Was: []command.Was{{
			Before: "7.2.0", Edit: func(cmd *command.Line) { cmd.Syntax = "operation destkey key..." },
		}}, Syntax: "operation=<AND|OR|XOR|NOT|DIFF@(8.2.0)|DIFF1@(8.2.0)|ANDOR@(8.2.0)|ONE@(8.2.0)> destkey key...",
		Summary:    "Performs bitwise operations on multiple strings, and stores the result.",
		Complexity: "O(N), N being the length of the longest string"},
	{Name: "bitfield", Arity: -2, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW access update variable_flags").AccessBy(bitFieldAccess),
		Run:  cmdBitField, Reply: "array", Since: "3.2.0",
		Syntax: "key operation=[get-block(/encoding_offset)=<GET encoding " +
			"offset>|write=<overflow-block(/wrap_sat_fail)=[OVERFLOW <WRAP|SAT|FAIL>] " +
			"write-operation(/write_operation)=<set-block(/encoding_offset_value)=<SET encoding offset " +
			"value:integer>|incrby-block(/encoding_offset_increment)=<INCRBY encoding offset increment>>>]...",
		Summary: "Performs arbitrary bitfield integer operations on strings.", Complexity: "O(1) for each operation"},
	{Name: "bitfield_ro", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBitFieldRO, Reply: "array", Since: "6.0.0",
		Syntax:     "key [get-block(/encoding_offset)=<GET encoding offset>...]",
		Summary:    "Performs arbitrary read-only bitfield integer operations on strings.",
		Complexity: "O(1) for each operation"},
}}

// offsetArg returns the next argument as the offset of a bit. Anything else latches errOffset. If
// width is above 0, #n stands for the n-th integer of that width. The product wraps at 64 bits, as
// in Redis.
func offsetArg(c *engine.Call, width int) int {
	arg := c.Arg()
	unit := int64(1)
	if width > 0 && len(arg) > 0 && arg[0] == '#' {
		arg, unit = arg[1:], int64(width)
	}
	n, ok := resp.ParseInt(arg)
	if n *= unit; !ok || n < 0 || n>>3 >= c.Engine.Config.ProtoMaxBulk {
		c.Refuse(errOffset)
		return 0
	}
	return int(n)
}

// SETBIT key offset value
func cmdSetBit(c *engine.Call) {
	key, at, bit := c.Arg(), offsetArg(c, 0), c.IntIn(0, 1, errBit)
	v, _ := engine.Upsert[*str.Value](c, key, keyspace.String)
	if !c.OK() {
		return
	}
	size := v.Len()
	b := v.Edit(at>>3 + 1)
	old := bitmap.Bit(b, at)
	if bitmap.SetBit(b, at, int(bit)); len(b) > size || old != int(bit) || !c.Has(comparesBits) {
		c.Changed(key, event.String("setbit"))
	} else {
		c.DB.Commit(key) // only the encoding has changed
	}
	c.Reply.Int(int64(old))
}

// comparesBits is when SETBIT and BITFIELD began to be changes only if they change a bit or the
// length.
var comparesBits = release.From("7.0.0")

// GETBIT key offset
func cmdGetBit(c *engine.Call) {
	key, at := c.Arg(), offsetArg(c, 0)
	if !c.OK() {
		return
	}
	bit := 0
	if v, ok := engine.Read[*str.Value](c, key); ok {
		bit = bitmap.Bit(v.Text(c.Scratch()), at)
	}
	if c.OK() {
		c.Reply.Int(int64(bit))
	}
}

// The ranges of BITCOUNT and BITPOS: when they began to be read before the key, and when the end
// may be left out of BITCOUNT's, whose unit is read before the end since then.
var (
	readsRangeFirst = release.From("7.4.0 valkey:8.0.0")
	countsToTheEnd  = release.From("valkey:8.0.0")
)

// span is a range of a string, from start to end, both included, in units of 8 bits or 1. Negative
// ones count from the end of the string.
type span struct {
	start, end int64
	unit       int
}

// bits returns the bits of a string of n bytes that a span selects, without the last one.
func (s span) bits(n int) (from, to int) {
	units := int64(n) * 8 / int64(s.unit)
	if s.start < 0 {
		s.start += units
	}
	if s.end < 0 {
		s.end += units
	}
	s.start = min(max(s.start, 0), units)
	s.end = min(max(s.end, 0), units-1)
	return int(s.start) * s.unit, int(s.end+1) * s.unit
}

// BITCOUNT key [start end [BYTE | BIT]]
func cmdBitCount(c *engine.Call) {
	key := c.Arg()
	s := countSpan(c, key)
	v, found := engine.Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.Int(0)
		return
	}
	text := v.Text(c.Scratch())
	from, to := s.bits(len(text))
	if s.start < 0 && s.end < 0 && s.start > s.end {
		to = from // not the first bit, if both are before it
	}
	c.Reply.Int(int64(bitmap.CountRange(text, from, to)))
}

// hasRange reports whether a range follows. Before readsRangeFirst none was read for a key that
// holds no string.
func hasRange(c *engine.Call, key []byte) bool {
	if !c.More() || c.Failed() || c.Has(readsRangeFirst) {
		return c.More()
	}
	v, _ := c.DB.Peek(key)
	return v != nil && v.Type() == keyspace.String
}

// countSpan reads [start end [BYTE | BIT]].
func countSpan(c *engine.Call, key []byte) span {
	s := span{end: -1, unit: 8}
	if !hasRange(c, key) {
		return s
	}
	if c.Left() > mostInSpan(c) || c.Left() == 1 && !c.Has(countsToTheEnd) {
		c.Refuse(engine.ErrSyntax)
	}
	if s.start = c.Int(); !c.More() {
		return s
	}
	if c.Left() == 2 && c.Has(countsToTheEnd) {
		c.Skip(1)
		s.unit = unitArg(c)
		c.Skip(-2)
		s.end = c.Int()
		c.Skip(1)
		return s
	}
	s.end = c.Int()
	if s.start < 0 && s.end < 0 && s.start > s.end && !c.Has(readsRangeFirst) {
		return s // without a look at the unit
	}
	s.unit = unitArg(c)
	return s
}

// mostInSpan returns how many arguments a range has at most: its unit came later than its ends.
func mostInSpan(c *engine.Call) int {
	if c.Knows("BIT") {
		return 3
	}
	return 2
}

// unitArg reads [BYTE | BIT], the unit of a range, and returns its number of bits.
func unitArg(c *engine.Call) int {
	switch {
	case c.Word("BIT"):
		return 1
	case c.More() && !c.Word("BYTE"):
		c.Refuse(engine.ErrSyntax)
	}
	return 8
}

// BITPOS key bit [start [end [BYTE | BIT]]]
func cmdBitPos(c *engine.Call) {
	key, bit := c.Arg(), c.Int()
	if bit != 0 && bit != 1 {
		c.Refuse(errSoughtBit)
	}
	s, open := findSpan(c, key)
	v, found := engine.Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	if !found { // an absent key is an endless row of zeros
		c.Reply.Int(-bit)
		return
	}
	text := v.Text(c.Scratch())
	from, to := s.bits(len(text))
	at := bitmap.Find(text, int(bit), from, to)
	if at < 0 && bit == 0 && open && from < to {
		at = 8 * len(text) // the string continues with zeros unless an end is given
	}
	c.Reply.Int(int64(at))
}

// findSpan reads [start [end [BYTE | BIT]]]. open reports that no end is given.
func findSpan(c *engine.Call, key []byte) (s span, open bool) {
	s = span{end: -1, unit: 8}
	if !hasRange(c, key) {
		return s, true
	}
	if c.Left() > mostInSpan(c) {
		c.Refuse(engine.ErrSyntax)
	}
	if s.start = c.Int(); !c.More() {
		return s, true
	}
	last := c.Arg()
	s.unit = unitArg(c) // Redis checks the unit before the end
	end, isInt := resp.ParseInt(last)
	if !isInt {
		c.Refuse(engine.ErrNotInt)
	}
	s.end = end
	return s, false
}

// BITOP AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE destkey key [key ...]
func cmdBitOp(c *engine.Call) {
	op, dest, keys := parseOperation(c), c.Arg(), c.Rest()
	op.checkSources(c, len(keys))
	if !c.OK() {
		return
	}
	var room [8][]byte
	sources, size := room[:0], 0
	for _, key := range keys {
		var text []byte
		if v, ok := engine.Read[*str.Value](c, key); ok {
			text = v.Text(nil)
		}
		sources, size = append(sources, text), max(size, len(text))
	}
	if !c.OK() {
		return
	}
	if size <= blockBytes {
		store(c, dest, op.combineInto(c.Buffer(size), sources))
	} else {
		storeInBlocks(c, dest, size, op, sources)
	}
	c.Reply.Int(int64(size))
}

// blockBytes is how many bytes BITOP combines at a time: few enough to stay in the processor's
// cache.
const blockBytes = 8 << 10

// storeInBlocks sets key to the combination of sources, the longest of which has size bytes. If the
// string at key has that size, it is overwritten in place. It may be a source, because each block
// is read before it is written.
func storeInBlocks(c *engine.Call, key []byte, size int, op *operation, sources [][]byte) {
	was := c.Replacing(c.DB, key)
	v, _ := c.DB.Edit(key)
	text, ok := v.(*str.Value)
	if !ok || text.Len() != size {
		fresh := str.OfEnc(make([]byte, size), str.Raw)
		text = &fresh
	}
	result, block := text.Edit(size), c.Buffer(blockBytes)
	for at := 0; at < size; at += len(block) {
		block = block[:min(blockBytes, size-at)]
		var room [8][]byte
		parts := room[:0]
		for _, src := range sources {
			from := min(at, len(src))
			parts = append(parts, src[from:min(at+len(block), len(src))])
		}
		copy(result[at:], op.combineInto(block, parts))
	}
	c.DB.Set(key, text, false)
	c.Replaced(c.DB, key, was)
	c.Changed(key, event.String("set"))
}

// store sets key to a copy of bits, or deletes it if there are none.
func store(c *engine.Call, key, bits []byte) {
	if len(bits) > 0 {
		was := c.Replacing(c.DB, key)
		c.DB.Set(key, c.World.Keyspace.Raw(bits), false)
		c.Replaced(c.DB, key, was)
		c.Changed(key, event.String("set"))
	} else if c.DB.Erase(key) {
		c.Changed(key, event.Del)
	}
}

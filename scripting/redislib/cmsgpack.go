package redislib

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// msgpackLib is the cmsgpack library: MessagePack, without its newer types
// for binaries and extensions.
type msgpackLib struct {
	buffer  lua.Buffer
	builder *lua.Builder
}

// OpenCmsgpack installs the cmsgpack library, as Redis ships it, as the global cmsgpack.
func OpenCmsgpack(L *lua.State) *lua.Table {
	lib := &msgpackLib{builder: L.Builder()}
	t := library(
		lua.NewFunction("pack", lib.pack),
		lua.NewFunction("unpack", lib.unpack),
		lua.NewFunction("unpack_limit", lib.unpackLimit),
		lua.NewFunction("unpack_one", lib.unpackOne),
	)
	L.Globals.SetString(nil, "cmsgpack", t.Value())
	t.SetString(nil, "_NAME", lua.String("cmsgpack"))
	t.SetString(nil, "_VERSION", lua.String("lua-cmsgpack 0.4.0"))
	t.SetString(nil, "_COPYRIGHT", lua.String("Copyright (C) 2012, Salvatore Sanfilippo"))
	t.SetString(nil, "_DESCRIPTION", lua.String("MessagePack C implementation for Lua"))
	return t
}

// maxPackDepth is the nesting below which tables are packed as nil.
const maxPackDepth = 16

// cmsgpack.pack(...)
func (lib *msgpackLib) pack(L *lua.State, c *lua.Call) {
	if c.NArgs() == 0 {
		c.ArgError(0, "MessagePack pack needs input.")
	}
	if 2*c.NArgs() > lua.MaxResults {
		c.ArgError(0, "Too many arguments for MessagePack pack.")
	}
	p := packer{L: L}
	lib.buffer.Lend(&p.Buffer)
	for _, v := range c.Args() {
		p.value(v, 0)
	}
	c.Return1(p.Finish(L, &lib.buffer))
}

// packer appends values in MessagePack.
type packer struct {
	lua.Buffer
	L *lua.State
}

func (p *packer) value(v lua.Value, depth int) {
	switch v.Kind() {
	case lua.KindNumber:
		f, _ := v.AsNumber()
		p.number(f)
	case lua.KindString:
		s, _ := v.AsString()
		p.string(s)
	case lua.KindBoolean:
		if v.AsBool() {
			p.Text = append(p.Text, 0xc3)
		} else {
			p.Text = append(p.Text, 0xc2)
		}
	case lua.KindTable:
		if depth < maxPackDepth {
			p.table(v.AsTable(), depth)
			return
		}
		fallthrough
	default:
		p.Text = append(p.Text, 0xc0)
	}
}

// number chooses the shortest encoding that keeps the value: an integer, a float
// of 32 bits, one of 64.
func (p *packer) number(f float64) {
	if i := int64(f); float64(i) == f && f != 1<<63 {
		p.integer(i)
		return
	}
	if short := float32(f); float64(short) == f {
		p.head(0xca, uint64(math.Float32bits(short)), 4)
		return
	}
	p.head(0xcb, math.Float64bits(f), 8)
}

func (p *packer) integer(i int64) {
	switch {
	case i >= -32 && i < 128:
		p.Text = append(p.Text, byte(i))
	case i >= 0:
		p.unsigned(uint64(i))
	case i >= math.MinInt8:
		p.head(0xd0, uint64(i), 1)
	case i >= math.MinInt16:
		p.head(0xd1, uint64(i), 2)
	case i >= math.MinInt32:
		p.head(0xd2, uint64(i), 4)
	default:
		p.head(0xd3, uint64(i), 8)
	}
}

func (p *packer) unsigned(n uint64) {
	switch {
	case n <= math.MaxUint8:
		p.head(0xcc, n, 1)
	case n <= math.MaxUint16:
		p.head(0xcd, n, 2)
	case n <= math.MaxUint32:
		p.head(0xce, n, 4)
	default:
		p.head(0xcf, n, 8)
	}
}

// head appends a type byte and the lowest size bytes of n, the highest first.
func (p *packer) head(kind byte, n uint64, size int) {
	p.Text = append(p.Text, kind)
	for shift := (size - 1) * 8; shift >= 0; shift -= 8 {
		p.Text = append(p.Text, byte(n>>shift))
	}
}

func (p *packer) string(s string) {
	switch n := uint64(len(s)); {
	case n < 32:
		p.Text = append(p.Text, 0xa0|byte(n))
	case n <= math.MaxUint8:
		p.head(0xd9, n, 1)
	case n <= math.MaxUint16:
		p.head(0xda, n, 2)
	default:
		p.head(0xdb, n, 4)
	}
	p.Append(p.L, s)
}

// count appends the head of an array or map of n entries: short, its byte for
// less than 16, or the two following long.
func (p *packer) count(short, long byte, n int) {
	switch {
	case n < 16:
		p.Text = append(p.Text, short|byte(n))
	case n <= math.MaxUint16:
		p.head(long, uint64(n), 2)
	default:
		p.head(long+1, uint64(n), 4)
	}
}

// table appends an array if the keys are 1..n, else a map. An empty table is an array.
func (p *packer) table(t *lua.Table, depth int) {
	p.L.Tick(1)
	if n, dense := t.PlainArray(); dense {
		p.array(t, n, depth)
		return
	}
	isArray, n := p.census(t)
	if isArray {
		p.array(t, t.Len(), depth)
		return
	}
	p.count(0x80, 0xde, n)
	for at := 0; ; {
		k, v, next, more := t.NextAt(p.L, at)
		if !more {
			return
		}
		p.value(k, depth+1)
		p.value(v, depth+1)
		p.L.Tick(1)
		p.Settle(p.L)
		at = next
	}
}

func (p *packer) array(t *lua.Table, n, depth int) {
	p.count(0x90, 0xdc, n)
	for i := 1; i <= n; i++ {
		p.value(t.GetInt(i), depth+1)
		p.Settle(p.L)
		p.L.Tick(1)
	}
}

// census counts the entries and finds whether their keys are the integers 1..n.
func (p *packer) census(t *lua.Table) (isArray bool, n int) {
	largest := 0.0
	isArray = true
	for at := 0; ; {
		k, _, next, more := t.NextAt(p.L, at)
		if !more {
			return isArray && largest == float64(n), n
		}
		f, ok := k.AsNumber()
		isArray = isArray && ok && f > 0 && f == float64(int32(f))
		largest = max(largest, f)
		n++
		at = next
		p.L.Tick(1)
	}
}

// cmsgpack.unpack(s): all values in s.
func (lib *msgpackLib) unpack(_ *lua.State, c *lua.Call) {
	lib.messages(c, c.CheckString(1), 0, 0)
}

// cmsgpack.unpack_one(s [, offset]): the offset to go on from and one value.
func (lib *msgpackLib) unpackOne(_ *lua.State, c *lua.Call) {
	offset := c.OptInteger(2, 0)
	lib.messages(c, c.CheckString(1), 1, offset)
}

// cmsgpack.unpack_limit(s, limit [, offset]): the offset to go on from and at
// most limit values.
func (lib *msgpackLib) unpackLimit(_ *lua.State, c *lua.Call) {
	limit, offset := c.CheckInteger(2), c.OptInteger(3, 0)
	lib.messages(c, c.CheckString(1), limit, offset)
}

// messages answers with up to limit values from offset on; with both 0
// with all of them, and otherwise with the next offset first, -1 at the end.
func (lib *msgpackLib) messages(c *lua.Call, s string, limit, offset int64) {
	L := c.L
	if offset < 0 || limit < 0 {
		L.Errorf("Invalid request to unpack with offset of %d and limit of %d.", int32(offset), len(s))
	}
	if offset > int64(len(s)) {
		L.Errorf("Start offset %d greater than input length %d.", int32(offset), len(s))
	}
	all := limit == 0 && offset == 0
	if all {
		limit = math.MaxInt32
	}
	lib.builder.Reset()
	u := unpacker{L: L, builder: lib.builder, data: s, at: int(offset)}
	for n := int64(0); u.at < len(s) && n < limit; n++ {
		u.slots = 1 + int(n)
		u.builder.Push(u.value())
	}
	out := c.Results()
	if !all {
		if len(u.builder.Elements())+1 >= lua.MaxResults {
			L.Errorf("stack overflow (in function mp_unpack_full)")
		}
		next := u.at
		if next == len(s) {
			next = -1
		}
		out = append(out, lua.Int(next))
	}
	c.ReturnAll(append(out, u.builder.Elements()...))
}

// unpacker reads values in MessagePack.
type unpacker struct {
	L       *lua.State
	builder *lua.Builder
	data    string
	at      int
	slots   int // values C would have on its stack
}

const errTooManyValues = "too many return values at once; use unpack_one or unpack_limit instead."

func (u *unpacker) value() lua.Value {
	if u.at >= len(u.data) {
		u.missing()
	}
	u.L.Tick(1)
	if u.slots >= lua.MaxResults {
		u.L.Errorf("stack overflow (%s)", errTooManyValues)
	}
	head := u.data[u.at]
	u.at++
	switch {
	case head < 0x80:
		return lua.Int(int(head))
	case head < 0x90:
		return u.table(uint64(head & 15))
	case head < 0xa0:
		return u.array(uint64(head & 15))
	case head < 0xc0:
		return u.string(uint64(head & 31))
	case head >= 0xe0:
		return lua.Int(int(int8(head)))
	}
	return u.long(head)
}

// long reads what follows a head that is followed by a size or a number.
func (u *unpacker) long(head byte) lua.Value {
	switch head {
	case 0xc0:
		return lua.Nil
	case 0xc2, 0xc3:
		return lua.Bool(head == 0xc3)
	case 0xca:
		return lua.Number64(float64(math.Float32frombits(uint32(u.word(4)))))
	case 0xcb:
		return lua.Number64(math.Float64frombits(u.word(8)))
	case 0xcc, 0xcd, 0xce, 0xcf:
		return lua.Number(float64(int64(u.word(1 << (head - 0xcc))))) // as in C the largest ones turn negative
	case 0xd0, 0xd1, 0xd2, 0xd3:
		size := 1 << (head - 0xd0)
		unused := 64 - 8*size
		return lua.Number(float64(int64(u.word(size)<<unused) >> unused))
	case 0xd9, 0xda, 0xdb:
		return u.string(u.word(1 << (head - 0xd9)))
	case 0xdc, 0xdd:
		return u.array(u.word(2 << (head - 0xdc)))
	case 0xde, 0xdf:
		return u.table(u.word(2 << (head - 0xde)))
	}
	u.L.Errorf("Bad data format in input.")
	return lua.Nil
}

func (u *unpacker) missing() { u.L.Errorf("Missing bytes in input.") }

// word reads a number of size bytes, the highest first.
func (u *unpacker) word(size int) uint64 {
	if len(u.data)-u.at < size {
		u.missing()
	}
	n := uint64(0)
	for _, b := range []byte(u.data[u.at : u.at+size]) {
		n = n<<8 | uint64(b)
	}
	u.at += size
	return n
}

func (u *unpacker) string(n uint64) lua.Value {
	if uint64(len(u.data)-u.at) < n {
		u.missing()
	}
	start := u.at
	u.at += int(n)
	return u.L.Substring(u.data, start, u.at)
}

// array reads n elements. n may be a lie of up to 2^32: nothing is allocated for it beforehand.
func (u *unpacker) array(n uint64) lua.Value {
	if u.slots+1 >= lua.MaxResults {
		u.L.Errorf("stack overflow (in function mp_decode_to_lua_array)")
	}
	u.slots += 2
	first := len(u.builder.Elements())
	for ; n > 0; n-- {
		u.builder.Push(u.value())
	}
	u.slots -= 2
	return u.builder.Array(first)
}

// table reads n pairs.
func (u *unpacker) table(n uint64) lua.Value {
	first := u.builder.Fields()
	for ; n > 0; n-- {
		u.slots++
		k := u.key()
		u.slots++
		v := u.value()
		u.slots -= 2
		if !k.IsString() {
			u.checkKey(k.Value)
		}
		u.builder.PushField(k, v)
	}
	return u.builder.Record(first)
}

// checkKey throws what setting the field would.
func (u *unpacker) checkKey(k lua.Value) {
	if f, ok := k.AsNumber(); k.IsNil() {
		u.L.Throw(lua.String("table index is nil"))
	} else if ok && f != f {
		u.L.Throw(lua.String("table index is NaN"))
	}
}

// key reads a value that is to be a key; short strings are shared.
func (u *unpacker) key() lua.Key {
	if u.at < len(u.data) && u.slots < lua.MaxResults {
		head := u.data[u.at]
		if n := int(head & 31); head&0xe0 == 0xa0 && u.at+1+n <= len(u.data) {
			u.L.Tick(1)
			start := u.at + 1
			u.at = start + n
			return u.builder.Key(u.data[start:u.at])
		}
	}
	return lua.NewKey(u.value())
}

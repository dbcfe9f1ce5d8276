package lua

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// OpenBase installs the basic functions into L's globals, with _G and _VERSION. Those that reach
// outside, print, dofile, loadfile, module and require, are not offered: a host that wants one adds
// it.
func OpenBase(L *State) {
	for _, f := range []entry{
		{"assert", baseAssert},
		{"collectgarbage", baseCollectGarbage},
		{"error", baseError},
		{"gcinfo", baseGCInfo},
		{"getfenv", baseGetfenv},
		{"getmetatable", baseGetMetatable},
		{"load", baseLoad},
		{"loadstring", baseLoadString},
		{"newproxy", newProxyMaker()},
		{"pcall", basePcall},
		{"rawequal", baseRawEqual},
		{"rawget", baseRawGet},
		{"rawset", baseRawSet},
		{"select", baseSelect},
		{"setfenv", baseSetfenv},
		{"setmetatable", baseSetMetatable},
		{"tonumber", baseToNumber},
		{"tostring", baseToString},
		{"type", baseType},
		{"unpack", baseUnpack},
		{"xpcall", baseXpcall},
	} {
		L.Globals.SetString(nil, f.name, NewFunction(f.name, f.host).Value())
	}
	L.choose = L.Globals.GetString("select").AsFunction() // selectOne recognizes it
	openIterators(L)
	L.Globals.SetString(nil, "_G", L.Globals.Value())
	L.Globals.SetString(nil, "_VERSION", String("Lua 5.1"))
}

// returnTail answers with first and then rest, which may be the results of the last call.
// The function has at least one argument.
func (c *Call) returnTail(first Value, rest []Value) {
	c.slots[0] = first
	values := (*frame)(c).withTail(0, 1, rest)
	c.nret = len(values)
	if len(values) == 1 {
		c.ret = values[0]
	} else {
		c.L.ret = values
	}
}

// assert(v [, message])
func baseAssert(L *State, c *Call) {
	if !c.CheckAny(1).Truthy() {
		L.Errorf("%s", c.OptString(2, "assertion failed!"))
	}
	c.Return(c.Args()...)
}

// collectgarbage([option [, argument]]): the collector is Go's; only the answers are Lua's.
func baseCollectGarbage(L *State, c *Call) {
	option := c.CheckOption(1, "collect", "stop", "restart", "collect", "count", "step", "setpause", "setstepmul")
	c.OptInt(2, 0)
	switch option {
	case 3:
		c.Return1(Number(float64(L.held()) / 1024))
	case 4:
		c.Return1(Bool(true))
	case 5, 6:
		c.Return1(Int(200))
	default:
		c.Return1(Int(0))
	}
}

// gcinfo() returns the kilobytes in use.
func baseGCInfo(L *State, c *Call) { c.Return1(Int(L.held() >> 10)) }

// error([message [, level]])
func baseError(L *State, c *Call) {
	level := c.OptInt(2, 1)
	v := c.Arg(1)
	if s, ok := v.ToString(); ok && level > 0 {
		v = L.join([]Value{String(L.Where(level)), String(s)})
	}
	L.Throw(v)
}

// getmetatable(v)
func baseGetMetatable(L *State, c *Call) {
	meta := L.metatable(c.CheckAny(1))
	switch protected := meta.event(eventMetatable); {
	case meta == nil:
		c.Return1(Nil)
	case !protected.IsNil():
		c.Return1(protected)
	default:
		c.Return1(meta.Value())
	}
}

// setmetatable(t, metatable)
func baseSetMetatable(L *State, c *Call) {
	t := c.CheckTable(1)
	meta := c.Arg(2)
	if !meta.IsTable() && !(meta.IsNil() && c.nargs >= 2) {
		c.ArgError(2, "nil or table expected")
	}
	if !t.meta.event(eventMetatable).IsNil() {
		L.Errorf("cannot change a protected metatable")
	}
	t.refuse(L)
	t.meta = meta.AsTable()
	c.Return1(c.Arg(1))
}

// rawequal(a, b)
func baseRawEqual(L *State, c *Call) {
	a, b := c.CheckAny(1), c.CheckAny(2)
	c.Return1(Bool(a.n == b.n && a.IsString() && L.Equal(a, b) || RawEqual(a, b)))
}

// rawget(t, k)
func baseRawGet(L *State, c *Call) {
	t := c.CheckTable(1)
	L.workOnKey(c.CheckAny(2))
	c.Return1(t.Get(c.Arg(2)))
}

// rawset(t, k, v)
func baseRawSet(L *State, c *Call) {
	t := c.CheckTable(1)
	c.CheckAny(2)
	c.CheckAny(3)
	L.workOnKey(c.Arg(2))
	t.Set(L, c.Arg(2), c.Arg(3))
	c.Return1(c.Arg(1))
}

// select(n, ...) or select('#', ...)
func baseSelect(L *State, c *Call) {
	if s, ok := c.Arg(1).AsString(); ok && strings.HasPrefix(s, "#") {
		c.Return1(Int(c.NArgs() - 1))
		return
	}
	i := c.CheckInt(1)
	if i < 0 {
		i += c.NArgs()
	} else if i > c.NArgs() {
		i = c.NArgs()
	}
	if i < 1 {
		c.ArgError(1, "index out of range")
	}
	L.Tick((c.NArgs() - i) >> 4)
	c.Return(c.Args()[i:]...)
}

// tonumber(v [, base])
func baseToNumber(L *State, c *Call) {
	base := c.OptInt(2, 10)
	if base == 10 {
		if f, ok := L.ToNumber(c.CheckAny(1)); ok {
			c.Return1(Number(f))
			return
		}
		c.Return1(Nil)
		return
	}
	s := c.CheckString(1)
	if base < 2 || base > 36 {
		c.ArgError(2, "base out of range")
	}
	if f, ok := number.ParseBase(L, s, base); ok {
		c.Return1(Number(f))
		return
	}
	c.Return1(Nil)
}

// ToString returns what tostring(v) answers.
func (L *State) ToString(v Value) Value {
	if meta := L.metatable(v); meta != nil {
		if tm := meta.event(eventToString); !tm.IsNil() {
			return L.Call1(tm, v)
		}
	}
	return L.describe(v)
}

// describe is ToString without metamethods.
func (L *State) describe(v Value) Value {
	switch v.Kind() {
	case KindNil:
		return String("nil")
	case KindBoolean:
		if v.AsBool() {
			return String("true")
		}
		return String("false")
	case KindNumber:
		return L.NewString(numberString(v.num()))
	case KindString:
		return v
	case KindLightUserdata:
		if id, _ := v.AsLight(); id == 0 {
			return String("userdata: (nil)")
		}
	}
	return L.NewString(fmt.Sprintf("%s: 0x%012x", v.TypeName(), address(v)))
}

// address returns a number in place of the address C Lua shows: different for every object,
// otherwise without meaning.
func address(v Value) uint64 { return 0x550000000000 + uint64(identity(v))*32 }

// tostring(v)
func baseToString(L *State, c *Call) { c.Return1(L.ToString(c.CheckAny(1))) }

// type(v)
func baseType(L *State, c *Call) { c.Return1(typeNames[c.CheckAny(1).Kind()]) }

var typeNames = func() (names [len(kindNames)]Value) {
	for i, name := range kindNames {
		names[i] = String(name)
	}
	return names
}()

// unpack(t [, i [, j]])
func baseUnpack(L *State, c *Call) {
	t := c.CheckTable(1)
	i := c.OptInt(2, 1)
	j := t.Len
	last := 0
	if c.None(3) {
		last = j()
	} else {
		last = c.CheckInt(3)
	}
	if i > last {
		return
	}
	n := last - i + 1
	if n+c.NArgs() > MaxResults {
		L.Errorf("too many results to unpack")
	}
	L.Tick(n >> 4)
	c.nret = n
	if n == 1 {
		c.ret = t.GetInt(i)
		return
	}
	ret := L.ret[:0]
	for ; i <= last; i++ {
		ret = append(ret, t.GetInt(i))
	}
	L.ret = ret
}

// pcall(f, ...)
func basePcall(L *State, c *Call) {
	c.CheckAny(1)
	g, ok := L.protect(c.Arg(1), c.Args()[1:])
	switch {
	case ok:
		c.returnTail(Bool(true), g.results())
	case L.catch != nil:
		c.returnTail(Bool(false), L.catch(L.pending))
	default:
		c.Return2(Bool(false), L.pending)
	}
}

// xpcall(f, handler)
func baseXpcall(L *State, c *Call) {
	c.CheckAny(2)
	handler := c.Arg(2)
	g, ok := L.protect(c.Arg(1), nil)
	if ok {
		c.returnTail(Bool(true), g.results())
		return
	}
	if g, ok = L.protect(handler, []Value{L.pending}); ok {
		c.Return2(Bool(false), g.first())
		return
	}
	c.Return2(Bool(false), String("error in error handling"))
}

// caughtTicks is what catching an error takes in loop iterations, about.
const caughtTicks = 30

// protect calls fn; ok is false when it threw, and the error value is in pending.
func (L *State) protect(fn Value, args []Value) (g *frame, ok bool) {
	saved, pinned := L.stack, L.pinned
	defer func() {
		if ok {
			return
		}
		if problem := recover(); problem != (raised{}) {
			panic(problem)
		}
		L.ticks -= caughtTicks
		spare := L.spare
		L.stack, L.pinned = saved, pinned
		if L.spare == nil {
			L.spare = spare
		}
	}()
	return L.hostCall(fn, args), true
}

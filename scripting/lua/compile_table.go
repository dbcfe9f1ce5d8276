package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// table compiles a constructor.
func (c *compiler) table(e *syntax.TableExpr) eval {
	array, fields := 0, 0
	for i, item := range e.Items {
		if item.Key != nil {
			fields++
		} else if i < len(e.Items)-1 || !syntax.IsMany(item.Value) {
			array++
		}
	}
	array, fields = roundSize(array), roundSize(fields)
	if len(e.Items) == 0 {
		return func(f *Call) Value { return f.L.NewTable(0, 0).Value() }
	}
	free := c.free
	slot := c.temp()
	fill := c.tableItems(e, slot)
	c.free = free
	return func(f *Call) Value {
		t := f.L.NewTable(array, fields).Value()
		f.slots[slot] = t
		for _, item := range fill {
			item(f)
		}
		return f.slots[slot]
	}
}

// roundSize rounds a constructor's count up as the operand of Lua's NEWTABLE does: three significant bits.
func roundSize(n int) int {
	e := 0
	for n >= 16 {
		n = (n + 1) >> 1
		e++
	}
	if n < 8 {
		return n
	}
	return n << e
}

// listBatch is how many list elements Lua gathers before it stores them.
const listBatch = 50

// tableItems compiles the items of a constructor whose table is in slot. List elements are stored in
// batches, after the fields between them.
func (c *compiler) tableItems(e *syntax.TableExpr, slot uint8) []func(f *Call) {
	var fill []func(f *Call)
	var pending []uint8
	stored := 0
	for i, item := range e.Items {
		if len(pending) == listBatch {
			fill = append(fill, storeList(slot, pending, stored))
			stored += len(pending)
			c.free -= len(pending)
			pending = nil
		}
		if item.Key != nil {
			fill = append(fill, c.tableField(item, slot))
			continue
		}
		if i == len(e.Items)-1 && syntax.IsMany(item.Value) {
			return append(fill, c.storeTail(slot, pending, stored, c.many(item.Value)))
		}
		value := c.eval(item.Value)
		at := c.temp()
		pending = append(pending, at)
		fill = append(fill, func(f *Call) { f.slots[at] = value(f) })
	}
	if len(pending) > 0 {
		fill = append(fill, storeList(slot, pending, stored))
	}
	return fill
}

// storeList stores list elements after the first stored ones.
//
//go:noinline
func storeList(slot uint8, pending []uint8, stored int) func(f *Call) {
	first, n := int(pending[0]), len(pending)
	return func(f *Call) {
		f.slots[slot].AsTable().setList(f.L, stored, f.slots[first:first+n])
	}
}

// storeTail stores the last list elements and what a call or "..." yields behind them.
//
//go:noinline
func (c *compiler) storeTail(slot uint8, pending []uint8, stored int, tail many) func(f *Call) {
	n := len(pending)
	first := 0
	if n > 0 {
		first = int(pending[0])
	}
	return func(f *Call) {
		values := tail(f)
		f.L.Tick(len(values) >> 4)
		t := f.slots[slot].AsTable()
		t.growArray(f.L, stored+n+len(values))
		t.setList(f.L, stored, f.slots[first:first+n])
		t.setList(f.L, stored+n, values)
	}
}

// setList stores elements from+1 and on.
func (t *Table) setList(L *State, from int, values []Value) {
	t.growArray(L, from+len(values))
	if int(t.dense) != from {
		for i, v := range values {
			t.SetInt(L, from+i+1, v)
		}
		return
	}
	t.dense += int32(copy(t.array[from:], values))
	for _, v := range values {
		if v.IsNil() {
			t.recount(L)
			return
		}
	}
}

func (c *compiler) tableField(item syntax.TableItem, slot uint8) func(f *Call) {
	pc := c.site(item.Line, nameNone, "")
	if s, ok := item.Key.(syntax.StringExpr); ok {
		k := c.constant(s.Value)
		value := c.eval(item.Value)
		return func(f *Call) {
			v := value(f)
			f.slots[slot].AsTable().setString(f.L, k.Value, k.hash, v)
		}
	}
	late := isLocal(item.Key)
	key := c.eval(item.Key)
	free := c.free
	temp := c.temp()
	value := c.eval(item.Value)
	c.free = free
	return func(f *Call) {
		var k Value
		if !late {
			f.slots[temp] = key(f)
		}
		v := value(f)
		if late {
			k = key(f)
		} else {
			k = f.slots[temp]
		}
		f.pc = pc
		f.slots[slot].AsTable().Set(f.L, k, v)
	}
}

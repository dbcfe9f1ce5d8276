package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// table compiles a constructor.
func (fs *compiler) table(e *syntax.TableExpr) eval {
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
		return func(f *frame) Value { return f.L.NewTable(0, 0).Value() }
	}
	free := fs.free
	slot := fs.temp()
	fill := fs.tableItems(e, slot)
	fs.free = free
	return func(f *frame) Value {
		t := f.L.NewTable(array, fields).Value()
		f.slots[slot] = t
		for _, item := range fill {
			item(f)
		}
		return f.slots[slot]
	}
}

// roundSize rounds a constructor's count up as the operand of Lua's NEWTABLE does: three
// significant bits.
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

// tableItems compiles the items of a constructor whose table is in slot. List elements are stored
// in batches, after the fields between them.
func (fs *compiler) tableItems(e *syntax.TableExpr, slot uint8) []func(f *frame) {
	var fill []func(f *frame)
	var pending []uint8
	stored := 0
	for i, item := range e.Items {
		if len(pending) == listBatch {
			fill = append(fill, storeList(slot, pending, stored))
			stored += len(pending)
			fs.free -= len(pending)
			pending = nil
		}
		if item.Key != nil {
			fill = append(fill, fs.tableField(item, slot))
			continue
		}
		if i == len(e.Items)-1 && syntax.IsMany(item.Value) {
			return append(fill, fs.storeTail(slot, pending, stored, fs.many(item.Value)))
		}
		line := item.Line
		if i == len(e.Items)-1 {
			line = e.EndLine
		}
		value := fs.evalAt(item.Value, line)
		at := fs.temp()
		pending = append(pending, at)
		fill = append(fill, func(f *frame) { f.slots[at] = value(f) })
	}
	if len(pending) > 0 {
		fill = append(fill, storeList(slot, pending, stored))
	}
	return fill
}

// storeList stores list elements after the first stored ones. Not inlined: a maker.
//
//go:noinline
func storeList(slot uint8, pending []uint8, stored int) func(f *frame) {
	first, n := int(pending[0]), len(pending)
	return func(f *frame) {
		f.slots[slot].AsTable().setList(f.L, stored, f.slots[first:first+n])
	}
}

// storeTail stores the last list elements and what a call or "..." yields behind them. Not inlined:
// a maker.
//
//go:noinline
func (fs *compiler) storeTail(slot uint8, pending []uint8, stored int, tail many) func(f *frame) {
	n := len(pending)
	first := 0
	if n > 0 {
		first = int(pending[0])
	}
	return func(f *frame) {
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

// tableField compiles [key] = value. The table lies in slot; Lua reads a key that is a local
// variable only after the value.
func (fs *compiler) tableField(item syntax.TableItem, slot uint8) func(f *frame) {
	pc := fs.site(item.Line, nameNone, "")
	if s, ok := item.Key.(syntax.StringExpr); ok {
		k := fs.constant(s.Value)
		value := fs.after(item.Line, fs.eval(item.Value))
		return func(f *frame) {
			v := value(f)
			f.slots[slot].AsTable().setString(f.L, k.Value, k.hash, v)
		}
	}
	late := isLocal(item.Key)
	key := fs.eval(item.Key)
	free := fs.free
	temp := fs.temp()
	value := fs.after(item.Line, fs.eval(item.Value))
	fs.free = free
	return func(f *frame) {
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

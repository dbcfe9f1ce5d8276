package lua

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// concat joins operands from the right as Lua's .. does: strings and numbers at once, anything else
// by its metamethod. sites name the operands. The slice is overwritten.
func (L *State) concat(operands []Value, sites []Site) Value {
	for len(operands) > 1 {
		n := joinable(operands)
		if n < 2 {
			last := len(operands) - 2
			operands[last] = L.concatMeta(operands[last], operands[last+1], sites[last:])
			operands = operands[:last+1]
			continue
		}
		first := len(operands) - n
		// All at once: one pair after the other would copy the text each time.
		operands[first] = L.join(operands[first:])
		operands = operands[:first+1]
	}
	return operands[0]
}

// joinable returns how many operands at the end are strings or numbers.
func joinable(operands []Value) int {
	n := 0
	for i := len(operands) - 1; i >= 0 && (operands[i].IsString() || operands[i].IsNumber()); i-- {
		n++
	}
	return n
}

// join makes one string of strings and numbers.
func (L *State) join(operands []Value) Value {
	var digits [128]byte
	size := 0
	for i, v := range operands {
		if v.IsNumber() {
			v = L.NewString(string(number.Append(digits[:0], v.num())))
			operands[i] = v
		}
		size += int(v.n & lenMask)
	}
	L.Alloc(stringBytes(size))
	L.work(size)
	var b strings.Builder
	b.Grow(size)
	for _, v := range operands {
		L.write(&b, v.str())
	}
	return String(b.String())
}

// concatMeta joins two operands by a metamethod. As in C Lua the error names the right one if the
// left one could be joined.
func (L *State) concatMeta(a, b Value, sites []Site) Value {
	tm := L.metatable(a).event(eventConcat)
	if tm.IsNil() {
		tm = L.metatable(b).event(eventConcat)
	}
	if tm.IsNil() {
		if a.IsString() || a.IsNumber() {
			L.typeErrorAt(b, "concatenate", &sites[1])
		}
		L.typeErrorAt(a, "concatenate", &sites[0])
	}
	return L.Call1(tm, a, b)
}

package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// event is a metamethod.
type event uint8

const (
	eventIndex event = iota
	eventNewIndex
	eventEqual
	eventCall
	eventLess
	eventLessEqual
	eventConcat
	eventNegate // from here on their absence is not remembered
	eventLength
	eventAdd
	eventSub
	eventMul
	eventDiv
	eventMod
	eventPow
	eventToString
	eventMetatable
	rememberedEvents = eventNegate
)

// eventKeys are the events' names as table keys.
var eventKeys = [...]Key{
	eventIndex: makeKey("__index"), eventNewIndex: makeKey("__newindex"), eventEqual: makeKey("__eq"),
	eventCall: makeKey("__call"), eventLess: makeKey("__lt"), eventLessEqual: makeKey("__le"),
	eventConcat: makeKey("__concat"), eventNegate: makeKey("__unm"), eventLength: makeKey("__len"),
	eventAdd: makeKey("__add"), eventSub: makeKey("__sub"), eventMul: makeKey("__mul"),
	eventDiv: makeKey("__div"), eventMod: makeKey("__mod"), eventPow: makeKey("__pow"),
	eventToString: makeKey("__tostring"), eventMetatable: makeKey("__metatable"),
}

// arithmeticEvents are the events of the operators OpAdd to OpPow.
var arithmeticEvents = [...]event{eventAdd, eventSub, eventMul, eventDiv, eventMod, eventPow}

// Key is a value about to serve as a table key, with its hash if it is a string.
type Key struct {
	Value
	hash uint32
}

// NewKey returns v as a key. O(length of a string).
func NewKey(v Value) Key {
	if v.IsString() {
		return Key{v, hashString(v.str())}
	}
	return Key{Value: v}
}

func makeKey(s string) Key { return Key{String(s), hashString(s)} }

// event returns the metamethod for e of a metatable, which may be nil. A metatable remembers which
// of the first events it lacks, as C Lua's flags do; a store of a new key forgets that.
func (t *Table) event(e event) Value {
	if t == nil || e < rememberedEvents && t.absent&(1<<e) != 0 {
		return Nil
	}
	k := &eventKeys[e]
	if n := t.main(k.hash); n.key == k.Value && n.val.p != nil {
		return n.val
	}
	v := t.getString(k.Value, k.hash)
	if e < rememberedEvents && v.IsNil() {
		t.absent |= 1 << e
	}
	return v
}

// metatable returns the metatable of any value, nil if it has none.
func (L *State) metatable(v Value) *Table {
	switch {
	case v.IsTable():
		return (*Table)(v.p).meta
	case v.IsString():
		return L.stringMeta
	case v.n == tagUserdata && !v.IsNumber():
		return (*Userdata)(v.p).meta
	}
	return nil
}

// maxMetaLoop bounds chains of __index and __newindex tables, as MAXTAGLOOP.
const maxMetaLoop = 100

// Index returns o[k] with metamethods.
func (L *State) Index(o, k Value) Value {
	return L.index(o, k, nil)
}

// index is Index; at names o in the error when the running function is Lua's.
func (L *State) index(o, k Value, at *Site) Value {
	for range maxMetaLoop {
		var tm Value
		if t := o.AsTable(); t != nil {
			if v := t.Get(k); !v.IsNil() {
				return v
			}
			if tm = t.meta.event(eventIndex); tm.IsNil() {
				return Nil
			}
		} else if tm = L.metatable(o).event(eventIndex); tm.IsNil() {
			L.typeErrorAt(o, "index", at)
		}
		if tm.IsFunction() {
			return L.Call1(tm, o, k)
		}
		o, at = tm, nil // errors about an __index value do not name the variable
	}
	L.fail("loop in gettable")
	return Nil
}

// SetIndex performs o[k] = v with metamethods.
func (L *State) SetIndex(o, k, v Value) { L.setIndex(o, k, v, nil) }

// setIndex is SetIndex; at names o in the error.
func (L *State) setIndex(o, k, v Value, at *Site) {
	L.workOnKey(k)
	for range maxMetaLoop {
		var tm Value
		if t := o.AsTable(); t != nil {
			t.refuse(L)
			if t.meta == nil || t.meta.event(eventNewIndex).IsNil() || !t.Get(k).IsNil() || k.noKey() {
				t.Set(L, k, v)
				return
			}
			tm = t.meta.event(eventNewIndex)
		} else if tm = L.metatable(o).event(eventNewIndex); tm.IsNil() {
			L.typeErrorAt(o, "index", at)
		}
		if tm.IsFunction() {
			L.Call(tm, o, k, v)
			return
		}
		o, at = tm, nil
	}
	L.fail("loop in settable")
}

// noKey reports whether v is nil or NaN, which Set refuses. C Lua refuses them before it looks for
// __newindex.
func (v Value) noKey() bool { return v.IsNil() || v.IsNumber() && v.num() != v.num() }

// arith performs a binary operation on operands that are not both numbers.
func (L *State) arith(op syntax.Operator, a, b Value, at []Site) Value {
	if x, ok := L.ToNumber(a); ok {
		if y, ok := L.ToNumber(b); ok {
			return Number(op.Compute(x, y))
		}
	}
	e := arithmeticEvents[op]
	tm := L.metatable(a).event(e)
	if tm.IsNil() {
		tm = L.metatable(b).event(e)
	}
	if tm.IsNil() {
		L.arithError(a, b, at)
	}
	return L.Call1(tm, a, b)
}

// arithError blames the first operand that is no number.
func (L *State) arithError(a, b Value, at []Site) {
	const doing = "perform arithmetic on"
	if _, ok := L.ToNumber(a); !ok {
		L.typeErrorAt(a, doing, &at[0])
	}
	L.typeErrorAt(b, doing, &at[1])
}

// negate performs -v on what is no number.
func (L *State) negate(v Value, at *Site) Value {
	if x, ok := L.ToNumber(v); ok {
		return Number(-x)
	}
	tm := L.metatable(v).event(eventNegate)
	if tm.IsNil() {
		L.typeErrorAt(v, "perform arithmetic on", at)
	}
	return L.Call1(tm, v, v)
}

// length performs #v.
func (L *State) length(v Value, at *Site) Value {
	if t := v.AsTable(); t != nil {
		return Int(t.Len())
	}
	if v.IsString() {
		return Int(int(v.n & lenMask))
	}
	tm := L.metatable(v).event(eventLength)
	if tm.IsNil() {
		L.typeErrorAt(v, "get length of", at)
	}
	return L.Call1(tm, v, Nil)
}

// Equal reports a == b with metamethods.
func (L *State) Equal(a, b Value) bool {
	if a.n == b.n && a.IsString() {
		L.work(len(a.str()))
		return a.p == b.p || L.same(a.str(), b.str())
	}
	if RawEqual(a, b) {
		return true
	}
	if a.n != b.n || a.n != tagTable && a.n != tagUserdata || a.IsNumber() {
		return false
	}
	m1, m2 := L.metatable(a), L.metatable(b)
	tm := m1.event(eventEqual)
	if tm.IsNil() || m1 != m2 && !RawEqual(tm, m2.event(eventEqual)) {
		return false
	}
	return L.Call1(tm, a, b).Truthy()
}

// Less reports a < b with metamethods; it throws "attempt to compare ...".
func (L *State) Less(a, b Value) bool {
	if a.IsNumber() && b.IsNumber() {
		return a.num() < b.num()
	}
	if a.IsString() && b.IsString() {
		L.work(min(len(a.str()), len(b.str())))
		return L.compare(a.str(), b.str()) < 0
	}
	if less, ok := L.compareMeta(eventLess, a, b); ok {
		return less
	}
	L.compareError(a, b)
	return false
}

// LessEqual reports a <= b with metamethods: without __le, not (b < a).
func (L *State) LessEqual(a, b Value) bool {
	if a.IsNumber() && b.IsNumber() {
		return a.num() <= b.num()
	}
	if a.IsString() && b.IsString() {
		L.work(min(len(a.str()), len(b.str())))
		return L.compare(a.str(), b.str()) <= 0
	}
	if less, ok := L.compareMeta(eventLessEqual, a, b); ok {
		return less
	}
	if less, ok := L.compareMeta(eventLess, b, a); ok {
		return !less
	}
	L.compareError(a, b)
	return false
}

// compareMeta asks the metamethod both operands share.
func (L *State) compareMeta(e event, a, b Value) (result, ok bool) {
	if a.Kind() != b.Kind() {
		return false, false
	}
	tm := L.metatable(a).event(e)
	if tm.IsNil() || !RawEqual(tm, L.metatable(b).event(e)) {
		return false, false
	}
	return L.Call1(tm, a, b).Truthy(), true
}

func (L *State) compareError(a, b Value) {
	t1, t2 := a.TypeName(), b.TypeName()
	if t1[2] == t2[2] { // the letter C Lua looks at: a string and a thread are "two string values"
		L.fail("attempt to compare two %s values", t1)
	}
	L.fail("attempt to compare %s with %s", t1, t2)
}

package lua

import (
	"math"
	"unsafe"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// Kind is the type of a value as a script sees it.
type Kind uint8

const (
	KindNil Kind = iota
	KindBoolean
	KindLightUserdata
	KindNumber
	KindString
	KindTable
	KindFunction
	KindUserdata
	KindThread
)

var kindNames = [...]string{
	"nil", "boolean", "userdata", "number", "string", "table", "function", "userdata", "thread",
}

// String returns what type() answers.
func (k Kind) String() string { return kindNames[k] }

// Value is one Lua value in two words. The zero Value is nil.
//
//	nil        p = nil        n = 0
//	false      p = nil        n = 1
//	true       p = &trueMark  n = 0
//	number     p = &numMark   n = the bits of the float64
//	string     p = the bytes  n = tagString | length
//	others     p = the object n = their tag
//
// So a value is truthy when p is not nil, a number when p is &numMark, a table when n is tagTable.
// The tags are NaNs no arithmetic yields; Number64 keeps foreign NaNs from looking like one.
//
// The pointer is always one that Go's collector knows, so values need no care of their own. What it
// points to follows from the tag (invariant 9 of package lua): code looks at n before it converts
// p.
type Value struct {
	p unsafe.Pointer
	n uint64
}

const (
	tagShift = 48
	lenMask  = 1<<tagShift - 1

	tagLight    = 0xfff9 << tagShift
	tagString   = 0xfffa << tagShift
	tagTable    = 0xfffb << tagShift
	tagFunction = 0xfffc << tagShift
	tagUserdata = 0xfffd << tagShift
	tagThread   = 0xfffe << tagShift
	tagCell     = 0xffff << tagShift // a captured variable's cell in a frame; scripts never see it
)

// The marks only lend their addresses.
var numMark, trueMark, lightMark, emptyMark struct{ _ uint64 }

// Nil is the absent value.
var Nil = Value{}

// Bool returns true or false.
func Bool(b bool) Value {
	if b {
		return Value{p: unsafe.Pointer(&trueMark)}
	}
	return Value{n: 1}
}

// Number returns a number. f must be the outcome of arithmetic or parsing; floats made from
// foreign bits go through Number64.
func Number(f float64) Value {
	return Value{unsafe.Pointer(&numMark), math.Float64bits(f)}
}

// Int returns i as a number, rounded where a float64 cannot hold it.
func Int(i int) Value { return Number(float64(i)) }

// Number64 returns any f as a number: NaNs keep their sign and lose their payload.
func Number64(f float64) Value {
	if f != f {
		f = math.Copysign(math.Float64frombits(0x7ff8<<tagShift), f)
	}
	return Number(f)
}

// String returns s as a value; its bytes are shared, not copied.
func String(s string) Value {
	if len(s) == 0 {
		return Value{unsafe.Pointer(&emptyMark), tagString}
	}
	return Value{unsafe.Pointer(unsafe.StringData(s)), tagString | uint64(len(s))}
}

// Bytes returns a string holding b itself: b must never change afterwards.
// For a buffer that lives on, use String(string(b)).
func Bytes(b []byte) Value {
	if len(b) == 0 {
		return Value{unsafe.Pointer(&emptyMark), tagString}
	}
	return Value{unsafe.Pointer(unsafe.SliceData(b)), tagString | uint64(len(b))}
}

// Light returns the light userdata of address id. Light(0) is C's NULL.
func Light(id uint32) Value {
	return Value{unsafe.Pointer(&lightMark), tagLight | uint64(id)}
}

// Value returns the table as a value.
func (t *Table) Value() Value { return Value{unsafe.Pointer(t), tagTable} }

// Value returns the function as a value.
func (fn *Function) Value() Value { return Value{unsafe.Pointer(fn), tagFunction} }

// Value returns the userdata as a value.
func (u *Userdata) Value() Value { return Value{unsafe.Pointer(u), tagUserdata} }

// Value returns the coroutine as a value.
func (co *Coroutine) Value() Value { return Value{unsafe.Pointer(co), tagThread} }

// Kind returns the type of v.
func (v Value) Kind() Kind {
	switch v.p {
	case nil:
		return Kind(v.n)
	case unsafe.Pointer(&numMark):
		return KindNumber
	case unsafe.Pointer(&trueMark):
		return KindBoolean
	}
	switch v.n >> tagShift {
	case tagLight >> tagShift:
		return KindLightUserdata
	case tagString >> tagShift:
		return KindString
	case tagTable >> tagShift:
		return KindTable
	case tagFunction >> tagShift:
		return KindFunction
	case tagUserdata >> tagShift:
		return KindUserdata
	}
	return KindThread
}

// TypeName returns what type() answers for v.
func (v Value) TypeName() string { return v.Kind().String() }

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.p == nil && v.n == 0 }

// Truthy reports whether v is neither nil nor false.
func (v Value) Truthy() bool { return v.p != nil }

// IsNumber reports whether v is a number; strings are not.
func (v Value) IsNumber() bool { return v.p == unsafe.Pointer(&numMark) }

// IsString reports whether v is a string; numbers are not.
func (v Value) IsString() bool { return v.n>>tagShift == tagString>>tagShift }

// IsTable reports whether v is a table.
func (v Value) IsTable() bool { return v.n == tagTable }

// IsFunction reports whether v is a function.
func (v Value) IsFunction() bool { return v.n == tagFunction }

// AsBool returns v, which must be a boolean.
func (v Value) AsBool() bool { return v.p != nil }

// AsNumber returns v's number, and false when v is not a number. Strings are not converted: see
// ToNumber.
func (v Value) AsNumber() (float64, bool) {
	return math.Float64frombits(v.n), v.p == unsafe.Pointer(&numMark)
}

// AsString returns v's string, and false when v is not a string. Numbers are not converted: see
// ToString.
func (v Value) AsString() (string, bool) {
	if v.n>>tagShift != tagString>>tagShift {
		return "", false
	}
	return v.str(), true
}

// AsTable returns v's table, nil when it is none.
func (v Value) AsTable() *Table {
	if v.n != tagTable {
		return nil
	}
	return (*Table)(v.p)
}

// AsFunction returns v's function, nil when it is none.
func (v Value) AsFunction() *Function {
	if v.n != tagFunction {
		return nil
	}
	return (*Function)(v.p)
}

// AsUserdata returns v's userdata, nil when it is none.
func (v Value) AsUserdata() *Userdata {
	if v.n != tagUserdata {
		return nil
	}
	return (*Userdata)(v.p)
}

// AsCoroutine returns v's coroutine, nil when it is none.
func (v Value) AsCoroutine() *Coroutine {
	if v.n != tagThread {
		return nil
	}
	return (*Coroutine)(v.p)
}

// AsLight returns the address of a light userdata, and false when v is none.
func (v Value) AsLight() (uint32, bool) {
	return uint32(v.n), v.n>>tagShift == tagLight>>tagShift
}

// str returns the string of v, which must be one (invariant 9). Its bytes never change: see Bytes.
func (v Value) str() string {
	return unsafe.String((*byte)(v.p), int(v.n&lenMask))
}

// num returns the number of v, which must be one.
func (v Value) num() float64 { return math.Float64frombits(v.n) }

// ToNumber returns v as arithmetic takes it: numbers as they are, strings that spell one converted.
// false for everything else.
func (v Value) ToNumber() (float64, bool) {
	if v.p == unsafe.Pointer(&numMark) {
		return v.num(), true
	}
	if v.IsString() {
		return number.Parse(nil, v.str())
	}
	return 0, false
}

// ToNumber is Value.ToNumber, counting the work on long strings.
func (L *State) ToNumber(v Value) (float64, bool) {
	if v.IsString() {
		return number.Parse(L, v.str())
	}
	return v.ToNumber()
}

// ToString returns v as concatenation takes it: strings as they are, numbers formatted (a new
// string). false for everything else; tostring() is State.ToString.
func (v Value) ToString() (string, bool) {
	if v.IsString() {
		return v.str(), true
	}
	if v.IsNumber() {
		return numberString(v.num()), true
	}
	return "", false
}

// numberString returns a number as tostring gives it.
func numberString(f float64) string {
	var buf [32]byte
	return string(number.Append(buf[:0], f))
}

// RawEqual reports a == b without metamethods.
func RawEqual(a, b Value) bool {
	if a.p == b.p {
		if a.p == unsafe.Pointer(&numMark) {
			return a.num() == b.num()
		}
		return a.n == b.n
	}
	// Only strings may be equal in different places; a number never carries their tag.
	return a.n == b.n && a.IsString() && a.str() == b.str()
}

// Userdata is an opaque object with a metatable: newproxy makes them, a host may too.
type Userdata struct {
	Data any
	meta *Table
	id   uint32
	mark uint32
}

const userdataBytes = int(unsafe.Sizeof(Userdata{}))

// NewUserdata returns a userdata holding data under meta, which may be nil.
func NewUserdata(data any, meta *Table) *Userdata { return &Userdata{Data: data, meta: meta} }

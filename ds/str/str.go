// Package str is the string value: a byte string, or an integer kept as such.
//
// Redis has three encodings, which clients can see through OBJECT ENCODING:
//
//	int     the text of a 64-bit integer, held as 8 bytes
//	embstr  at most 44 bytes, never modified in place; up to 112 bytes in Valkey 9
//	raw     longer, or modified in place (APPEND, SETRANGE, SETBIT)
//
// Invariants, verified by Check:
//  1. An int's text is canonical: what strconv prints parses back to it, so Text loses nothing.
//  2. A value is int only if Of or OfInt made it one; in-place writes make it raw for good, as in
//     Redis.
//  3. An int holds no bytes, an embstr at most EmbedMax.
//
// Non-goals: shared small integers; here an int costs no object of its own.
package str

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/value"
)

// EmbstrMax is the longest text, in bytes, that Redis 7.0 embeds beside its object header.
const EmbstrMax = 44

// EmbedMax is the longest text, in bytes, that any release embeds: Valkey 9.1 beside a key of one
// byte.
const EmbedMax = 112

// Enc is an encoding of a Value.
type Enc uint8

// The encodings of a Value, as Redis names them.
const (
	Embstr Enc = iota
	Raw
	Int
)

// Value is a string value. The zero Value is the empty embstr.
type Value struct {
	b   []byte
	n   int64
	enc Enc
}

// Of returns the value that Redis would store for b: an int if b is the canonical text of a
// 64-bit integer of at most 20 bytes, else embstr or raw by length. The value aliases b.
func Of(b []byte) Value {
	if n, ok := parseInt(b); ok {
		return Value{n: n, enc: Int}
	}
	return OfText(b)
}

// OfText returns b as a value that is not an int even if b spells one: embstr or raw by length. So
// Redis keeps what INCRBYFLOAT computed. The value aliases b.
func OfText(b []byte) Value {
	if len(b) <= EmbedMax {
		return Value{b: b}
	}
	return Value{b: b, enc: Raw}
}

// OfInt returns n as an int value.
func OfInt(n int64) Value { return Value{n: n, enc: Int} }

// OfEnc rebuilds a value held as text in the given encoding, Embstr or Raw. The value aliases b.
func OfEnc(b []byte, form Enc) Value { return Value{b: b, enc: form} }

// Enc returns how the value is held.
func (v *Value) Enc() Enc { return v.enc }

// Int returns the integer of an int value; ok is false for the other encodings.
func (v *Value) Int() (n int64, ok bool) { return v.n, v.enc == Int }

// Text returns the bytes of the value. An int is rendered into buf[:0]; the other encodings return
// the value's own bytes, to be read only and only until the value is next written.
func (v *Value) Text(buf []byte) []byte {
	if v.enc == Int {
		return strconv.AppendInt(buf[:0], v.n, 10)
	}
	return v.b
}

// Len returns the length of the text in bytes.
func (v *Value) Len() int {
	if v.enc == Int {
		return digits(v.n)
	}
	return len(v.b)
}

// Bytes returns the bytes held beyond the Value itself.
func (v *Value) Bytes() int { return cap(v.b) }

// Encoding returns "int", "embstr" or "raw", as Redis 7.0 does.
func (v *Value) Encoding() string {
	switch {
	case v.enc == Int:
		return "int"
	case v.enc == Raw || len(v.b) > EmbstrMax:
		return "raw"
	}
	return "embstr"
}

// Edit returns the text as a slice of length n that the caller may change in place, padded with
// zero bytes where n exceeds the length; a shorter n leaves the length as it is. The value is raw
// from here on. Cost O(n) when it must grow, amortized.
func (v *Value) Edit(n int) []byte {
	v.makeRaw()
	if old := len(v.b); n > old {
		v.b = append(v.b, make([]byte, n-old)...) // the compiler makes no second slice
	}
	return v.b
}

// Append adds b to the text and returns the new length. b is copied. The value is raw from here on.
// Cost O(len(b)), amortized.
func (v *Value) Append(b []byte) int {
	v.makeRaw()
	v.b = append(v.b, b...)
	return len(v.b)
}

// makeRaw gives the value its text, to be changed.
func (v *Value) makeRaw() {
	if v.enc == Int {
		v.b = strconv.AppendInt(nil, v.n, 10)
	}
	v.n, v.enc = 0, Raw
}

// Packed returns the bytes of the value's text, or the 8 bytes of an int in the processor's order.
func (v *Value) Packed() ([]byte, bool) {
	if v.enc == Int {
		return unsafe.Slice((*byte)(unsafe.Pointer(&v.n)), unsafe.Sizeof(v.n)), true
	}
	return v.b, true
}

// OfPackedInt returns the int value of which payload is the Packed.
func OfPackedInt(payload []byte) Value { return OfInt(int64(binary.NativeEndian.Uint64(payload))) }

// Clone returns a value that shares no memory with v.
func (v *Value) Clone() value.Value {
	c := v.clone()
	return &c
}

func (v *Value) clone() Value {
	c := *v
	if v.b != nil {
		c.b = append([]byte(nil), v.b...)
	}
	return c
}

// Assign makes v a copy of w, in the memory v already has if w's text fits there without wasting
// more than a quarter of it.
func (v *Value) Assign(w *Value) {
	if n := len(w.b); n > cap(v.b) || 4*n < 3*cap(v.b) {
		*v = w.clone()
		return
	}
	v.b, v.n, v.enc = append(v.b[:0], w.b...), w.n, w.enc
}

// Check returns the first violated invariant; nil if there is none.
func (v *Value) Check() error {
	switch {
	case v.enc > Int:
		return fmt.Errorf("str: form %d", v.enc)
	case v.enc == Int && len(v.b) > 0:
		return fmt.Errorf("str: int %d with %d bytes", v.n, len(v.b))
	case v.enc == Embstr && len(v.b) > EmbedMax:
		return fmt.Errorf("str: embstr of %d bytes", len(v.b))
	}
	return nil
}

// digits returns the length of n's decimal text.
func digits(n int64) int {
	sign, u := 0, uint64(n)
	if n < 0 {
		sign, u = 1, -u
	}
	// log10 from log2: 1233/4096 is just above log10(2).
	d := (bits.Len64(u|1) * 1233) >> 12
	if u >= pow10[d] {
		d++
	}
	return sign + max(d, 1)
}

var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// parseInt reads the canonical decimal text of an int64: no blanks, no plus, no leading zeros.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	neg, d := b[0] == '-', b
	if neg {
		d = b[1:]
	}
	if len(d) == 0 || d[0] < '0' || d[0] > '9' || d[0] == '0' && (neg || len(d) > 1) {
		return 0, false
	}
	var u uint64
	for _, ch := range d {
		if ch < '0' || ch > '9' {
			return 0, false
		}
		hi, lo := bits.Mul64(u, 10)
		if hi != 0 || lo > ^uint64(0)-uint64(ch-'0') {
			return 0, false
		}
		u = lo + uint64(ch-'0')
	}
	if neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

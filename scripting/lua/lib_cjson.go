package lua

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// cjson is one instance of the cjson library: its settings, which cjson.new()
// begins anew, and what it keeps from one call to the next.
type cjson struct {
	sparseConvert  int // 1: arrays with too many holes become objects
	sparseRatio    int // holes are too many when the length exceeds the elements by this factor
	sparseSafe     int // and this
	encodeDepth    int
	decodeDepth    int
	precision      int // significant digits of numbers
	keepBuffer     int // accepted for compatibility
	encodeInvalids int // an index of invalidOptions
	decodeInvalids int // an index of switchOptions

	buffer  buffer
	builder *builder
}

var (
	switchOptions  = []string{"off", "on"}
	invalidOptions = []string{"off", "on", "null"}
)

// OpenCjson installs the cjson library, as Redis ships it, as the global cjson.
func OpenCjson(L *State) *Table {
	t := newCjson(L)
	L.Globals.SetString(nil, "cjson", t.Value())
	return t
}

func newCjson(L *State) *Table {
	j := &cjson{
		sparseRatio: 2, sparseSafe: 10, encodeDepth: 1000, decodeDepth: 1000,
		precision: 14, keepBuffer: 1, decodeInvalids: 1, builder: L.newBuilder(),
	}
	t := functionTable([]entry{
		{"decode", j.decode},
		{"decode_invalid_numbers", j.setDecodeInvalids},
		{"decode_max_depth", j.setDecodeDepth},
		{"encode", j.encode},
		{"encode_invalid_numbers", j.setEncodeInvalids},
		{"encode_keep_buffer", j.setKeepBuffer},
		{"encode_max_depth", j.setEncodeDepth},
		{"encode_number_precision", j.setPrecision},
		{"encode_sparse_array", j.setSparse},
		{"new", func(L *State, c *Call) { c.Return1(newCjson(L).Value()) }},
	})
	t.SetString(nil, "null", Light(0))
	t.SetString(nil, "_NAME", String("cjson"))
	t.SetString(nil, "_VERSION", String("2.1.0"))
	return t
}

// The settings. Each function changes those it is given and answers with what
// then holds.

// cjson.encode_sparse_array([convert [, ratio [, safe]]])
func (j *cjson) setSparse(_ *State, c *Call) {
	c.atMost(3)
	convert := c.setSwitch(1, &j.sparseConvert, switchOptions)
	ratio := c.setInteger(2, &j.sparseRatio, 0, math.MaxInt32)
	safe := c.setInteger(3, &j.sparseSafe, 0, math.MaxInt32)
	c.Return(convert, ratio, safe)
}

// cjson.encode_max_depth([depth])
func (j *cjson) setEncodeDepth(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setInteger(1, &j.encodeDepth, 1, math.MaxInt32))
}

// cjson.decode_max_depth([depth])
func (j *cjson) setDecodeDepth(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setInteger(1, &j.decodeDepth, 1, math.MaxInt32))
}

// cjson.encode_number_precision([digits])
func (j *cjson) setPrecision(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setInteger(1, &j.precision, 1, 14))
}

// cjson.encode_keep_buffer([keep])
func (j *cjson) setKeepBuffer(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setSwitch(1, &j.keepBuffer, switchOptions))
}

// cjson.encode_invalid_numbers([allow])
func (j *cjson) setEncodeInvalids(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setSwitch(1, &j.encodeInvalids, invalidOptions))
}

// cjson.decode_invalid_numbers([allow])
func (j *cjson) setDecodeInvalids(_ *State, c *Call) {
	c.atMost(1)
	c.Return1(c.setSwitch(1, &j.decodeInvalids, switchOptions))
}

func (c *Call) atMost(n int) {
	if c.NArgs() > n {
		c.ArgError(n+1, "found too many arguments")
	}
}

// setInteger changes a setting to argument i, unless that is nil, and returns it.
// The library blames its first argument whichever is out of bounds.
func (c *Call) setInteger(i int, setting *int, low, high int) Value {
	if !c.None(i) {
		n := c.CheckInt(i)
		if n < low || n > high {
			c.ArgError(1, "expected integer between "+numberString(float64(low))+" and "+numberString(float64(high)))
		}
		*setting = n
	}
	return Int(*setting)
}

// setSwitch changes a setting to argument i, a boolean or an option, unless
// that is nil, and returns it: a boolean for off and on.
func (c *Call) setSwitch(i int, setting *int, options []string) Value {
	if v := c.Arg(i); v.Kind() == KindBoolean {
		*setting = 0
		if v.AsBool() {
			*setting = 1
		}
	} else if !v.IsNil() {
		*setting = c.CheckOption(i, "", options...)
	}
	if *setting > 1 {
		return String(options[*setting])
	}
	return Bool(*setting == 1)
}

// jsonEncoder appends values as JSON.
type jsonEncoder struct {
	buffer
	*cjson
	L     *State
	depth int
	slots int // values C would have on its stack
}

// cjson.encode(value)
func (j *cjson) encode(L *State, c *Call) {
	if c.NArgs() != 1 {
		c.ArgError(1, "expected 1 argument")
	}
	e := jsonEncoder{cjson: j, L: L, slots: 1}
	j.buffer.lend(&e.buffer)
	e.value(c.Arg(1))
	c.Return1(e.finish(L, &j.buffer))
}

func (e *jsonEncoder) value(v Value) {
	switch v.Kind() {
	case KindString:
		e.string(v.str())
	case KindNumber:
		e.number(v.num())
	case KindTable:
		e.table(v.AsTable())
	case KindNil:
		e.text = append(e.text, "null"...)
	case KindBoolean:
		if v.AsBool() {
			e.text = append(e.text, "true"...)
		} else {
			e.text = append(e.text, "false"...)
		}
	default:
		if id, light := v.AsLight(); !light || id != 0 {
			e.refuse(v, "type not supported")
		}
		e.text = append(e.text, "null"...)
	}
}

func (e *jsonEncoder) refuse(v Value, reason string) {
	e.L.Errorf("Cannot serialise %s: %s", v.TypeName(), reason)
}

func (e *jsonEncoder) number(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.invalid(f)
	case e.precision == 14:
		e.text = number.Append(e.text, f)
	default:
		e.text = number.AppendG(e.text, f, e.precision)
	}
}

func (e *jsonEncoder) invalid(f float64) {
	switch {
	case e.encodeInvalids == 0:
		e.refuse(Number(f), "must not be NaN or Inf")
	case e.encodeInvalids == 2:
		e.text = append(e.text, "null"...)
	case f != f:
		e.text = append(e.text, "nan"...)
	default:
		e.text = number.AppendNonFinite(e.text, f)
	}
}

// jsonEscapes holds what a byte is written as in a string; "" for itself.
var jsonEscapes = func() (escapes [256]string) {
	for c := range 0x20 {
		escapes[c] = `\u00` + string([]byte{lowerHex[c>>4], lowerHex[c&15]})
	}
	escapes['\b'], escapes['\t'], escapes['\n'] = `\b`, `\t`, `\n`
	escapes['\f'], escapes['\r'] = `\f`, `\r`
	escapes['"'], escapes['/'], escapes['\\'] = `\"`, `\/`, `\\`
	escapes[0x7f] = `\u007f`
	return escapes
}()

// longestEscape is the length of \u0000.
const longestEscape = 6

// jsonPlain tells which bytes are written as they are.
var jsonPlain = makeSet(func(c byte) bool { return jsonEscapes[c] == "" })

func (e *jsonEncoder) string(s string) {
	e.grow(e.L, len(s)+2)
	e.text = append(e.text, '"')
	for ; len(s) > piece/8; s = s[piece/8:] {
		e.grow(e.L, longestEscape*piece/8)
		e.escape(s[:piece/8])
		e.L.Tick(piece >> 8)
	}
	if len(e.text) > piece {
		e.grow(e.L, longestEscape*len(s)+smallRoom)
	}
	e.escape(s)
	e.text = append(e.text, '"')
}

// escape appends s as it is between the quotes.
func (e *jsonEncoder) escape(s string) {
	dst, done := e.text, 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; !jsonPlain[c] {
			dst = append(dst, s[done:i]...)
			dst = append(dst, jsonEscapes[c]...)
			done = i + 1
		}
	}
	e.text = append(dst, s[done:]...)
}

// table appends an array if the table has elements and no other keys, else an object.
func (e *jsonEncoder) table(t *Table) {
	e.L.Tick(1)
	e.depth++
	if e.depth > e.encodeDepth || e.slots+3 > maxResults {
		e.L.Errorf("Cannot serialise, excessive nesting (%d)", e.depth)
	}
	n, plain := t.plainArray()
	if !plain {
		n = e.arrayLength(t)
	}
	if n > 0 {
		e.array(t, n)
	} else {
		e.object(t)
	}
	e.depth--
	e.settle(e.L)
}

// arrayLength returns the largest key of a table whose keys are all positive
// integers, else 0 or less. Lengths overflow as C's int does.
func (e *jsonEncoder) arrayLength(t *Table) int {
	largest, n := int32(0), 0
	for at := 0; ; n++ {
		k, _, next, more := t.nextAt(e.L, at)
		if !more {
			break
		}
		f, ok := k.AsNumber()
		if !ok || f < 1 || f != math.Floor(f) {
			return -1
		}
		if f > float64(largest) {
			largest = number.ToInt32(f)
		}
		at = next
		e.L.Tick(1)
	}
	if e.sparseRatio > 0 && int(largest) > n*e.sparseRatio && int(largest) > e.sparseSafe {
		if e.sparseConvert == 0 {
			e.refuse(t.Value(), "excessively sparse array")
		}
		return -1
	}
	return int(largest)
}

func (e *jsonEncoder) array(t *Table, n int) {
	e.slots++
	e.text = append(e.text, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.text = append(e.text, ',')
		}
		e.value(t.GetInt(i))
		e.settle(e.L)
		e.L.Tick(1)
	}
	e.text = append(e.text, ']')
	e.slots--
}

func (e *jsonEncoder) object(t *Table) {
	e.slots += 2
	e.text = append(e.text, '{')
	for at, first := 0, true; ; first = false {
		k, v, next, more := t.nextAt(e.L, at)
		if !more {
			break
		}
		if !first {
			e.text = append(e.text, ',')
		}
		e.L.Tick(1)
		e.key(k)
		e.text = append(e.text, ':')
		e.value(v)
		e.settle(e.L)
		at = next
	}
	e.text = append(e.text, '}')
	e.slots -= 2
}

func (e *jsonEncoder) key(k Value) {
	switch {
	case k.IsString():
		e.string(k.str())
	case k.IsNumber():
		e.text = append(e.text, '"')
		e.number(k.num())
		e.text = append(e.text, '"')
	default:
		e.refuse(k, "table key must be a number or string")
	}
}

package redislib

import (
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// cjson is one instance of the cjson library: its settings, which cjson.new() starts afresh, and
// the memory it keeps from one call to the next.
type cjson struct {
	*JSONSettings
	marks bool // decode_array_with_array_mt is there

	buffer  lua.Buffer
	builder *lua.Builder
}

// JSONSettings are what scripts can choose of an instance.
type JSONSettings struct {
	sparseConvert  int // 1: arrays with too many holes become objects
	sparseRatio    int // holes are too many when the length exceeds the elements by this factor
	sparseSafe     int // and this
	encodeDepth    int
	decodeDepth    int
	precision      int // significant digits of numbers
	keepBuffer     int // accepted for compatibility
	encodeInvalids int // an index of invalidOptions
	decodeInvalids int // an index of switchOptions
	markArrays     int // the same: decoded arrays get a metatable by which encode knows them, also if they are empty
}

// NewJSONSettings returns the settings that Redis starts with.
func NewJSONSettings() JSONSettings {
	return JSONSettings{sparseRatio: 2, sparseSafe: 10, encodeDepth: 1000, decodeDepth: 1000, precision: 14,
		keepBuffer: 1, decodeInvalids: 1}
}

var (
	switchOptions  = []string{"off", "on"}
	invalidOptions = []string{"off", "on", "null"}
)

// OpenCjson installs the cjson library, as Redis ships it, as the global cjson. marks says that it
// has decode_array_with_array_mt, as in Redis 8.4. use gives the library other settings, which it
// changes.
func OpenCjson(L *lua.State, marks bool) (use func(s *JSONSettings)) {
	t, j := newCjson(L, marks)
	L.Globals.SetString(nil, "cjson", t.Value())
	return func(s *JSONSettings) { j.JSONSettings = s }
}

// newCjson returns an instance with the settings that Redis starts with.
func newCjson(L *lua.State, marks bool) (*lua.Table, *cjson) {
	settings := NewJSONSettings()
	j := &cjson{JSONSettings: &settings, marks: marks, builder: L.Builder()}
	t := library(
		lua.NewFunction("decode", j.decode),
		lua.NewFunction("decode_invalid_numbers", j.setDecodeInvalids),
		lua.NewFunction("decode_max_depth", j.setDecodeDepth),
		lua.NewFunction("encode", j.encode),
		lua.NewFunction("encode_invalid_numbers", j.setEncodeInvalids),
		lua.NewFunction("encode_keep_buffer", j.setKeepBuffer),
		lua.NewFunction("encode_max_depth", j.setEncodeDepth),
		lua.NewFunction("encode_number_precision", j.setPrecision),
		lua.NewFunction("encode_sparse_array", j.setSparse),
		lua.NewFunction("new", func(L *lua.State, c *lua.Call) {
			t, _ := newCjson(L, marks)
			c.Return1(t.Value())
		}),
	)
	if marks {
		t.SetString(nil, "decode_array_with_array_mt",
			lua.NewFunction("decode_array_with_array_mt", j.setMarkArrays).Value())
	}
	t.SetString(nil, "null", lua.Light(0))
	t.SetString(nil, "_NAME", lua.String("cjson"))
	t.SetString(nil, "_VERSION", lua.String("2.1.0"))
	return t, j
}

// The settings. Each function changes those that it gets arguments for, and returns the values that
// hold then.

// cjson.encode_sparse_array([convert [, ratio [, safe]]])
func (j *cjson) setSparse(_ *lua.State, c *lua.Call) {
	atMost(c, 3)
	convert := setSwitch(c, 1, &j.sparseConvert, switchOptions)
	ratio := setInteger(c, 2, &j.sparseRatio, 0, math.MaxInt32)
	safe := setInteger(c, 3, &j.sparseSafe, 0, math.MaxInt32)
	c.Return(convert, ratio, safe)
}

// cjson.encode_max_depth([depth])
func (j *cjson) setEncodeDepth(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setInteger(c, 1, &j.encodeDepth, 1, math.MaxInt32))
}

// cjson.decode_max_depth([depth])
func (j *cjson) setDecodeDepth(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setInteger(c, 1, &j.decodeDepth, 1, math.MaxInt32))
}

// cjson.encode_number_precision([digits])
func (j *cjson) setPrecision(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setInteger(c, 1, &j.precision, 1, 14))
}

// cjson.encode_keep_buffer([keep])
func (j *cjson) setKeepBuffer(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setSwitch(c, 1, &j.keepBuffer, switchOptions))
}

// cjson.encode_invalid_numbers([allow])
func (j *cjson) setEncodeInvalids(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setSwitch(c, 1, &j.encodeInvalids, invalidOptions))
}

// cjson.decode_invalid_numbers([allow])
func (j *cjson) setDecodeInvalids(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setSwitch(c, 1, &j.decodeInvalids, switchOptions))
}

// cjson.decode_array_with_array_mt([mark])
func (j *cjson) setMarkArrays(_ *lua.State, c *lua.Call) {
	atMost(c, 1)
	c.Return1(setSwitch(c, 1, &j.markArrays, switchOptions))
}

// arrayMark is the field of a metatable that says that a table is an array.
const arrayMark = "__is_cjson_array"

// mark gives an array the metatable that says so.
func mark(t *lua.Table) {
	meta := lua.NewTable(0, 1)
	meta.SetString(nil, arrayMark, lua.Bool(true))
	meta.SetReadonly(true)
	t.SetMetatable(meta)
}

// isMarked reports whether the metatable of a table says that it is an array.
func isMarked(t *lua.Table) bool {
	meta := t.Metatable()
	return meta != nil && meta.GetString(arrayMark).Truthy()
}

// atMost refuses more than n arguments.
func atMost(c *lua.Call, n int) {
	if c.NArgs() > n {
		c.ArgError(n+1, "found too many arguments")
	}
}

// setInteger changes a setting to argument i, unless that is nil, and returns it.
// The library blames its first argument whichever is out of bounds.
func setInteger(c *lua.Call, i int, setting *int, low, high int) lua.Value {
	if !c.None(i) {
		n := c.CheckInt(i)
		if n < low || n > high {
			c.ArgError(1, fmt.Sprintf("expected integer between %d and %d", low, high))
		}
		*setting = n
	}
	return lua.Int(*setting)
}

// setSwitch changes a setting to argument i, a boolean or an option, unless
// that is nil, and returns it: a boolean for off and on.
func setSwitch(c *lua.Call, i int, setting *int, options []string) lua.Value {
	if v := c.Arg(i); v.Kind() == lua.KindBoolean {
		*setting = 0
		if v.AsBool() {
			*setting = 1
		}
	} else if !v.IsNil() {
		*setting = c.CheckOption(i, "", options...)
	}
	if *setting > 1 {
		return lua.String(options[*setting])
	}
	return lua.Bool(*setting == 1)
}

// jsonEncoder appends values as JSON.
type jsonEncoder struct {
	lua.Buffer
	*cjson
	L     *lua.State
	depth int
	slots int // values that C would have on its stack, which bounds the nesting too
}

// cjson.encode(value)
func (j *cjson) encode(L *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		c.ArgError(1, "expected 1 argument")
	}
	e := jsonEncoder{cjson: j, L: L, slots: 1}
	j.buffer.Lend(&e.Buffer)
	e.value(c.Arg(1))
	c.Return1(e.Finish(L, &j.buffer))
}

func (e *jsonEncoder) value(v lua.Value) {
	switch v.Kind() {
	case lua.KindString:
		s, _ := v.AsString()
		e.string(s)
	case lua.KindNumber:
		f, _ := v.AsNumber()
		e.number(f)
	case lua.KindTable:
		e.table(v.AsTable())
	case lua.KindNil:
		e.Text = append(e.Text, "null"...)
	case lua.KindBoolean:
		if v.AsBool() {
			e.Text = append(e.Text, "true"...)
		} else {
			e.Text = append(e.Text, "false"...)
		}
	default:
		if id, light := v.AsLight(); !light || id != 0 {
			e.refuse(v, "type not supported")
		}
		e.Text = append(e.Text, "null"...)
	}
}

// refuse throws that a value has no place in JSON.
func (e *jsonEncoder) refuse(v lua.Value, reason string) {
	e.L.Errorf("Cannot serialise %s: %s", v.TypeName(), reason)
}

// number appends a number. 14 digits are the default, and Append has a fast path for them.
func (e *jsonEncoder) number(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.invalid(f)
	case e.precision == 14:
		e.Text = number.Append(e.Text, f)
	default:
		e.Text = number.AppendG(e.Text, f, e.precision)
	}
}

// invalid appends an infinity or a NaN as the settings say.
func (e *jsonEncoder) invalid(f float64) {
	switch {
	case e.encodeInvalids == 0:
		e.refuse(lua.Number(f), "must not be NaN or Inf")
	case e.encodeInvalids == 2:
		e.Text = append(e.Text, "null"...)
	case f != f:
		e.Text = append(e.Text, "nan"...)
	default:
		e.Text = number.AppendNonFinite(e.Text, f)
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
var jsonPlain = func() (plain [256]bool) {
	for c, escape := range jsonEscapes {
		plain[c] = escape == ""
	}
	return plain
}()

// string appends s with quotes. A long string goes in parts: escapes may make it six times as long,
// and Grow for all of that at once would count memory that most strings never take.
func (e *jsonEncoder) string(s string) {
	e.Grow(e.L, len(s)+2)
	e.Text = append(e.Text, '"')
	for ; len(s) > lua.Piece/8; s = s[lua.Piece/8:] {
		e.Grow(e.L, longestEscape*lua.Piece/8)
		e.escape(s[:lua.Piece/8])
		e.L.Tick(lua.Piece >> 8)
	}
	if len(e.Text) > lua.Piece {
		e.Grow(e.L, longestEscape*len(s)+lua.MaxUnsettled)
	}
	e.escape(s)
	e.Text = append(e.Text, '"')
}

// escape appends s as it is between the quotes.
func (e *jsonEncoder) escape(s string) {
	dst, done := e.Text, 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; !jsonPlain[c] {
			dst = append(dst, s[done:i]...)
			dst = append(dst, jsonEscapes[c]...)
			done = i + 1
		}
	}
	e.Text = append(dst, s[done:]...)
}

// table appends an array if the table has elements and no other keys, else an object.
func (e *jsonEncoder) table(t *lua.Table) {
	e.L.Tick(1)
	e.depth++
	if e.depth > e.encodeDepth || e.slots+3 > lua.MaxResults {
		e.L.Errorf("Cannot serialise, excessive nesting (%d)", e.depth)
	}
	n, plain := t.PlainArray()
	marked := e.marks && isMarked(t)
	switch {
	case marked:
		n = t.Len()
	case !plain:
		n = e.arrayLength(t)
	}
	if n > 0 || marked {
		e.array(t, n)
	} else {
		e.object(t)
	}
	e.depth--
	e.Settle(e.L)
}

// arrayLength returns the largest key of a table whose keys are all positive
// integers, else 0 or less. Lengths overflow as C's int does.
func (e *jsonEncoder) arrayLength(t *lua.Table) int {
	largest, n := int32(0), 0
	for at := 0; ; n++ {
		k, _, next, more := t.NextAt(e.L, at)
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

func (e *jsonEncoder) array(t *lua.Table, n int) {
	e.slots++
	e.Text = append(e.Text, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.Text = append(e.Text, ',')
		}
		e.value(t.GetInt(i))
		e.Settle(e.L)
		e.L.Tick(1)
	}
	e.Text = append(e.Text, ']')
	e.slots--
}

// object appends an object, its keys in the order of next.
func (e *jsonEncoder) object(t *lua.Table) {
	e.slots += 2
	e.Text = append(e.Text, '{')
	for at, first := 0, true; ; first = false {
		k, v, next, more := t.NextAt(e.L, at)
		if !more {
			break
		}
		if !first {
			e.Text = append(e.Text, ',')
		}
		e.L.Tick(1)
		e.key(k)
		e.Text = append(e.Text, ':')
		e.value(v)
		e.Settle(e.L)
		at = next
	}
	e.Text = append(e.Text, '}')
	e.slots -= 2
}

// key appends a key; numbers become strings, as JSON wants them.
func (e *jsonEncoder) key(k lua.Value) {
	if s, ok := k.AsString(); ok {
		e.string(s)
		return
	}
	f, ok := k.AsNumber()
	if !ok {
		e.refuse(k, "table key must be a number or string")
	}
	e.Text = append(e.Text, '"')
	e.number(f)
	e.Text = append(e.Text, '"')
}

package json

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/libm"
)

// operation is what JSON.NUMINCRBY and its like do with a number and their argument: with integers
// as they wrap in 64 bits, or with doubles.
type operation struct {
	event    string
	integers func(a, b int64) int64
	doubles  func(a, b float64) float64
}

var (
	increase = operation{"json.numincrby", func(a, b int64) int64 { return a + b },
		func(a, b float64) float64 { return a + b }}
	multiply = operation{"json.nummultby", func(a, b int64) int64 { return a * b },
		func(a, b float64) float64 { return a * b }}
	raise = operation{"json.numpowby", power, libm.Pow}
)

// power raises to the lowest 32 bits of an exponent, as RedisJSON does.
func power(a, b int64) int64 {
	n := int64(1)
	for exponent := uint32(b); exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			n *= a
		}
		a *= a
	}
	return n
}

// JSON.NUMINCRBY key path value
func cmdJSONNumIncrBy(c *engine.Call) { increase.run(c) }

// JSON.NUMMULTBY key path value
func cmdJSONNumMultBy(c *engine.Call) { multiply.run(c) }

// JSON.NUMPOWBY key path value
func cmdJSONNumPowBy(c *engine.Call) { raise.run(c) }

// run changes the numbers that a path finds. The reply is an array in RESP3, and in RESP2 its text,
// or with a legacy path that of the last number.
func (o *operation) run(c *engine.Call) {
	key, text, argument := c.Arg(), textArg(c), textArg(c)
	t, ok := find(c, key, text, isNumber)
	if !ok {
		return
	}
	var by json.Value
	if t.matches.some {
		if by = t.argument(argument); !c.Failed() && !isNumber(by) {
			c.Refuse(errNumber)
		}
	}
	reply := numbers{resp3: c.Reply.Proto() >= 3, legacy: t.path.Legacy(), text: t.w.text[:0]}
	if reply.resp3 {
		c.Reply.Array(t.matches.len())
	}
	ok = t.each(true, func(at json.Place, v json.Value) {
		if !v.Exists() {
			reply.add(c, v)
			return
		}
		result, finite := o.of(t.w, v, by)
		if !finite {
			c.Refuse(errResult)
			return
		}
		t.w.editor.Set(t.doc, at, result)
		reply.add(c, result)
		t.done++
	})
	switch {
	case !ok:
		return
	case reply.legacy && !reply.resp3 && t.done == 0:
		t.refuse(errNotNumber)
	default:
		reply.end(c, t.w)
	}
	t.end(o.event)
}

// argument returns the value of a command's only text. An error is latched.
func (t *target) argument(text []byte) (v json.Value) {
	if d := t.w.parseWhole(t.c, text); d != nil {
		v = d.Root()
	}
	return v
}

// of returns the result of the operation; ok is false if that is no finite number.
func (o *operation) of(w *workspace, v, by json.Value) (result json.Value, ok bool) {
	a, whole := integer(v)
	b, alsoWhole := integer(by)
	if whole && alsoWhole {
		return w.scalar.Int(o.integers(a, b)), true
	}
	f := o.doubles(v.Float(), by.Float())
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return result, false
	}
	return w.scalar.Number(f), true
}

func isBoolean(v json.Value) bool { return v.Kind() == json.Boolean }

func isString(v json.Value) bool { return v.Kind() == json.String }

func isNumber(v json.Value) bool { return v.Kind() == json.Integer || v.Kind() == json.Number }

// integer returns a value that is an integer of 64 bits with a sign.
func integer(v json.Value) (n int64, ok bool) {
	if v.Kind() != json.Integer {
		return 0, false
	}
	return v.Int()
}

// numbers is the reply of a command that replies with a number for each value, and nil for what is
// none.
type numbers struct {
	resp3  bool
	legacy bool
	text   []byte // of RESP2
}

func (n *numbers) add(c *engine.Call, v json.Value) {
	switch {
	case n.resp3 && v.Exists():
		writeScalar(c.Reply, v)
	case n.resp3:
		c.Reply.Null()
	case n.legacy && v.Exists():
		n.text = json.AppendText(n.text[:0], v)
	case n.legacy:
	default:
		if n.text = append(n.text, ','); v.Exists() {
			n.text = json.AppendText(n.text, v)
		} else {
			n.text = append(n.text, "null"...)
		}
	}
}

// end completes the reply.
func (n *numbers) end(c *engine.Call, w *workspace) {
	switch {
	case n.resp3:
	case n.legacy:
		w.replyText(c, n.text)
	case len(n.text) == 0:
		c.Reply.BulkString("[]")
	default:
		n.text[0] = '['
		w.replyText(c, append(n.text, ']'))
	}
}

// JSON.TOGGLE key path
func cmdJSONToggle(c *engine.Call) {
	key, text := c.Arg(), textArg(c)
	t, ok := find(c, key, text, isBoolean)
	if !ok {
		return
	}
	results := integers{list: t.w.numbers[:0]}
	ok = t.each(false, func(at json.Place, v json.Value) {
		switch {
		case !v.Exists():
			results.add(none)
			return
		case v.Bool():
			t.w.editor.Set(t.doc, at, json.False)
			results.add(0)
		default:
			t.w.editor.Set(t.doc, at, json.True)
			results.add(1)
		}
		t.done++
	})
	switch {
	case !ok:
		return
	case t.path.Legacy() && results.some:
		c.Reply.BulkString(map[int64]string{0: "false", 1: "true"}[results.last()])
	default:
		results.reply(&t, errNotBool)
	}
	t.end("json.toggle")
}

// JSON.STRAPPEND key [path] value
func cmdJSONStrAppend(c *engine.Call) {
	key, text := c.Arg(), root
	if c.Left() > 1 {
		text = textArg(c)
	}
	value := textArg(c)
	t, ok := find(c, key, text, isString)
	if !ok {
		return
	}
	t.reserve(len(value))
	var more []byte
	if t.matches.some {
		more = t.stringArgument(value)
	}
	results := integers{list: t.w.numbers[:0]}
	ok = t.each(false, func(at json.Place, v json.Value) {
		if !v.Exists() {
			results.add(none)
			return
		}
		joined := slices.Concat(v.Text(), more)
		t.w.editor.Set(t.doc, at, json.TextValue(joined))
		results.add(int64(len(joined)))
		t.done++
	})
	if ok {
		results.reply(&t, errNotString)
		t.end("json.strappend")
	}
}

// stringArgument returns the text of a command's only text, which must be a string. An error is
// latched.
func (t *target) stringArgument(text []byte) []byte {
	v := t.argument(text)
	switch {
	case t.c.Failed():
	case !isString(v):
		t.c.Refusef(errExpected, json.String, path.Shown(text))
	default:
		return v.Text()
	}
	return nil
}

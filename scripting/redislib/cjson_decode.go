package redislib

import (
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// jsonDecoder reads JSON and makes values of it. Where C would see the end of
// its string, at a zero byte, the text ends.
type jsonDecoder struct {
	*cjson
	L      *lua.State
	text   string
	at     int
	depth  int
	slots  int    // values C would have on its stack
	wanted string // what errors say was expected
}

// cjson.decode(text)
func (j *cjson) decode(L *lua.State, c *lua.Call) {
	if c.NArgs() != 1 {
		c.ArgError(1, "expected 1 argument")
	}
	text := c.CheckString(1)
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		L.Errorf("JSON parser does not support UTF-16 or UTF-32")
	}
	j.builder.Reset()
	d := jsonDecoder{cjson: j, L: L, text: text, slots: 1, wanted: "value"}
	v := d.value(d.skip())
	if next := d.skip(); next != 0 {
		d.unexpected("the end", next)
	}
	c.Return1(v)
}

// manyBlanks is how many bytes of white space are read between two ticks.
const manyBlanks = 1 << 12

// skip returns the next byte that is no white space, 0 at the end.
func (d *jsonDecoder) skip() byte {
	for d.at < len(d.text) {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\n', '\r':
			if d.at++; d.at%manyBlanks == 0 {
				d.L.Tick(manyBlanks)
			}
		default:
			return c
		}
	}
	return 0
}

// value reads the value that begins with c at d.at.
func (d *jsonDecoder) value(c byte) lua.Value {
	switch {
	case c == '"':
		start, end, escaped := d.scanString()
		if escaped {
			return d.unescape(start, end)
		}
		return d.L.Substring(d.text, start, end)
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c == '-' || c-'0' < 10:
		return d.number()
	}
	switch word := d.word(); word {
	case "true", "false":
		return lua.Bool(word == "true")
	case "null":
		return lua.Light(0)
	}
	if d.decodeInvalids == 1 && isInvalidNumber(d.text[d.at:]) {
		return d.number()
	}
	d.unexpected("value", c)
	return lua.Nil
}

// word takes one of JSON's words; "" when there is none.
func (d *jsonDecoder) word() string {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(d.text[d.at:], word) {
			d.at += len(word)
			return word
		}
	}
	return ""
}

// number takes what C's strtod reads: all that JSON allows and more. The setting refuses
// hexadecimal numbers, leading zeros, inf and nan; "1." and the like pass with any setting.
func (d *jsonDecoder) number() lua.Value {
	f, n := d.digits()
	if n == 0 {
		rest := d.text[d.at:]
		if d.decodeInvalids == 0 && isInvalidNumber(rest) {
			d.fail("invalid number")
		}
		if f, n = number.ParsePrefix(d.L, rest); n == 0 {
			d.fail("invalid number")
		}
	}
	d.at += n
	return lua.Number(f)
}

// digits is the fast path for up to 15 digits that make an integer and do not begin with a zero: a
// float64 holds it exactly.
func (d *jsonDecoder) digits() (f float64, length int) {
	text := d.text[d.at:]
	n, i := int64(0), 0
	for i < len(text) && text[i]-'0' < 10 && i < 16 {
		n = n*10 + int64(text[i]-'0')
		i++
	}
	if i == 0 || i > 15 || text[0] == '0' {
		return 0, 0
	}
	if i < len(text) && (text[i] == '.' || text[i]|0x20 == 'e') {
		return 0, 0
	}
	return float64(n), i
}

// isInvalidNumber reports whether s begins like a number that JSON does not
// know but strtod does.
func isInvalidNumber(s string) bool {
	if strings.HasPrefix(s, "+") {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	if s != "" && s[0] == '0' {
		return len(s) > 1 && (s[1]|0x20 == 'x' || s[1]-'0' < 10)
	}
	return len(s) >= 3 && (strings.EqualFold(s[:3], "inf") || strings.EqualFold(s[:3], "nan"))
}

// stretchOfString is how many bytes of a string are read between two ticks.
const stretchOfString = 1 << 14

// scanString measures the string that begins at d.at and steps over it. What
// is between the quotes may contain escapes, which are checked.
func (d *jsonDecoder) scanString() (start, end int, escaped bool) {
	start = d.at + 1
	for i := start; i < len(d.text); {
		for end := min(i+stretchOfString, len(d.text)); i < end; i++ {
			switch d.text[i] {
			case '"':
				d.at = i + 1
				return start, i, escaped
			case '\\':
				escaped = true
				d.at = i
				d.L.Tick(1)
				i += d.escape() - 1
			case 0:
				d.at = i
				d.fail("unexpected end of string")
			}
		}
		d.L.Tick(stretchOfString >> 3)
	}
	d.at = len(d.text)
	d.fail("unexpected end of string")
	return
}

// jsonUnescapes maps the letter of an escape to its byte.
var jsonUnescapes = [256]byte{
	'"': '"', '/': '/', '\\': '\\', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape returns the length of the escape at d.at.
func (d *jsonDecoder) escape() int {
	rest := d.text[d.at:]
	switch {
	case len(rest) > 1 && rest[1] == 'u':
		_, length := unicodeEscape(rest)
		if length == 0 {
			d.fail("invalid unicode escape code")
		}
		return length
	case len(rest) < 2 || jsonUnescapes[rest[1]] == 0:
		d.fail("invalid escape code")
	}
	return 2
}

// unicodeEscape reads \uXXXX, or two of them for a surrogate pair. The length
// is 0 when they are malformed.
func unicodeEscape(s string) (r rune, length int) {
	r, ok := hex4(s)
	if !ok || r&0xfc00 == 0xdc00 {
		return 0, 0
	}
	if r&0xfc00 != 0xd800 {
		return r, 6
	}
	low, ok := hex4(s[6:])
	if !ok || low&0xfc00 != 0xdc00 {
		return 0, 0
	}
	return 0x10000 + (r&0x3ff)<<10 + low&0x3ff, 12
}

// hex4 reads one \uXXXX.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		if !number.IsHexDigit(s[i]) {
			return 0, false
		}
		r = r<<4 | rune(number.HexDigit(s[i]))
	}
	return r, true
}

// unescape returns the string between start and end.
func (d *jsonDecoder) unescape(start, end int) lua.Value {
	out := d.L.NewBytes(end - start)
	for s := d.text[start:end]; ; {
		i := d.L.IndexByte(s, '\\')
		if i < 0 {
			out = d.L.Append(out, s)
			break
		}
		out = d.L.Append(out, s[:i])
		s = s[i:]
		d.L.Tick(1)
		if s[1] != 'u' {
			out = append(out, jsonUnescapes[s[1]])
			s = s[2:]
			continue
		}
		r, length := unicodeEscape(s)
		out = utf8.AppendRune(out, r)
		s = s[length:]
	}
	if len(out) < cap(out)/2 {
		return d.L.CopyString(out)
	}
	return lua.Bytes(out)
}

// descend enters an array or object, for which C needs room on its stack.
func (d *jsonDecoder) descend(slots int) {
	d.at++
	d.depth++
	d.L.Tick(1)
	if d.depth > d.decodeDepth || d.slots+slots > lua.MaxResults {
		d.L.Errorf("Found too many nested data structures (%d) at character %d", d.depth, d.at)
	}
}

// array reads an array. Its elements stay on the builder's stack until it is complete, so that a
// run's memory can be measured meanwhile.
func (d *jsonDecoder) array() lua.Value {
	d.descend(2)
	d.slots++
	first := len(d.builder.Elements())
	c := d.skip()
	for c != ']' {
		v := d.value(c)
		d.builder.Push(v)
		d.L.Tick(1)
		if c = d.skip(); c == ',' {
			d.at++
			c = d.skip()
			if c == ']' {
				d.unexpected("value", c)
			}
		} else if c != ']' {
			d.unexpected("comma or array end", c)
		}
	}
	d.at++
	d.slots--
	d.depth--
	v := d.builder.Array(first)
	if d.markArrays == 1 {
		mark(v.AsTable())
	}
	return v
}

func (d *jsonDecoder) object() lua.Value {
	d.descend(3)
	d.slots += 2
	first := d.builder.Fields()
	c := d.skip()
	for c != '}' {
		if c != '"' {
			d.unexpected("object key string", c)
		}
		d.wanted = "object key string"
		key := d.key()
		d.wanted = "value"
		if c = d.skip(); c != ':' {
			d.unexpected("colon", c)
		}
		d.at++
		v := d.value(d.skip())
		d.builder.PushField(key, v)
		if c = d.skip(); c == ',' {
			d.at++
			if c = d.skip(); c == '}' {
				d.unexpected("object key string", c)
			}
		} else if c != '}' {
			d.unexpected("comma or object end", c)
		}
	}
	d.at++
	d.slots -= 2
	d.depth--
	return d.builder.Record(first)
}

// key reads a key.
func (d *jsonDecoder) key() lua.Key {
	start, end, escaped := d.scanString()
	if escaped {
		return lua.NewKey(d.unescape(start, end))
	}
	return d.builder.Key(d.text[start:end])
}

// jsonTokens names what a byte begins, as error messages do.
var jsonTokens = [256]string{
	0: "T_END", '{': "T_OBJ_BEGIN", '}': "T_OBJ_END", '[': "T_ARR_BEGIN", ']': "T_ARR_END",
	',': "T_COMMA", ':': "T_COLON",
}

// unexpected throws that something else than what was wanted begins, with c,
// at d.at; if that is itself malformed, what is wrong with it.
func (d *jsonDecoder) unexpected(wanted string, c byte) {
	d.wanted = wanted
	at, found := d.at, jsonTokens[c]
	switch {
	case found != "":
	case c == '"':
		d.scanString()
		found = "T_STRING"
	case c == '-' || c-'0' < 10 || d.decodeInvalids == 1 && isInvalidNumber(d.text[at:]):
		d.number()
		found = "T_NUMBER"
	default:
		found = map[string]string{"true": "T_BOOLEAN", "false": "T_BOOLEAN", "null": "T_NULL",
			"": "invalid token"}[d.word()]
	}
	d.at = at
	d.fail(found)
}

// fail throws that the wanted thing was not found at d.at.
func (d *jsonDecoder) fail(found string) {
	d.L.Errorf("Expected %s but found %s at character %d", d.wanted, found, d.at+1)
}

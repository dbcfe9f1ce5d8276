package resp

import "strconv"

// String returns v as redis-cli 7.0 shows it on a terminal, without the last newline:
//
//  1. "a"
//  2. 1# "k" => (integer) 1
//     2# "l" => (nil)
//
// That redis-cli cannot show big numbers; here they are printed as (big number) 12.
// Attributes are omitted.
func (v Value) String() string {
	text := v.appendPretty(nil, nil)
	return string(text[:len(text)-1])
}

// Raw returns v as redis-cli 7.0 prints it when its output is not a terminal,
// without the last newline: strings without quotes, one element per line.
func (v Value) Raw() string { return string(v.appendRaw(nil)) }

// Quote appends s in double quotes with the escapes redis-cli prints and reads: \\ \" \n
// \r \t \a \b, and \x00 for other bytes that are not printable ASCII.
func Quote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\' || c == '"':
			dst = append(dst, '\\', c)
		case escapes[c] != 0:
			dst = append(dst, '\\', escapes[c])
		case c < ' ' || c > '~':
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// escapes maps control bytes to their letter after a backslash.
var escapes = [256]byte{'\n': 'n', '\r': 'r', '\t': 't', '\a': 'a', '\b': 'b'}

// appendPretty appends v and a newline. Lines after the first begin with prefix.
func (v Value) appendPretty(dst, prefix []byte) []byte {
	switch {
	case v.Nil:
		dst = append(dst, "(nil)"...)
	case v.IsAggregate() && len(v.Elems) == 0:
		dst = append(dst, emptyWords[v.Kind]...)
	case v.IsAggregate():
		return v.appendElems(dst, prefix)
	default:
		dst = v.appendScalar(dst)
	}
	return append(dst, '\n')
}

var emptyWords = map[Kind]string{
	Array: "(empty array)", Map: "(empty hash)", Set: "(empty set)", Push: "(empty push)",
}

func (v Value) appendScalar(dst []byte) []byte {
	switch v.Kind {
	case Error:
		dst = append(dst, "(error) "...)
	case Integer:
		return strconv.AppendInt(append(dst, "(integer) "...), v.Int, 10)
	case Double:
		dst = append(dst, "(double) "...)
	case Boolean:
		return appendTruth(dst, v.Int)
	case BigNumber:
		dst = append(dst, "(big number) "...)
	case Bulk:
		return Quote(dst, v.Text)
	}
	return append(dst, v.Text...)
}

func appendTruth(dst []byte, n int64) []byte {
	if n != 0 {
		return append(dst, "(true)"...)
	}
	return append(dst, "(false)"...)
}

// appendElems appends the numbered elements of an aggregate that has some.
func (v Value) appendElems(dst, prefix []byte) []byte {
	var room [20]byte
	width := len(strconv.AppendInt(room[:0], int64(v.Len()), 10))
	inner := append([]byte(nil), prefix...)
	for range width + 2 {
		inner = append(inner, ' ')
	}
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, prefix...)
		}
		index := strconv.AppendInt(room[:0], int64(i+1), 10)
		for range width - len(index) {
			dst = append(dst, ' ')
		}
		dst = append(dst, index...)
		dst = append(dst, v.mark(), ' ')
		if v.Kind == Map {
			dst = appendPair(dst, inner, v.Elems[2*i], v.Elems[2*i+1])
		} else {
			dst = v.Elems[i].appendPretty(dst, inner)
		}
	}
	return dst
}

// mark returns the sign after an element's number.
func (v Value) mark() byte {
	switch v.Kind {
	case Map:
		return '#'
	case Set:
		return '~'
	}
	return ')'
}

// spread reports whether v takes several lines: it has more than one element, or its only element
// is spread.
func (v Value) spread() bool {
	return v.Len() > 1 || v.Len() == 1 && v.Elems[len(v.Elems)-1].spread()
}

// appendPair appends a map's key and value. A value of several lines begins on a new line.
func appendPair(dst, prefix []byte, key, value Value) []byte {
	dst = key.appendPretty(dst, prefix)
	dst = append(dst[:len(dst)-1], " => "...)
	if value.spread() {
		dst = append(dst, '\n')
		dst = append(dst, prefix...)
	}
	return value.appendPretty(dst, prefix)
}

func (v Value) appendRaw(dst []byte) []byte {
	switch {
	case v.Nil:
		return dst
	case v.IsAggregate():
		return v.appendRawElems(dst)
	case v.Kind == Integer:
		return strconv.AppendInt(dst, v.Int, 10)
	case v.Kind == Boolean:
		return appendTruth(dst, v.Int)
	case v.Kind == Error:
		return append(append(dst, v.Text...), '\n')
	}
	return append(dst, v.Text...)
}

func (v Value) appendRawElems(dst []byte) []byte {
	for i, elem := range v.Elems {
		switch {
		case i == 0:
		case v.Kind == Map && i%2 == 1:
			dst = append(dst, ' ')
		default:
			dst = append(dst, '\n')
		}
		dst = elem.appendRaw(dst)
	}
	return dst
}

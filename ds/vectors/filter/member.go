package filter

import "bytes"

// mostLevels is how deep arrays and objects may be nested that are passed over.
const mostLevels = 128

// member is what a selector names.
type member struct {
	value Value
	round uint64 // of Match, for which it was read
}

// read reads the members of a JSON object that the program names, of two of the same name the
// first. It reports whether all are there. One is not if its name is empty, if it is an object or
// has one in it, or if what comes before it is no JSON. What comes behind the last does not count.
// true and false are 1 and 0. A backslash and a letter of n, r, t, b and f mean what they do in
// JSON; another byte behind a backslash stands for itself. The values may share the bytes of text.
// O(text).
func (p *Program) read(text []byte) bool {
	r, left := reader{text: text}, len(p.members)
	p.round++
	if left == 0 {
		return true
	}
	if p.members[""] != nil || !r.take('{') {
		return false
	}
	for r.next() == '"' {
		name, ok := r.quoted()
		if !ok || !r.take(':') {
			return false
		}
		if m := p.members[string(name)]; m == nil || m.round == p.round {
			ok = r.skip(0)
		} else {
			m.value, ok = r.value(0)
			m.round = p.round
			left--
		}
		if ok && left == 0 {
			return true
		}
		if !ok || !r.take(',') {
			return false
		}
	}
	return false
}

// reader reads JSON.
type reader struct {
	text []byte
	at   int
}

// next returns the next byte that is no space, 0 at the end.
func (r *reader) next() byte {
	for r.at < len(r.text) && isSpace(r.text[r.at]) {
		r.at++
	}
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

func (r *reader) take(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

// value reads a value that an expression can use, an element of so many arrays.
func (r *reader) value(level int) (v Value, ok bool) {
	switch c := r.next(); {
	case c == '"':
		v.Kind = Text
		v.Text, ok = r.quoted()
		return v, ok
	case c == '[':
		return r.array(level)
	case isDigit(c) || c == '-' || c == '+':
		from := r.at
		for r.at++; r.at < len(r.text) && isNumeric(r.text[r.at]); {
			r.at++
		}
		v.Kind = Number
		v.Number, ok = parseNumber(r.text[from:r.at])
		return v, ok
	}
	switch from := r.at; string(r.letters()) {
	case "true":
		return truth(true), true
	case "false":
		return truth(false), true
	case "null":
		return v, true
	default:
		r.at = from
		return v, false
	}
}

func isNumeric(c byte) bool {
	return isDigit(c) || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'
}

func (r *reader) letters() []byte {
	from := r.at
	for r.at < len(r.text) && isLetter(r.text[r.at]) {
		r.at++
	}
	return r.text[from:r.at]
}

// quoted reads a text and decodes its escapes.
func (r *reader) quoted() (text []byte, ok bool) {
	r.at++
	from := r.at
	for r.at < len(r.text) && r.text[r.at] != '"' {
		if r.text[r.at] == '\\' {
			return r.escaped(from)
		}
		r.at++
	}
	if r.at == len(r.text) {
		return nil, false
	}
	r.at++
	return r.text[from : r.at-1], true
}

// escaped goes on with a text at its first escape.
func (r *reader) escaped(from int) (text []byte, ok bool) {
	text = append(text, r.text[from:r.at]...)
	for ; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		if c == '"' {
			r.at++
			return text, true
		}
		if c == '\\' {
			if r.at++; r.at == len(r.text) {
				break
			}
			c = unescaped(r.text[r.at])
		}
		text = append(text, c)
	}
	return nil, false
}

func unescaped(c byte) byte {
	if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
		return "\n\r\t\b\f"[i]
	}
	return c
}

// array reads an array whose elements can be used.
func (r *reader) array(level int) (v Value, ok bool) {
	if level == mostLevels {
		return v, false
	}
	v.Kind = Tuple
	r.at++
	if r.take(']') {
		return v, true
	}
	for {
		element, ok := r.value(level + 1)
		if !ok {
			return v, false
		}
		v.Tuple = append(v.Tuple, element)
		if r.take(']') {
			return v, true
		}
		if !r.take(',') {
			return v, false
		}
	}
}

// skip passes over a value.
func (r *reader) skip(level int) bool {
	if r.next() != '{' {
		return r.skipOther(level)
	}
	if level == mostLevels {
		return false
	}
	r.at++
	if r.take('}') {
		return true
	}
	for r.next() == '"' {
		if _, ok := r.quoted(); !ok || !r.take(':') || !r.skip(level+1) {
			return false
		}
		if r.take('}') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
	return false
}

// skipOther passes over a value that is no object.
func (r *reader) skipOther(level int) bool {
	if r.next() != '[' {
		_, ok := r.value(level)
		return ok
	}
	if level == mostLevels {
		return false
	}
	r.at++
	if r.take(']') {
		return true
	}
	for r.skip(level + 1) {
		if r.take(']') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
	return false
}

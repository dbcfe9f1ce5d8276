package regex

import (
	"bytes"
	"fmt"
	"strconv"
)

// translator turns a pattern into one of package regexp.
type translator struct {
	rest []byte
	out  []byte
	flags
	groups     int
	reference  int // the greatest group that a back reference names
	references bool
}

// flags are what holds up to the end of a group.
type flags struct {
	fold  bool // the case of letters does not count
	lines bool // a line feed ends a line, where ^ and $ match, and . does not
}

// next reports whether the rest begins with a byte.
func (t *translator) next(c byte) bool { return len(t.rest) > 0 && t.rest[0] == c }

// skip passes over a byte, and reports whether it was there.
func (t *translator) skip(c byte) bool {
	if !t.next(c) {
		return false
	}
	t.rest = t.rest[1:]
	return true
}

func (t *translator) write(text string) { t.out = append(t.out, text...) }

// open begins a group of package regexp, in which the case of letters counts or not.
func (t *translator) open() {
	if t.fold {
		t.write("(?i:")
	} else {
		t.write("(?-i:")
	}
}

// literal writes a byte that stands for itself.
func (t *translator) literal(c byte) { t.write(fmt.Sprintf(`\x{%x}`, runeOf(c))) }

// maxDepth is how deep groups may be nested.
const maxDepth = 200

// alternatives translates up to the end of a group at a depth, or of the pattern at depth 0.
func (t *translator) alternatives(depth int) error {
	if depth > maxDepth {
		return ErrTooLarge
	}
	for {
		for len(t.rest) > 0 && t.rest[0] != '|' && (depth == 0 || t.rest[0] != ')') {
			if err := t.piece(depth); err != nil {
				return err
			}
		}
		if !t.skip('|') {
			return nil
		}
		t.write("|")
	}
}

// piece translates an atom with its repetitions.
func (t *translator) piece(depth int) error {
	start := len(t.out)
	t.open()
	if err := t.atom(depth); err != nil {
		return err
	}
	t.write(")")
	for len(t.rest) > 0 {
		switch t.rest[0] {
		case '*', '+', '?':
			t.out = append(t.out, t.rest[0])
			t.rest = t.rest[1:]
		case '{':
			if err := t.bound(start); err != nil {
				return err
			}
		default:
			return nil
		}
		if t.next('*') || t.next('+') {
			return ErrRepetition
		}
		t.skip('?') // as few as possible
		t.out = append(append(t.out[:start:start], "(?:"...), append(bytes.Clone(t.out[start:]), ')')...)
	}
	return nil
}

const (
	maxBound  = 255  // of a repetition with an end
	maxRepeat = 1000 // of package regexp
)

// bound translates a repetition in braces of what was written from start on.
func (t *translator) bound(start int) error {
	t.rest = t.rest[1:]
	from, some := t.number()
	to, limited := from, some
	comma := t.skip(',')
	if comma {
		to, limited = t.number()
	}
	switch {
	case limited && (some && from > to || to > maxBound):
		return ErrBound
	case len(t.rest) == 0:
		return ErrBrace
	case !t.skip('}'), !some && !comma:
		return ErrBound
	case from > maxRepeat:
		return ErrTooLarge
	case !some && !limited:
		return nil // {,} is {1}
	case limited && to == 0:
		t.out = append(t.out[:start], "(?:)"...)
		return nil
	}
	t.write("{" + strconv.Itoa(from))
	if t.write(","); limited {
		t.write(strconv.Itoa(to))
	}
	t.write("}")
	return nil
}

// number reads a number; ok is false if there is none.
func (t *translator) number() (n int, ok bool) {
	for len(t.rest) > 0 && t.rest[0] >= '0' && t.rest[0] <= '9' {
		n, ok = min(10*n+int(t.rest[0]-'0'), 1<<20), true
		t.rest = t.rest[1:]
	}
	return n, ok
}

// atom translates what may be repeated. Where there is only a repetition, that is nothing.
func (t *translator) atom(depth int) error {
	c := t.rest[0]
	switch c {
	case '*', '+', '?', '{':
		return nil
	}
	t.rest = t.rest[1:]
	switch c {
	case '(':
		return t.group(depth + 1)
	case '[':
		return t.class()
	case '\\':
		return t.escape()
	case '.':
		if t.lines {
			t.write(`[^\n]`)
		} else {
			t.write("(?s:.)")
		}
	case '^':
		t.write(t.end("(?m:^)", `\A`))
	case '$':
		t.write(t.end("(?m:$)", `\z`))
	default:
		t.literal(c)
	}
	return nil
}

func (t *translator) end(line, text string) string {
	if t.lines {
		return line
	}
	return text
}

// group translates what follows an opening parenthesis.
func (t *translator) group(depth int) error {
	before := t.flags
	if t.skip('?') {
		if rest, err := t.setFlags(); err != nil || rest {
			return err
		}
	} else {
		t.groups++
	}
	t.open()
	if err := t.alternatives(depth); err != nil {
		return err
	}
	if !t.skip(')') {
		return ErrParenthesis
	}
	t.write(")")
	t.flags = before
	return nil
}

// setFlags reads flags behind (?, up to a colon or the parenthesis that closes them. closed says
// that it was that: the flags hold for the rest of the group around, or it was a comment.
func (t *translator) setFlags() (closed bool, err error) {
	if t.skip('#') {
		for !t.skip(')') {
			if len(t.rest) == 0 {
				return false, ErrPattern
			}
			t.rest = t.rest[1:]
		}
		return true, nil
	}
	for on := true; len(t.rest) > 0; {
		c := t.rest[0]
		t.rest = t.rest[1:]
		switch c {
		case 'i':
			t.fold = on
		case 'n':
			t.lines = on
		case 'r', 'U':
		case '-':
			on = false
		case ':', ')':
			return c == ')', nil
		default:
			return false, ErrPattern
		}
	}
	return false, ErrParenthesis
}

// macros are what some letters behind a backslash stand for.
var macros = map[byte]string{'t': `\t`, 'n': `\n`, 'r': `\r`, 'f': `\f`, 'a': `\a`, 'e': `\x1b`,
	'w': `[0-9A-Za-z_]`, 'W': `[^0-9A-Za-z_]`, 's': `[[:space:]]`, 'S': `[^[:space:]]`, 'd': `[0-9]`, 'D': `[^0-9]`,
	'b': `\b`, 'B': `\B`, '<': `\b`, '>': `\b`}

// escape translates what follows a backslash.
func (t *translator) escape() error {
	if len(t.rest) == 0 {
		return ErrBackslash
	}
	c := t.rest[0]
	t.rest = t.rest[1:]
	switch text, ok := macros[c]; {
	case ok:
		t.write(text)
	case c == 'Q':
		text, rest, _ := bytes.Cut(t.rest, []byte(`\E`))
		for _, c := range text {
			t.literal(c)
		}
		t.rest = rest
	case c == 'x':
		return t.hex()
	case c >= '0' && c <= '9':
		t.reference, t.references = max(t.reference, int(c-'0')), true
	default:
		t.literal(c)
	}
	return nil
}

// hex translates a byte in hexadecimal digits, up to two, or any number in braces.
func (t *translator) hex() error {
	n, most := 0, 2
	braces := t.skip('{')
	if braces {
		most = len(t.rest)
	}
	for ; most > 0 && len(t.rest) > 0; most-- {
		digit, err := strconv.ParseUint(string(t.rest[:1]), 16, 8)
		if err != nil {
			break
		}
		n = min(16*n+int(digit), 1<<20)
		t.rest = t.rest[1:]
	}
	if braces && !t.skip('}') {
		return ErrBrace
	}
	if n > 255 {
		t.write(`[^\x{0}-\x{10ffff}]`) // no byte
		return nil
	}
	t.literal(byte(n))
	return nil
}

// classes are the names in classes, and what they stand for in ASCII.
var classes = map[string]bool{"alnum": true, "alpha": true, "blank": true, "cntrl": true, "digit": true, "graph": true,
	"lower": true, "print": true, "punct": true, "space": true, "upper": true, "xdigit": true}

// class translates what follows an opening bracket.
func (t *translator) class() error {
	t.write("[")
	if t.skip('^') {
		t.write("^")
		if t.lines {
			t.write(`\n`)
		}
	}
	for first := true; ; first = false {
		switch {
		case len(t.rest) == 0:
			return ErrBracket
		case t.rest[0] == ']' && !first:
			t.rest = t.rest[1:]
			t.write("]")
			return nil
		}
		if err := t.member(first); err != nil {
			return err
		}
	}
}

// member translates a byte of a class, a range, or a class with a name.
func (t *translator) member(first bool) error {
	b := t.rest
	switch {
	case len(b) > 2 && b[1] == '-' && b[2] != ']':
		if b[0] > b[2] {
			return ErrRange
		}
		t.span(b[0], b[2])
		t.rest = b[3:]
	case bytes.HasPrefix(b, []byte("[.")), bytes.HasPrefix(b, []byte("[=")):
		return ErrCollation
	case bytes.HasPrefix(b, []byte("[:")):
		name, rest, ok := bytes.Cut(b[2:], []byte(":"))
		if !ok || !classes[string(name)] {
			return ErrClass
		}
		t.write("[:" + string(name) + ":]")
		t.rest = rest[min(1, len(rest)):]
	case b[0] == '-' && !first && len(b) > 1 && b[1] != ']':
		return ErrRange
	default:
		t.literal(b[0])
		t.rest = b[1:]
	}
	return nil
}

// span writes a range of bytes, whose runes may be in two ranges.
func (t *translator) span(from, to byte) {
	if from < 0x80 && to >= 0x80 {
		t.span(from, 0x7f)
		from = 0x80
	}
	t.literal(from)
	t.write("-")
	t.literal(to)
}

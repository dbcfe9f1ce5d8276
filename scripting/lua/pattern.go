package lua

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// A pattern is a Lua 5.1 pattern translated to a list of steps, the last of
// which is stepMatch or stepFail. Lua finds a malformed pattern only when the
// matching gets there; so what is malformed becomes a stepFail in its place.
//
//	"^(%a+)-x?$"   open | span %a | char - | option x | end | match
//	               (anchored)  close
type pattern struct {
	steps    []step
	anchored bool
	literal  string // what every match begins with
}

// step is one item of a pattern.
type step struct {
	kind    stepKind
	c, d    byte
	set     *byteSet
	problem string
}

type stepKind uint8

const (
	stepMatch    stepKind = iota // the whole pattern matched
	stepFail                     // problem
	stepChar                     // the byte c
	stepAny                      // any byte
	stepSet                      // a byte of set
	stepOption                   // set?
	stepSpan                     // set*; set+ is a stepSet before it
	stepLazy                     // set-
	stepOpen                     // (
	stepClose                    // )
	stepPosition                 // ()
	stepBalance                  // %bcd
	stepFrontier                 // %f[set]
	stepBackref                  // %c, c counted from 0
	stepEnd                      // $ at the end of the pattern
)

const (
	errPatternPercent  = "malformed pattern (ends with '%')"
	errPatternBracket  = "malformed pattern (missing ']')"
	errPatternFrontier = "missing '[' after '%f' in pattern"
	errPatternBalance  = "unbalanced pattern"
	errPatternCapture  = "invalid pattern capture"
	errPatternComplex  = "pattern too complex"
	errManyCaptures    = "too many captures"
	errCaptureIndex    = "invalid capture index"
	errOpenCapture     = "unfinished capture"
)

// byteSet tells for every byte whether it belongs.
type byteSet [256]bool

// hasSpecials reports whether p, read up to its first zero byte as C does,
// contains a magic character.
func hasSpecials(p string) bool {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '^', '$', '*', '+', '?', '.', '(', '[', '%', '-':
			return true
		case 0:
			return false
		}
	}
	return false
}

// compilePattern translates p, which ends at its first zero byte as in C.
// With anchors a leading ^ anchors; without (gmatch) it is an ordinary byte.
// What a long one is translated to counts as memory that the run holds, for good.
func compilePattern(L *State, p string, anchors bool) *pattern {
	p = cText(p)
	if len(p) > longestPattern {
		L.Alloc(len(p) * patternBytes)
	}
	out := &pattern{}
	if anchors && p != "" && p[0] == '^' {
		out.anchored = true
		p = p[1:]
	}
	c := patternCompiler{rest: p}
	for c.next() {
		L.Tick(1)
	}
	out.steps = c.steps
	out.literal = leadingLiteral(c.steps)
	return out
}

// patternBytes is what a byte of a pattern takes once translated, about.
const patternBytes = 128

func leadingLiteral(steps []step) string {
	n := 0
	for steps[n].kind == stepChar {
		n++
	}
	text := make([]byte, n)
	for i := range text {
		text[i] = steps[i].c
	}
	return string(text)
}

type patternCompiler struct {
	rest  string
	steps []step
}

// next translates the next item and reports whether more can follow.
func (c *patternCompiler) next() bool {
	p := c.rest
	switch {
	case p == "":
		return c.emit(0, step{kind: stepMatch})
	case p == "$":
		return c.emit(1, step{kind: stepEnd})
	case p[0] == ')':
		return c.emit(1, step{kind: stepClose})
	case strings.HasPrefix(p, "()"):
		return c.emit(2, step{kind: stepPosition})
	case p[0] == '(':
		return c.emit(1, step{kind: stepOpen})
	case p[0] == '%' && len(p) > 1:
		return c.escape(p[1])
	}
	return c.single()
}

func (c *patternCompiler) emit(length int, s step) bool {
	c.rest = c.rest[length:]
	c.steps = append(c.steps, s)
	return s.kind > stepFail
}

func (c *patternCompiler) fail(problem string) bool {
	return c.emit(0, step{kind: stepFail, problem: problem})
}

// escape translates the items that begin with a percent sign and are more
// than a class of bytes.
func (c *patternCompiler) escape(letter byte) bool {
	p := c.rest
	switch {
	case letter == 'b':
		if len(p) < 4 {
			return c.fail(errPatternBalance)
		}
		return c.emit(4, step{kind: stepBalance, c: p[2], d: p[3]})
	case letter == 'f':
		if len(p) < 3 || p[2] != '[' {
			return c.fail(errPatternFrontier)
		}
		c.rest = p[2:]
		length, problem := singleLength(c.rest)
		if problem != "" {
			return c.fail(problem)
		}
		return c.emit(length, step{kind: stepFrontier, set: bracketSet(c.rest[:length])})
	case letter-'0' < 10:
		return c.emit(2, step{kind: stepBackref, c: letter - '1'})
	}
	return c.single()
}

// single translates what matches one byte, with its suffix.
func (c *patternCompiler) single() bool {
	length, problem := singleLength(c.rest)
	if problem != "" {
		return c.fail(problem)
	}
	one := singleStep(c.rest[:length])
	suffix := byte(0)
	if length < len(c.rest) {
		suffix = c.rest[length]
	}
	switch suffix {
	case '?':
		return c.emit(length+1, step{kind: stepOption, set: one.bytes()})
	case '*':
		return c.emit(length+1, step{kind: stepSpan, set: one.bytes()})
	case '+':
		c.steps = append(c.steps, one)
		return c.emit(length+1, step{kind: stepSpan, set: one.bytes()})
	case '-':
		return c.emit(length+1, step{kind: stepLazy, set: one.bytes()})
	}
	return c.emit(length, one)
}

// singleLength measures the item at the start of p that matches one byte.
func singleLength(p string) (length int, problem string) {
	switch p[0] {
	case '%':
		if len(p) == 1 {
			return 0, errPatternPercent
		}
		return 2, ""
	case '[':
		return bracketLength(p)
	}
	return 1, ""
}

// bracketLength measures a set in brackets; its first member may be a ].
func bracketLength(p string) (length int, problem string) {
	i := 1
	if i < len(p) && p[i] == '^' {
		i++
	}
	for first := true; first || i >= len(p) || p[i] != ']'; first = false {
		if i >= len(p) {
			return 0, errPatternBracket
		}
		if p[i] == '%' && i+1 < len(p) {
			i++
		}
		i++
	}
	return i + 1, ""
}

func singleStep(item string) step {
	switch {
	case item == ".":
		return step{kind: stepAny}
	case item[0] == '[':
		return step{kind: stepSet, set: bracketSet(item)}
	case item[0] == '%' && classOf(item[1]) != nil:
		return step{kind: stepSet, set: classOf(item[1])}
	}
	return step{kind: stepChar, c: item[len(item)-1]}
}

// bytes returns the set of bytes that a stepAny, stepSet or stepChar matches.
func (s *step) bytes() *byteSet {
	switch s.kind {
	case stepAny:
		return &allBytes
	case stepSet:
		return s.set
	}
	set := new(byteSet)
	set[s.c] = true
	return set
}

// bracketSet returns the bytes in item, a set with its brackets.
func bracketSet(item string) *byteSet {
	set := new(byteSet)
	members, complement := item[1:len(item)-1], false
	if members != "" && members[0] == '^' {
		members, complement = members[1:], true
	}
	for members != "" {
		members = members[set.addMember(members):]
	}
	if complement {
		for c := range set {
			set[c] = !set[c]
		}
	}
	return set
}

// addMember adds the class, range or byte that members begins with and
// returns its length.
func (set *byteSet) addMember(members string) int {
	switch {
	case members[0] == '%' && len(members) > 1:
		if class := classOf(members[1]); class != nil {
			set.union(class)
		} else {
			set[members[1]] = true
		}
		return 2
	case len(members) > 2 && members[1] == '-':
		for c := int(members[0]); c <= int(members[2]); c++ {
			set[c] = true
		}
		return 3
	}
	set[members[0]] = true
	return 1
}

func (set *byteSet) union(other *byteSet) {
	for c, has := range other {
		if has {
			set[c] = true
		}
	}
}

// classOf returns the bytes of the class %letter, nil if letter names none.
func classOf(letter byte) *byteSet { return classes[letter] }

var (
	allBytes = makeSet(func(byte) bool { return true })
	classes  = makeClasses()
)

func makeSet(has func(c byte) bool) (set byteSet) {
	for c := range set {
		set[c] = has(byte(c))
	}
	return set
}

// makeClasses returns the classes by letter: C's character classes in the C
// locale, and under the capital letter their complements.
func makeClasses() (table [256]*byteSet) {
	printable := func(c byte) bool { return c-0x21 < 0x7f-0x21 }
	for letter, has := range map[byte]func(c byte) bool{
		'a': func(c byte) bool { return c|0x20-'a' < 26 },
		'c': func(c byte) bool { return c < 0x20 || c == 0x7f },
		'd': func(c byte) bool { return c-'0' < 10 },
		'l': func(c byte) bool { return c-'a' < 26 },
		'p': func(c byte) bool { return printable(c) && !number.IsAlnum(c) },
		's': number.IsBlank,
		'u': func(c byte) bool { return c-'A' < 26 },
		'w': number.IsAlnum,
		'x': number.IsHexDigit,
		'z': func(c byte) bool { return c == 0 },
	} {
		set := makeSet(has)
		complement := makeSet(func(c byte) bool { return !set[c] })
		table[letter], table[letter-0x20] = &set, &complement
	}
	return table
}

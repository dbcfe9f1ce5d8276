package lua

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// patternCache holds compiled patterns, each in the one place its text hashes to.
type patternCache [64]struct {
	text string
	p    *pattern
}

// longestPattern is the length up to which compiled patterns are kept.
const longestPattern = 256

// get returns the compiled pattern of text.
func (cache *patternCache) get(L *State, text string) *pattern {
	h := len(text)
	if h > longestPattern {
		return compilePattern(L, text, true)
	}
	if h > 0 {
		h += int(text[0])*5 + int(text[h/2])*3 + int(text[h-1])
	}
	place := &cache[h%len(cache)]
	if place.p == nil || place.text != text {
		place.text, place.p = text, compilePattern(L, text, true)
	}
	return place.p
}

// string.find(s, pattern [, init [, plain]])
func (lib *stringLib) find(L *State, c *Call) {
	s, text := c.CheckString(1), c.CheckString(2)
	init := startIndex(c, len(s))
	if c.Arg(4).Truthy() || !hasSpecials(text) {
		i := L.find(s[init:], text)
		if i < 0 {
			L.work(len(s) - init)
			c.Return1(Nil)
			return
		}
		L.work(i)
		i += init
		c.Return2(Int(i+1), Int(i+len(text)))
		return
	}
	m := &lib.matcher
	start, end := m.find(L, lib.patterns.get(L, text), s, init)
	if end == noMatch {
		c.Return1(Nil)
		return
	}
	out := append(L.ret[:0], Int(start+1), Int(end))
	c.ReturnAll(m.appendCaptures(out, start, end, false))
	m.release()
}

// string.match(s, pattern [, init])
func (lib *stringLib) match(L *State, c *Call) {
	s, text := c.CheckString(1), c.CheckString(2)
	m := &lib.matcher
	start, end := m.find(L, lib.patterns.get(L, text), s, startIndex(c, len(s)))
	if end == noMatch {
		c.Return1(Nil)
		return
	}
	if m.level <= 1 {
		c.Return1(m.capture(0, start, end))
	} else {
		c.ReturnAll(m.appendCaptures(L.ret[:0], start, end, true))
	}
	m.release()
}

// startIndex returns the third argument, a position, as an index of a string
// of length n.
func startIndex(c *Call, n int) int {
	if c.NArgs() < 3 {
		return 0
	}
	init := fromEnd(c.OptInteger(3, 1), n)
	return int(min(max(init-1, 0), int64(n)))
}

// find is search, with a problem thrown.
func (m *matcher) find(L *State, p *pattern, s string, init int) (start, end int) {
	m.start(L, p, s)
	start, end = m.search(p, init)
	m.check(end)
	return start, end
}

// release drops a large subject, which the matcher may hold alone.
func (m *matcher) release() {
	if len(m.subject) > keptBuffer {
		m.subject = ""
	}
}

func (m *matcher) check(end int) {
	if end == matchError {
		m.L.Errorf("%s", m.problem)
	}
}

// capture returns capture i of the match at start to end; the whole match
// stands for the first one of a pattern without captures.
func (m *matcher) capture(i, start, end int) Value {
	if i >= m.level {
		if i != 0 {
			m.L.Errorf(errCaptureIndex)
		}
		return m.L.Substring(m.subject, start, end)
	}
	switch cap := m.captures[i]; cap.length {
	case captureOpen:
		m.L.Errorf(errOpenCapture)
		return Nil
	case capturePosition:
		return Int(cap.start + 1)
	default:
		return m.L.Substring(m.subject, cap.start, cap.start+cap.length)
	}
}

// appendCaptures appends all captures, or with whole the match if there are none.
func (m *matcher) appendCaptures(dst []Value, start, end int, whole bool) []Value {
	if m.level == 0 && whole {
		return append(dst, m.capture(0, start, end))
	}
	for i := 0; i < m.level; i++ {
		dst = append(dst, m.capture(i, start, end))
	}
	return dst
}

// string.gmatch(s, pattern): in it a leading ^ has no special meaning.
func (lib *stringLib) gmatch(L *State, c *Call) {
	s, text := c.CheckString(1), c.CheckString(2)
	p := lib.patterns.get(L, text)
	if p.anchored {
		p = compilePattern(L, text, false)
	}
	g := &matchIterator{lib: lib, pattern: p, subject: s}
	c.Return1(NewFunction("gmatch_aux", g.next).Value())
}

// matchIterator is what gmatch returns.
type matchIterator struct {
	lib     *stringLib
	pattern *pattern
	subject string
	from    int
}

func (g *matchIterator) next(L *State, c *Call) {
	if g.from > len(g.subject) {
		return
	}
	m := &g.lib.matcher
	start, end := m.find(L, g.pattern, g.subject, g.from)
	if end == noMatch {
		g.from = len(g.subject) + 1
		return
	}
	g.from = end
	if end == start {
		g.from++
	}
	if m.level <= 1 {
		c.Return1(m.capture(0, start, end))
	} else {
		c.ReturnAll(m.appendCaptures(L.ret[:0], start, end, true))
	}
	m.release()
}

// substitution is one call of gsub. The library's matcher serves it, also when
// the replacement is a function or a metamethod that uses the matcher itself.
type substitution struct {
	*matcher
	c       *Call
	out     Buffer
	subject string
	repl    Value
	text    string // of a repl that is a string or a number
	plain   bool   // the text contains no percent sign
	kind    Kind
	done    int // up to here the subject is in out
}

// string.gsub(s, pattern, repl [, n])
func (lib *stringLib) gsub(L *State, c *Call) {
	s, text := c.CheckString(1), c.CheckString(2)
	g := substitution{matcher: &lib.matcher, c: c, subject: s, repl: c.Arg(3)}
	limit := c.OptInt(4, len(s)+1)
	g.checkReplacement()
	lib.buffer.Lend(&g.out)
	n := g.run(lib.patterns.get(L, text), limit)
	g.release()
	if g.done == 0 && len(g.out.Text) == 0 {
		lib.buffer.giveBack(L, &g.out)
		c.Return2(String(s), Int(n))
		return
	}
	g.out.Append(L, s[g.done:])
	c.Return2(g.out.Finish(L, &lib.buffer), Int(n))
}

func (g *substitution) checkReplacement() {
	switch g.kind = g.repl.Kind(); g.kind {
	case KindTable, KindFunction:
	case KindNumber, KindString:
		g.text, _ = g.repl.ToString()
		g.plain = strings.IndexByte(g.text, '%') < 0
		g.kind = KindString
	default:
		g.c.ArgError(3, "string/function/table expected")
	}
}

// run replaces up to limit matches and returns their number.
func (g *substitution) run(p *pattern, limit int) int {
	n, from := 0, 0
	for n < limit {
		if n == 0 || g.kind != KindString {
			g.start(g.c.L, p, g.subject)
		}
		start, end := g.search(p, from)
		g.check(end)
		if end == noMatch {
			break
		}
		n++
		g.replace(start, end)
		from = end
		if end == start {
			from++
		}
		if from > len(g.subject) || p.anchored {
			break
		}
	}
	return n
}

// replace appends what stands for the match.
func (g *substitution) replace(start, end int) {
	keep := g.subject[g.done:start]
	g.out.Grow(g.L, len(keep)+len(g.text))
	g.out.Text = g.L.Append(g.out.Text, keep)
	g.done = end
	if g.plain {
		g.out.Text = g.L.Append(g.out.Text, g.text)
		return
	}
	if g.kind == KindString {
		g.expand(start, end)
		return
	}
	v := g.evaluate(start, end)
	switch {
	case !v.Truthy():
		g.out.Append(g.L, g.subject[start:end])
	case v.IsString():
		g.out.Append(g.L, v.str())
	case v.IsNumber():
		g.out.Text = number.Append(g.out.Text, v.num())
	default:
		g.L.Errorf("invalid replacement value (a %s)", v.TypeName())
	}
}

// evaluate asks the table or function.
func (g *substitution) evaluate(start, end int) Value {
	if g.kind == KindTable {
		return g.L.Index(g.repl, g.capture(0, start, end))
	}
	if g.level <= 1 {
		return g.L.Call1(g.repl, g.capture(0, start, end))
	}
	var space [maxCaptures]Value
	return g.L.Call1(g.repl, g.appendCaptures(space[:0], start, end, true)...)
}

// expand appends the replacement string, in which %1 stands for a capture,
// %0 for the match and %% for a percent sign.
func (g *substitution) expand(start, end int) {
	text := g.text
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			g.out.Append(g.L, text)
			return
		}
		g.out.Append(g.L, text[:i])
		letter := byte(0) // what C finds behind a percent sign at the end
		if i+1 < len(text) {
			letter = text[i+1]
		}
		g.expandOne(letter, start, end)
		text = text[min(i+2, len(text)):]
	}
}

func (g *substitution) expandOne(letter byte, start, end int) {
	switch {
	case letter == '0':
		g.out.Append(g.L, g.subject[start:end])
	case letter-'0' < 10:
		v := g.capture(int(letter-'1'), start, end)
		if v.IsNumber() {
			g.out.Text = number.Append(g.out.Text, v.num())
		} else {
			g.out.Append(g.L, v.str())
		}
	default:
		g.out.Text = append(g.out.Text, letter)
	}
}

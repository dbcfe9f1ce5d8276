package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// Profile gathers what the runs of chunks compiled with it do, line by line: coverage, and time if there
// is a clock. Chunks compiled without a Profile pay nothing for this.
type Profile struct {
	Clock func() int64 // in nanoseconds; nil: nothing is timed

	lines   []Line
	current int   // the line of the innermost statement
	since   int64 // when it became that
}

// Line is what a profile knows of a line of source.
type Line struct {
	Executable bool  // a statement begins here
	Hits       int   // times a statement that begins here was begun
	Time       int64 // nanoseconds in the statements of the line, without the functions they called
	Calls      int   // calls of host functions from the line
	CallTime   int64 // nanoseconds in those, part of Time
}

// CompileProfiled is Compile for a chunk whose runs p follows.
func CompileProfiled(source, chunkName string, p *Profile) (*Proto, error) {
	return compile(nil, source, chunkName, p)
}

// Lines returns what is known of each line: the Profile's own slice, counted from 1; element 0 stands
// for no line. It grows with the chunks compiled.
func (p *Profile) Lines() []Line { return p.lines }

// Reset forgets what was gathered, but not which lines are executable.
func (p *Profile) Reset() {
	for i := range p.lines {
		p.lines[i] = Line{Executable: p.lines[i].Executable}
	}
	p.current = 0
}

// line makes room for a line.
func (p *Profile) line(n int) {
	for n >= len(p.lines) {
		p.lines = append(p.lines, Line{})
	}
}

// switchTo charges the time since the last call to the current line and changes the current line.
func (p *Profile) switchTo(line int) {
	if p.Clock != nil {
		now := p.Clock()
		p.lines[p.current].Time += now - p.since
		p.since = now
	}
	p.current = line
}

func (p *Profile) statement(fs *compiler, s syntax.Stat) action {
	inner, line := fs.action(s), syntax.LineOf(s)
	if line == 0 {
		return inner
	}
	p.line(line)
	p.lines[line].Executable = true
	return func(f *frame) signal {
		before := p.current
		if f.prev == nil || f.prev.fn.proto == nil {
			before = 0 // the host's time between two functions belongs to no line
		}
		p.switchTo(line)
		p.lines[line].Hits++
		sig := inner(f)
		p.switchTo(before)
		return sig
	}
}

// condition follows what stands behind elseif: all other conditions belong to their statements.
func (p *Profile) condition(fs *compiler, s syntax.Stat, i int) test {
	e, line, _ := conditionOf(s, i)
	inner := fs.test(e)
	if i == 0 {
		return inner
	}
	p.line(line)
	p.lines[line].Executable = true
	return func(f *frame) bool {
		before := p.current
		p.switchTo(line)
		p.lines[line].Hits++
		result := inner(f)
		p.switchTo(before)
		return result
	}
}

func (p *Profile) branch(_ *compiler, _ *syntax.IfStat, _ int, body action) action { return body }
func (p *Profile) turn(_ *compiler, _ syntax.Stat, _ int, body action) action      { return body }
func (p *Profile) body(_ *compiler, compile func() action) action                  { return compile() }

func (p *Profile) call(fs *compiler, e *syntax.CallExpr) invoke {
	inner, line := fs.callPlain(e), e.Line
	p.line(line)
	return func(f *frame) *frame {
		began := p.now()
		g := inner(f)
		if g.fn.proto == nil {
			p.called(line, began)
		}
		return g
	}
}

// tail follows a compiled tail call, which is over when it has returned: then it was one of a host function.
func (p *Profile) tail(_ *compiler, e *syntax.CallExpr, t *tail) action {
	line := e.Line
	p.line(line)
	return func(f *frame) signal {
		began := p.now()
		sig := t.run(f)
		if sig == returns {
			p.called(line, began)
		}
		return sig
	}
}

func (p *Profile) now() int64 {
	if p.Clock == nil {
		return 0
	}
	return p.Clock()
}

// called notes a call of a host function from a line.
func (p *Profile) called(line int, began int64) {
	l := &p.lines[line]
	l.Calls++
	l.CallTime += p.now() - began
}

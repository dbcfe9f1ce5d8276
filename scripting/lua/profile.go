package lua

import (
	"strings"
	"unicode"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Profile is a follower of one chunk. It counts what the chunk's functions do, and tells a CallTree
// when they do it. Both can be switched while none of them runs.
type Profile struct {
	Counting bool      // the numbers of FunctionProfile change
	Tree     *CallTree // gets times; nil for none

	functions []*FunctionProfile
	names     map[*syntax.Function]string // while the chunk is compiled
}

// FunctionProfile is what a Profile knows of one function of the chunk. Statement 0 stands for the
// function itself: its line is the one of the word function, its hits are the calls of the
// function.
type FunctionProfile struct {
	Name       string // as the source names it, "" if it does not
	Line       int    // 0 for the chunk
	LastLine   int
	Lines      []int // on which its statements begin, and what stands behind elseif
	Hits       []int // how often each was begun
	Conditions []Condition
}

// Condition is what decides in an if or a loop. Those that are constants are left out.
type Condition struct {
	Line    int
	Yes, No int // how often it was true, and false
}

// Functions returns the functions of the chunk in the order of the source, the chunk first: the
// Profile's own slice, empty before the chunk is followed.
func (p *Profile) Functions() []*FunctionProfile { return p.functions }

// Reset sets all counts to 0.
func (p *Profile) Reset() {
	for _, fn := range p.functions {
		clear(fn.Hits)
		for i := range fn.Conditions {
			fn.Conditions[i].Yes, fn.Conditions[i].No = 0, 0
		}
	}
}

// Follow compiles a chunk anew, such that its functions tell by what they do from their next call
// on, until Unfollow. The functions that exist keep their variables. source is what the chunk was
// compiled from; none of its functions may be running. A chunk that is followed already stays so.
// An error changes nothing.
func (p *Proto) Follow(source string, by *Profile) error {
	if p.plain != nil {
		return nil
	}
	all := append([]*Proto{p}, p.inner...)
	plain := make([]Proto, len(all))
	for i, q := range all {
		plain[i] = *q
	}
	by.names = make(map[*syntax.Function]string)
	_, err := compileInto(nil, all, source, p.source, by)
	by.names = nil
	p.plain = plain
	if err != nil {
		p.Unfollow()
	}
	return err
}

// Unfollow undoes Follow. On other chunks it has no effect.
func (p *Proto) Unfollow() {
	if plain := p.plain; plain != nil {
		for i, q := range append([]*Proto{p}, plain[0].inner...) {
			*q = plain[i]
		}
	}
}

func (p *Profile) body(fs *compiler, compile func() action) action {
	fs.node = fs.temp()
	k := fs.fn.Number
	for k >= len(p.functions) {
		p.functions = append(p.functions, nil)
	}
	if p.functions[k] == nil {
		p.functions[k] = &FunctionProfile{Name: p.names[fs.fn], Line: fs.fn.Line, LastLine: fs.fn.EndLine}
	}
	fn, slot := p.functions[k], fs.node
	fs.profiled = &profiled{FunctionProfile: fn}
	fs.profiled.statement(fs.fn.Line)
	inner := compile()
	return func(f *frame) signal {
		if p.Counting {
			fn.Hits[0]++
		}
		t := p.Tree
		if t == nil {
			return inner(f)
		}
		before := t.at
		f.slots[slot] = Int(t.enter(edge{chunk: p, function: k}, len(fn.Lines)))
		sig := inner(f)
		t.move(before)
		return sig
	}
}

// profiled is a FunctionProfile during one compilation. The first one adds the statements and
// conditions, others find them.
type profiled struct {
	*FunctionProfile
	statements, conditions int // until now
}

// statement returns the number of the next statement.
func (p *profiled) statement(line int) int {
	if p.statements == len(p.Lines) {
		p.Lines, p.Hits = append(p.Lines, line), append(p.Hits, 0)
	}
	p.statements++
	return p.statements - 1
}

// condition returns the number of the next condition.
func (p *profiled) condition(line int) int {
	if p.conditions == len(p.Conditions) {
		p.Conditions = append(p.Conditions, Condition{Line: line})
	}
	p.conditions++
	return p.conditions - 1
}

func (p *Profile) statement(fs *compiler, s syntax.Stat) action {
	line := syntax.LineOf(s)
	if line == 0 {
		return fs.action(s)
	}
	p.nameFunctions(s)
	begin, end := p.step(fs, line)
	inner := fs.action(s)
	return func(f *frame) signal {
		before := begin(f)
		sig := inner(f)
		end(before)
		return sig
	}
}

// step returns what is done before and after a statement, which begins on a line.
func (p *Profile) step(fs *compiler, line int) (begin func(f *frame) position, end func(before position)) {
	fn, n, slot := fs.profiled.FunctionProfile, fs.profiled.statement(line), fs.node
	begin = func(f *frame) (before position) {
		if p.Counting {
			fn.Hits[n]++
		}
		if t := p.Tree; t != nil {
			before = t.at
			t.begin(position{int(f.slots[slot].num()), n})
		}
		return before
	}
	end = func(before position) {
		if t := p.Tree; t != nil {
			t.move(before)
		}
	}
	return begin, end
}

// condition counts how a condition decides. What stands behind elseif is a step of its own: all
// other conditions belong to their statements.
func (p *Profile) condition(fs *compiler, s syntax.Stat, i int) test {
	e, line, _ := conditionOf(s, i)
	decide := p.decision(fs, e, line)
	if i == 0 {
		return decide
	}
	begin, end := p.step(fs, line)
	return func(f *frame) bool {
		before := begin(f)
		result := decide(f)
		end(before)
		return result
	}
}

func (p *Profile) decision(fs *compiler, e syntax.Expr, line int) test {
	inner := fs.test(e)
	if _, constant := constantOf(e); constant {
		return inner
	}
	fn, n := fs.profiled.FunctionProfile, fs.profiled.condition(line)
	return func(f *frame) bool {
		result := inner(f)
		switch c := &fn.Conditions[n]; {
		case !p.Counting:
		case result:
			c.Yes++
		default:
			c.No++
		}
		return result
	}
}

func (p *Profile) branch(_ *compiler, _ *syntax.IfStat, _ int, body action) action { return body }
func (p *Profile) turn(_ *compiler, _ syntax.Stat, _ int, body action) action      { return body }
func (p *Profile) gathers(*compiler) bool                                          { return true }

// called enters a host function. A Lua function enters by itself.
func (p *Profile) called(_ *compiler, _ *syntax.CallExpr, base uint8, n int) func(f *frame, rest []Value) {
	return func(f *frame, rest []Value) {
		fn := f.slots[base].AsFunction()
		if p.Tree == nil || fn == nil || fn.proto != nil {
			return
		}
		first := Nil
		if n > 0 {
			first = f.slots[base+1]
		} else if len(rest) > 0 {
			first = rest[0]
		}
		p.Tree.enter(edge{host: p.Tree.name(fn, first)}, 1)
	}
}

// call goes back to where the call was made, also after errors that the callee has caught.
func (p *Profile) call(fs *compiler, e *syntax.CallExpr) invoke {
	inner := fs.callPlain(e)
	return func(f *frame) *frame {
		t := p.Tree
		if t == nil {
			return inner(f)
		}
		before := t.at
		g := inner(f)
		t.move(before)
		return g
	}
}

func (p *Profile) tail(_ *compiler, _ *syntax.CallExpr, call *tail) action {
	return func(f *frame) signal {
		t := p.Tree
		if t == nil {
			return call.run(f)
		}
		before := t.at
		sig := call.run(f)
		t.move(before)
		return sig
	}
}

// nameFunctions names the functions in a statement that stores or passes them on.
func (p *Profile) nameFunctions(s syntax.Stat) {
	switch s := s.(type) {
	case *syntax.LocalFunctionStat:
		p.names[s.Function.Body] = s.Variable.Name
	case *syntax.LocalStat:
		for i, v := range s.Variables[:min(len(s.Variables), len(s.Values))] {
			p.nameFunction(v.Name, s.Values[i])
		}
	case *syntax.AssignStat:
		for i, t := range s.Targets[:min(len(s.Targets), len(s.Values))] {
			p.nameFunction(sourceName(t), s.Values[i])
		}
	case *syntax.CallStat:
		p.nameArguments(s.Call.Args)
	case *syntax.ReturnStat:
		for _, e := range s.Values {
			p.nameFunction("", e)
		}
	}
}

// nameFunction names a function, or the functions that are items of a table.
func (p *Profile) nameFunction(name string, e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.FunctionExpr:
		if !strings.ContainsFunc(name, notInName) {
			p.names[e.Body] = name
		}
	case *syntax.TableExpr:
		for _, item := range e.Items {
			if key, ok := item.Key.(syntax.StringExpr); ok {
				p.nameFunction(joined(name, key.Value), item.Value)
			}
		}
	}
}

// notInName reports whether a character is found in no name, or path of names.
func notInName(r rune) bool {
	return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// nameArguments names functions that are arguments: by the text before them, or by the item
// function_name beside them in a table, as redis.register_function has them.
func (p *Profile) nameArguments(args []syntax.Expr) {
	name := ""
	for _, a := range args {
		switch a := a.(type) {
		case syntax.StringExpr:
			name = a.Value
		case *syntax.FunctionExpr:
			p.nameFunction(name, a)
		case *syntax.TableExpr:
			p.nameFunction("", a)
			p.nameRegistered(a)
		}
	}
}

func (p *Profile) nameRegistered(t *syntax.TableExpr) {
	for _, item := range t.Items {
		key, _ := item.Key.(syntax.StringExpr)
		name, ok := item.Value.(syntax.StringExpr)
		if !ok || key.Value != "function_name" {
			continue
		}
		for _, other := range t.Items {
			p.nameFunction(name.Value, other.Value)
		}
	}
}

// sourceName returns the name of what an expression reads, "" if it has none.
func sourceName(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.GlobalExpr:
		return e.Name
	case *syntax.LocalExpr:
		return e.Variable.Name
	case *syntax.UpvalExpr:
		return e.Variable.Name
	case *syntax.IndexExpr:
		if key, ok := e.Key.(syntax.StringExpr); ok {
			return joined(sourceName(e.Object), key.Value)
		}
	}
	return ""
}

// joined returns the name of a field.
func joined(object, field string) string {
	if object == "" {
		return field
	}
	return object + "." + field
}

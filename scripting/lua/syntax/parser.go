package syntax

import (
	"fmt"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

const (
	maxLevels   = 200 // nesting of blocks and expressions, as LUAI_MAXCCALLS
	maxLocals   = 200 // active local variables of a function
	maxUpvalues = 60
	// maxDepth bounds the depth of the tree where Lua itself loops: chains of operators and
	// suffixes.
	maxDepth = 10000
)

// parser reads a chunk into a syntax tree and resolves its names, one function at a time, as Lua
// 5.1 does, so that its errors and their order are the same.
type parser struct {
	lexer
	current   token
	meaning   meaning // of current
	at        int32   // offset of current
	ahead     token   // the one behind current, when looked at: tokenNone if not
	lastLine  int     // of the token before current
	levels    int
	fn        *Function
	all       []*Variable
	functions int // until now, without the chunk
}

const tokenNone token = -1

// Error is a syntax error with Lua's own text: chunk, line, problem, and the token it is near to.
type Error string

func (e Error) Error() string { return string(e) }

// Position returns "chunk:line: ", with which messages begin.
func Position(chunk string, line int) string { return chunk + ":" + strconv.Itoa(line) + ": " }

// Parse returns the tree of a chunk, which is the body of a vararg function; messages call the
// chunk by that name. levels are the levels of nesting already in use: C Lua counts the calls from
// C under way. meter counts the work and may be nil. The error is an Error.
func Parse(source, chunk string, levels int, meter number.Meter) (body *Function, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			e, ok := problem.(Error)
			if !ok {
				panic(problem) // the meter's, which ends the run
			}
			err = e
		}
	}()
	p := &parser{lexer: lexer{meter: meter, source: source, chunk: chunk, line: 1}, ahead: tokenNone, levels: levels}
	p.fn = &Function{Vararg: true}
	p.advance()
	p.fn.Body = p.block()
	p.check(tokenEOF)
	p.fn.EndLine, p.fn.LastLine = p.line, p.lastLine
	p.fn.Length += len(source)
	findNumeric(p.all)
	return p.fn, nil
}

// advance moves to the next token.
func (p *parser) advance() {
	p.lastLine = p.line
	if p.ahead != tokenNone {
		p.current, p.ahead = p.ahead, tokenNone
	} else {
		p.current = p.next()
	}
	p.meaning, p.at = p.read, int32(p.start)
}

// lookAhead returns the token behind the current one.
func (p *parser) lookAhead() token {
	p.ahead = p.next()
	return p.ahead
}

// near returns the current token as messages quote it.
func (p *parser) near() string {
	switch p.current {
	case tokenName, tokenString, tokenNumber:
		return string(p.text)
	}
	return p.current.String()
}

// syntaxError throws a message at the current token.
func (p *parser) syntaxError(problem string) {
	if p.current == 0 { // C Lua takes it for no token
		p.failPlain(problem)
	}
	p.fail(problem, p.near())
}

func (p *parser) expected(t token) { p.syntaxError("'" + t.String() + "' expected") }

// check throws unless t is the current token.
func (p *parser) check(t token) {
	if p.current != t {
		p.expected(t)
	}
}

// checkNext is check, and moves behind t.
func (p *parser) checkNext(t token) {
	p.check(t)
	p.advance()
}

// accept skips t if it is there.
func (p *parser) accept(t token) bool {
	if p.current != t {
		return false
	}
	p.advance()
	return true
}

// match skips what closes the construct that opener began at line.
func (p *parser) match(what, opener token, line int) {
	if p.accept(what) {
		return
	}
	if line == p.line {
		p.expected(what)
	}
	p.syntaxError(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", what, opener, line))
}

// checkName reads a name.
func (p *parser) checkName() (name string, at int32) {
	p.check(tokenName)
	name, at = p.meaning.str, p.at
	p.advance()
	return name, at
}

// fieldName reads the name of a field, which is a constant key.
func (p *parser) fieldName() Expr {
	name, at := p.checkName()
	return StringExpr{name, at}
}

// enter and leave count nested blocks and expressions. The parser recurses with them, and the limit
// is C Lua's.
func (p *parser) enter() {
	p.levels++
	if p.levels > maxLevels {
		p.failPlain("chunk has too many syntax levels")
	}
}

func (p *parser) leave() { p.levels-- }

// limit throws when n exceeds what a function may have.
func (p *parser) limit(n, most int, what string) {
	if n <= most {
		return
	}
	where := "main function"
	if p.fn.outer != nil {
		where = fmt.Sprintf("function at line %d", p.fn.Line)
	}
	p.failPlain(fmt.Sprintf("%s has more than %d %s", where, most, what))
}

// Scopes.

// newVariable makes a variable that becomes visible when declared; at is where its name stands, and
// pending counts those made before it.
func (p *parser) newVariable(name string, at int32, pending int) *Variable {
	p.limit(len(p.fn.active)+pending+1, maxLocals, "local variables")
	v := &Variable{Name: name, At: at}
	p.all = append(p.all, v)
	return v
}

// declare makes variables visible. In local x = x that is after the values are read, so the right x
// is the outer one.
func (p *parser) declare(vs ...*Variable) { p.fn.active = append(p.fn.active, vs...) }

// find returns the visible local variable of that name in one function, nil if there is none.
func (fn *Function) find(name string) *Variable {
	for i := len(fn.active) - 1; i >= 0; i-- {
		if fn.active[i].Name == name {
			return fn.active[i]
		}
	}
	return nil
}

// resolve returns the expression that a name at an offset stands for in the current function.
func (p *parser) resolve(name string, at int32) Expr {
	if v := p.fn.find(name); v != nil {
		return &LocalExpr{v, at}
	}
	if i, v := p.capture(p.fn, name); i >= 0 {
		return &UpvalExpr{v, i, at}
	}
	return &GlobalExpr{Name: name, At: at}
}

// capture returns the number of fn's upvalue of that name, made on demand, -1 for a global.
func (p *parser) capture(fn *Function, name string) (int, *Variable) {
	outer := fn.outer
	if outer == nil {
		return -1, nil
	}
	if v := outer.find(name); v != nil {
		v.captured = true
		return p.addCapture(fn, Capture{Variable: v, Local: true})
	}
	i, v := p.capture(outer, name)
	if i < 0 {
		return -1, nil
	}
	return p.addCapture(fn, Capture{Variable: v, Index: i})
}

// addCapture returns the number of an upvalue of fn, which is a new one if fn does not have it yet.
func (p *parser) addCapture(fn *Function, source Capture) (int, *Variable) {
	for i := range fn.Captures {
		if fn.Captures[i].Variable == source.Variable {
			return i, source.Variable
		}
	}
	here := p.fn
	p.fn = fn
	p.limit(len(fn.Captures)+1, maxUpvalues, "upvalues")
	p.fn = here
	fn.Captures = append(fn.Captures, source)
	return len(fn.Captures) - 1, source.Variable
}

// Constant folding.

// fold returns the number an operator yields for two constants, false where Lua leaves it to run
// time.
func fold(op Operator, a, b Expr) (Expr, bool) {
	x, ok := a.(NumberExpr)
	y, ok2 := b.(NumberExpr)
	if !ok || !ok2 || (op == OpDiv || op == OpMod) && y.Value == 0 {
		return nil, false
	}
	if op > OpPow {
		return nil, false
	}
	r := op.Compute(x.Value, y.Value)
	return NumberExpr{r}, !math.IsNaN(r)
}

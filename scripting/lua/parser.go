package lua

import (
	"fmt"
	"math"
)

const (
	maxLevels   = 200 // nesting of blocks and expressions, as LUAI_MAXCCALLS
	maxLocals   = 200 // active local variables of a function
	maxUpvalues = 60
	// maxDepth bounds the depth of the tree where Lua itself loops: chains of operators and suffixes.
	maxDepth = 10000
)

// parser reads a chunk into a syntax tree and resolves its names, one function at a time, as Lua 5.1
// does, so that its errors and their order are the same.
type parser struct {
	lexer
	current  token
	meaning  meaning // of current
	ahead    token   // the one behind current, when looked at: tokenNone if not
	lastLine int     // of the token before current
	levels   int
	fn       *functionBody
	all      []*variable
}

const tokenNone token = -1

// parse returns the tree of a chunk, which is the body of a vararg function. The calls from Go under way
// in L, unless that is nil, count as levels of nesting, as C Lua's do. It panics with a syntaxError.
func parse(L *State, source, chunk string) *functionBody {
	p := &parser{lexer: lexer{L: L, source: source, chunk: chunk, line: 1}, ahead: tokenNone}
	if L != nil {
		p.levels = L.ccalls
	}
	p.fn = &functionBody{vararg: true}
	p.advance()
	p.fn.body = p.block()
	p.check(tokenEOF)
	p.fn.endLine = p.line
	p.fn.length += len(source)
	findNumeric(p.all)
	return p.fn
}

// advance moves to the next token.
func (p *parser) advance() {
	p.lastLine = p.line
	if p.ahead != tokenNone {
		p.current, p.ahead = p.ahead, tokenNone
	} else {
		p.current = p.next()
	}
	p.meaning = p.read
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

func (p *parser) syntaxError(problem string) {
	if p.current == 0 { // C Lua takes it for no token
		p.failPlain(problem)
	}
	p.fail(problem, p.near())
}

func (p *parser) expected(t token) { p.syntaxError("'" + t.String() + "' expected") }

func (p *parser) check(t token) {
	if p.current != t {
		p.expected(t)
	}
}

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

// match skips what closes the construct opened by who at line.
func (p *parser) match(what, who token, line int) {
	if p.accept(what) {
		return
	}
	if line == p.line {
		p.expected(what)
	}
	p.syntaxError(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", what, who, line))
}

func (p *parser) checkName() string {
	p.check(tokenName)
	name := p.meaning.str
	p.advance()
	return name
}

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
		where = fmt.Sprintf("function at line %d", p.fn.line)
	}
	p.failPlain(fmt.Sprintf("%s has more than %d %s", where, most, what))
}

// Scopes.

// newVariable makes a variable that becomes visible when declared; pending counts those made before it.
func (p *parser) newVariable(name string, pending int) *variable {
	p.limit(len(p.fn.active)+pending+1, maxLocals, "local variables")
	v := &variable{name: name, owner: p.fn}
	p.all = append(p.all, v)
	return v
}

func (p *parser) declare(vs ...*variable) { p.fn.active = append(p.fn.active, vs...) }

// find returns the visible local variable of that name in one function, nil if there is none.
func (fn *functionBody) find(name string) *variable {
	for i := len(fn.active) - 1; i >= 0; i-- {
		if fn.active[i].name == name {
			return fn.active[i]
		}
	}
	return nil
}

// resolve returns the expression name stands for in the current function.
func (p *parser) resolve(name string) expression {
	if v := p.fn.find(name); v != nil {
		return &localExpr{v}
	}
	if i, v := p.capture(p.fn, name); i >= 0 {
		return &upvalExpr{v, i}
	}
	return &globalExpr{name: name}
}

// capture returns the number of fn's upvalue of that name, made on demand, -1 for a global.
func (p *parser) capture(fn *functionBody, name string) (int, *variable) {
	outer := fn.outer
	if outer == nil {
		return -1, nil
	}
	if v := outer.find(name); v != nil {
		v.captured = true
		return p.addCapture(fn, upvalueSource{variable: v, local: true})
	}
	i, v := p.capture(outer, name)
	if i < 0 {
		return -1, nil
	}
	return p.addCapture(fn, upvalueSource{variable: v, index: i})
}

func (p *parser) addCapture(fn *functionBody, source upvalueSource) (int, *variable) {
	for i := range fn.captures {
		if fn.captures[i].variable == source.variable {
			return i, source.variable
		}
	}
	here := p.fn
	p.fn = fn
	p.limit(len(fn.captures)+1, maxUpvalues, "upvalues")
	p.fn = here
	fn.captures = append(fn.captures, source)
	return len(fn.captures) - 1, source.variable
}

// Constant folding.

// fold returns the number an operator yields for two constants, false where Lua leaves it to run time.
func fold(op operator, a, b expression) (expression, bool) {
	x, ok := a.(numberExpr)
	y, ok2 := b.(numberExpr)
	if !ok || !ok2 || (op == opDiv || op == opMod) && y.value == 0 {
		return nil, false
	}
	var r float64
	switch op {
	case opAdd:
		r = x.value + y.value
	case opSub:
		r = x.value - y.value
	case opMul:
		r = x.value * y.value
	case opDiv:
		r = x.value / y.value
	case opMod:
		r = modulo(x.value, y.value)
	case opPow:
		r = power(x.value, y.value)
	default:
		return nil, false
	}
	return numberExpr{r}, !math.IsNaN(r)
}

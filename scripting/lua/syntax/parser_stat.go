package syntax

// blockFollows reports whether t ends a block.
func blockFollows(t token) bool {
	switch t {
	case tokenElse, tokenElseif, tokenEnd, tokenEOF, tokenUntil:
		return true
	}
	return false
}

// block reads statements in the current scope.
func (p *parser) block() []Stat {
	p.enter()
	var body []Stat
	for last := false; !last && !blockFollows(p.current); {
		var s Stat
		if s, last = p.statement(); s != nil {
			body = append(body, s)
		}
		p.accept(';')
	}
	p.leave()
	return body
}

// scope reads a block in a scope of its own.
func (p *parser) scope() []Stat {
	active := len(p.fn.active)
	body := p.block()
	p.fn.active = p.fn.active[:active]
	return body
}

// statement reads a statement; last means that the block must end after it.
func (p *parser) statement() (s Stat, last bool) {
	line := p.line
	switch p.current {
	case tokenIf:
		return p.ifStatement(line), false
	case tokenWhile:
		return p.whileStatement(line), false
	case tokenDo:
		p.advance()
		body := p.scope()
		p.match(tokenEnd, tokenDo, line)
		return &BlockStat{body}, false
	case tokenFor:
		return p.forStatement(line), false
	case tokenRepeat:
		return p.repeatStatement(line), false
	case tokenFunction:
		return p.functionStatement(line), false
	case tokenLocal:
		p.advance()
		if p.accept(tokenFunction) {
			return p.localFunction(line), false
		}
		return p.localStatement(line), false
	case tokenReturn:
		return p.returnStatement(line), true
	case tokenBreak:
		p.advance()
		if p.fn.loops == 0 {
			p.syntaxError("no loop to break")
		}
		return &BreakStat{line}, true
	}
	return p.expressionStatement(line), false
}

func (p *parser) ifStatement(line int) Stat {
	s := &IfStat{}
	for {
		s.Lines = append(s.Lines, p.line)
		p.advance()
		s.Conditions = append(s.Conditions, p.discharge(p.expression()))
		s.ThenLines = append(s.ThenLines, p.lastLine)
		p.checkNext(tokenThen)
		s.Branches = append(s.Branches, p.scope())
		s.BranchEnds = append(s.BranchEnds, p.lastLine)
		if p.current != tokenElseif {
			break
		}
	}
	if p.accept(tokenElse) {
		s.Otherwise = p.scope()
	}
	p.match(tokenEnd, tokenIf, line)
	return s
}

func (p *parser) whileStatement(line int) Stat {
	p.advance()
	condition := p.discharge(p.expression())
	s := &WhileStat{Condition: condition, Line: line, DoLine: p.lastLine}
	p.fn.loops++
	p.checkNext(tokenDo)
	s.Body = p.scope()
	s.BodyEnd = p.lastLine
	p.match(tokenEnd, tokenWhile, line)
	p.fn.loops--
	return s
}

// repeatStatement reads repeat ... until. The condition belongs to the scope of the body and sees
// its variables.
func (p *parser) repeatStatement(line int) Stat {
	active := len(p.fn.active)
	p.fn.loops++
	p.advance()
	body := p.block()
	p.match(tokenUntil, tokenRepeat, line)
	condition := p.discharge(p.expression())
	p.fn.active = p.fn.active[:active] // only now: see above
	p.fn.loops--
	return &RepeatStat{body, condition, line, p.lastLine}
}

func (p *parser) forStatement(line int) Stat {
	active := len(p.fn.active)
	p.fn.loops++
	p.advance()
	name, at := p.checkName()
	var s Stat
	switch p.current {
	case '=':
		s = p.numericFor(name, at, line)
	case ',', tokenIn:
		s = p.genericFor(name, at, line)
	default:
		p.syntaxError("'=' or 'in' expected")
	}
	p.match(tokenEnd, tokenFor, line)
	p.fn.loops--
	p.fn.active = p.fn.active[:active]
	return s
}

// numericFor reads what follows for name. Three hidden variables count against the limit of 200, as
// in C Lua, where they hold the loop's state.
func (p *parser) numericFor(name string, at int32, line int) Stat {
	hidden := p.hiddenVariables("(for index)", "(for limit)", "(for step)")
	s := &NumericForStat{Variable: p.newVariable(name, at, 3), Line: line}
	s.Variable.loop = true
	p.checkNext('=')
	s.Start = p.discharge(p.expression())
	p.checkNext(',')
	s.Limit = p.discharge(p.expression())
	s.Step = NumberExpr{1}
	if p.accept(',') {
		s.Step = p.discharge(p.expression())
	}
	p.declare(hidden...)
	p.checkNext(tokenDo)
	s.DoLine = p.lastLine
	p.declare(s.Variable)
	s.Body = p.scope()
	return s
}

// hiddenVariables makes the variables a loop keeps its state in: they only count.
func (p *parser) hiddenVariables(names ...string) []*Variable {
	hidden := make([]*Variable, len(names))
	for i, name := range names {
		hidden[i] = p.newVariable(name, p.at, i)
	}
	return hidden
}

// genericFor reads what follows the first name of for ... in.
func (p *parser) genericFor(name string, at int32, line int) Stat {
	hidden := p.hiddenVariables("(for generator)", "(for state)", "(for control)")
	s := &GenericForStat{Line: line, Variables: []*Variable{p.newVariable(name, at, 3)}}
	for p.accept(',') {
		name, at = p.checkName()
		s.Variables = append(s.Variables, p.newVariable(name, at, 3+len(s.Variables)))
	}
	p.checkNext(tokenIn)
	s.CallLine = p.line
	s.Values, _ = p.expressions(line)
	p.discharge(s.Values[len(s.Values)-1])
	p.declare(hidden...)
	p.checkNext(tokenDo)
	p.declare(s.Variables...)
	assignsList(s.Variables, nil)
	s.Body = p.scope()
	return s
}

// functionStatement reads function a.b:c() ... end.
func (p *parser) functionStatement(line int) Stat {
	p.advance()
	at := p.at
	target := p.resolve(p.checkName())
	method := false
	for p.current == '.' || p.current == ':' {
		method = p.current == ':'
		p.discharge(target)
		p.advance()
		target = &IndexExpr{Object: target, Key: p.fieldName(), At: at}
		if method {
			break
		}
	}
	p.markAssigned(target, nil)
	body := p.function(method, line)
	switch t := target.(type) { // the store counts as the line of the word function
	case *GlobalExpr:
		t.Line = line
	case *IndexExpr:
		t.Line = line
	}
	return &AssignStat{[]Expr{target}, []Expr{body}, line, p.lastLine}
}

// localFunction reads local function f. Unlike local f = function, the body sees f.
func (p *parser) localFunction(line int) Stat {
	name, at := p.checkName()
	v := p.newVariable(name, at, 0)
	v.opaque = true
	p.declare(v)
	return &LocalFunctionStat{v, p.function(false, p.line), line}
}

func (p *parser) localStatement(line int) Stat {
	s := &LocalStat{Line: line}
	for {
		name, at := p.checkName()
		s.Variables = append(s.Variables, p.newVariable(name, at, len(s.Variables)))
		if !p.accept(',') {
			break
		}
	}
	if p.accept('=') {
		s.Values, _ = p.expressions(line)
		p.discharge(s.Values[len(s.Values)-1])
	}
	s.EndLine = p.lastLine
	assignsList(s.Variables, s.Values)
	p.declare(s.Variables...)
	return s
}

func (p *parser) returnStatement(line int) Stat {
	s := &ReturnStat{Line: line, At: p.at}
	p.advance()
	if !blockFollows(p.current) && p.current != ';' {
		s.Values, _ = p.expressions(line)
		p.discharge(s.Values[len(s.Values)-1])
	}
	s.EndLine = p.lastLine
	return s
}

// expressionStatement reads a call or an assignment: which of them it is shows behind the first
// expression.
func (p *parser) expressionStatement(line int) Stat {
	e := p.suffixed()
	if call, ok := e.(*CallExpr); ok {
		return &CallStat{call, line, p.lastLine}
	}
	return p.assignment(e, line)
}

// assignment reads what follows the first target.
func (p *parser) assignment(target Expr, line int) Stat {
	s := &AssignStat{Line: line}
	for {
		p.target(target)
		s.Targets = append(s.Targets, target)
		if !p.accept(',') {
			break
		}
		target = p.suffixed()
		if len(s.Targets) > maxLevels-p.levels { // C Lua recurses for each target
			p.limit(len(s.Targets), maxLevels-p.levels, "variables in assignment")
		}
	}
	p.checkNext('=')
	s.Values, _ = p.expressions(line)
	s.EndLine = p.lastLine
	p.discharge(s.Values[len(s.Values)-1])
	for i, t := range s.Targets {
		p.discharge(t) // a store is emitted now
		var value Expr
		if i < len(s.Values) && !IsMany(s.Values[i]) {
			value = s.Values[i]
		}
		p.markAssigned(t, value)
	}
	return s
}

// target refuses what cannot be assigned to.
func (p *parser) target(e Expr) {
	switch e.(type) {
	case *LocalExpr, *UpvalExpr, *GlobalExpr, *IndexExpr:
		return
	}
	p.syntaxError("syntax error")
}

// markAssigned notes the assignment of value, nil if unknown, to a local variable.
func (p *parser) markAssigned(target, value Expr) {
	var v *Variable
	switch t := target.(type) {
	case *LocalExpr:
		v = t.Variable
	case *UpvalExpr:
		v = t.Variable
	default:
		return
	}
	v.assigned = true
	v.assigns(value)
}

// function reads parameters and body; the word function and a name are behind.
func (p *parser) function(method bool, line int) *FunctionExpr {
	p.functions++
	fn := &Function{outer: p.fn, Line: line, Number: p.functions}
	p.fn = fn
	start := p.pos
	p.checkNext('(')
	if method {
		p.parameter("self", p.at)
	}
	p.parameters()
	p.checkNext(')')
	fn.Body = p.block()
	fn.EndLine = p.line
	fn.Length += p.pos - start
	fn.outer.Length -= p.pos - start // so each byte counts for one function
	p.match(tokenEnd, tokenFunction, line)
	fn.LastLine = p.lastLine
	p.fn = fn.outer
	return &FunctionExpr{fn}
}

func (p *parser) parameter(name string, at int32) {
	v := p.newVariable(name, at, 0)
	v.opaque = true
	p.declare(v)
	p.fn.Params = append(p.fn.Params, v)
}

func (p *parser) parameters() {
	if p.current == ')' {
		return
	}
	for {
		switch p.current {
		case tokenName:
			p.parameter(p.checkName())
		case tokenDots:
			p.advance()
			p.fn.Vararg = true
			p.fn.ArgTable = p.newVariable("arg", p.at, 0)
			p.fn.ArgTable.opaque = true
			p.declare(p.fn.ArgTable)
			return
		default:
			p.syntaxError("<name> or '...' expected")
		}
		if !p.accept(',') {
			return
		}
	}
}

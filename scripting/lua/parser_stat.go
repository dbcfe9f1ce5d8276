package lua

// blockFollows reports whether t ends a block.
func blockFollows(t token) bool {
	switch t {
	case tokenElse, tokenElseif, tokenEnd, tokenEOF, tokenUntil:
		return true
	}
	return false
}

// block reads statements in the current scope.
func (p *parser) block() []statement {
	p.enter()
	var body []statement
	for last := false; !last && !blockFollows(p.current); {
		var s statement
		if s, last = p.statement(); s != nil {
			body = append(body, s)
		}
		p.accept(';')
	}
	p.leave()
	return body
}

// scope reads a block in a scope of its own.
func (p *parser) scope() []statement {
	active := len(p.fn.active)
	body := p.block()
	p.fn.active = p.fn.active[:active]
	return body
}

// statement reads a statement; last means that the block must end after it.
func (p *parser) statement() (s statement, last bool) {
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
		return &blockStat{body}, false
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
		return &breakStat{line}, true
	}
	return p.expressionStatement(line), false
}

func (p *parser) ifStatement(line int) statement {
	s := &ifStat{}
	for {
		s.lines = append(s.lines, p.line)
		p.advance()
		s.conditions = append(s.conditions, p.discharge(p.expression()))
		p.checkNext(tokenThen)
		s.branches = append(s.branches, p.scope())
		if p.current != tokenElseif {
			break
		}
	}
	if p.accept(tokenElse) {
		s.otherwise = p.scope()
	}
	p.match(tokenEnd, tokenIf, line)
	return s
}

func (p *parser) whileStatement(line int) statement {
	p.advance()
	condition := p.discharge(p.expression())
	p.fn.loops++
	p.checkNext(tokenDo)
	body := p.scope()
	p.match(tokenEnd, tokenWhile, line)
	p.fn.loops--
	return &whileStat{condition, body, line}
}

func (p *parser) repeatStatement(line int) statement {
	active := len(p.fn.active)
	p.fn.loops++
	p.advance()
	body := p.block()
	p.match(tokenUntil, tokenRepeat, line)
	condition := p.discharge(p.expression())
	p.fn.active = p.fn.active[:active]
	p.fn.loops--
	return &repeatStat{body, condition, line, p.lastLine}
}

func (p *parser) forStatement(line int) statement {
	active := len(p.fn.active)
	p.fn.loops++
	p.advance()
	name := p.checkName()
	var s statement
	switch p.current {
	case '=':
		s = p.numericFor(name, line)
	case ',', tokenIn:
		s = p.genericFor(name, line)
	default:
		p.syntaxError("'=' or 'in' expected")
	}
	p.match(tokenEnd, tokenFor, line)
	p.fn.loops--
	p.fn.active = p.fn.active[:active]
	return s
}

func (p *parser) numericFor(name string, line int) statement {
	hidden := p.hiddenVariables("(for index)", "(for limit)", "(for step)")
	s := &numericForStat{variable: p.newVariable(name, 3), line: line}
	s.variable.loop = true
	p.checkNext('=')
	s.start = p.discharge(p.expression())
	p.checkNext(',')
	s.limit = p.discharge(p.expression())
	if p.accept(',') {
		s.step = p.discharge(p.expression())
	}
	p.declare(hidden...)
	p.checkNext(tokenDo)
	s.doLine = p.lastLine
	p.declare(s.variable)
	s.body = p.scope()
	return s
}

// hiddenVariables makes the variables a loop keeps its state in: they only count.
func (p *parser) hiddenVariables(names ...string) []*variable {
	hidden := make([]*variable, len(names))
	for i, name := range names {
		hidden[i] = p.newVariable(name, i)
	}
	return hidden
}

func (p *parser) genericFor(name string, line int) statement {
	hidden := p.hiddenVariables("(for generator)", "(for state)", "(for control)")
	s := &genericForStat{line: line, variables: []*variable{p.newVariable(name, 3)}}
	for p.accept(',') {
		s.variables = append(s.variables, p.newVariable(p.checkName(), 3+len(s.variables)))
	}
	p.checkNext(tokenIn)
	s.callLine = p.line
	s.values = p.expressions()
	p.discharge(s.values[len(s.values)-1])
	p.declare(hidden...)
	p.checkNext(tokenDo)
	p.declare(s.variables...)
	assignsList(s.variables, nil)
	s.body = p.scope()
	return s
}

// functionStatement reads function a.b:c() ... end.
func (p *parser) functionStatement(line int) statement {
	p.advance()
	target := p.resolve(p.checkName())
	method := false
	for p.current == '.' || p.current == ':' {
		method = p.current == ':'
		p.discharge(target)
		p.advance()
		target = &indexExpr{object: target, key: stringExpr{p.checkName()}}
		if method {
			break
		}
	}
	p.markAssigned(target, nil)
	body := p.function(method, line)
	switch t := target.(type) { // the store counts as the line of the word function
	case *globalExpr:
		t.line = line
	case *indexExpr:
		t.line = line
	}
	return &assignStat{[]expression{target}, []expression{body}, line}
}

func (p *parser) localFunction(line int) statement {
	v := p.newVariable(p.checkName(), 0)
	v.opaque = true
	p.declare(v)
	return &localFunctionStat{v, p.function(false, p.line), line}
}

func (p *parser) localStatement(line int) statement {
	s := &localStat{line: line}
	for {
		s.variables = append(s.variables, p.newVariable(p.checkName(), len(s.variables)))
		if !p.accept(',') {
			break
		}
	}
	if p.accept('=') {
		s.values = p.expressions()
		p.discharge(s.values[len(s.values)-1])
	}
	assignsList(s.variables, s.values)
	p.declare(s.variables...)
	return s
}

func (p *parser) returnStatement(line int) statement {
	p.advance()
	s := &returnStat{line: line}
	if !blockFollows(p.current) && p.current != ';' {
		s.values = p.expressions()
		p.discharge(s.values[len(s.values)-1])
	}
	return s
}

func (p *parser) expressionStatement(line int) statement {
	e := p.suffixed()
	if call, ok := e.(*callExpr); ok {
		return &callStat{call, line}
	}
	return p.assignment(e, line)
}

// assignment reads what follows the first target.
func (p *parser) assignment(target expression, line int) statement {
	s := &assignStat{line: line}
	for {
		p.target(target)
		s.targets = append(s.targets, target)
		if !p.accept(',') {
			break
		}
		target = p.suffixed()
		if len(s.targets) > maxLevels-p.levels {
			p.limit(len(s.targets), maxLevels-p.levels, "variables in assignment")
		}
	}
	p.checkNext('=')
	s.values = p.expressions()
	p.discharge(s.values[len(s.values)-1])
	for i, t := range s.targets {
		p.discharge(t) // a store is emitted now
		var value expression
		if i < len(s.values) && !isMany(s.values[i]) {
			value = s.values[i]
		}
		p.markAssigned(t, value)
	}
	return s
}

// target refuses what cannot be assigned to.
func (p *parser) target(e expression) {
	switch e.(type) {
	case *localExpr, *upvalExpr, *globalExpr, *indexExpr:
		return
	}
	p.syntaxError("syntax error")
}

// markAssigned notes the assignment of value, nil if unknown, to a local variable.
func (p *parser) markAssigned(target, value expression) {
	var v *variable
	switch t := target.(type) {
	case *localExpr:
		v = t.variable
	case *upvalExpr:
		v = t.variable
	default:
		return
	}
	v.assigned = true
	v.assigns(value)
}

// function reads parameters and body; the word function and a name are behind.
func (p *parser) function(method bool, line int) *functionExpr {
	fn := &functionBody{outer: p.fn, line: line}
	p.fn = fn
	start := p.pos
	p.checkNext('(')
	if method {
		p.parameter("self")
	}
	p.parameters()
	p.checkNext(')')
	fn.body = p.block()
	fn.endLine = p.line
	fn.length += p.pos - start
	fn.outer.length -= p.pos - start
	p.match(tokenEnd, tokenFunction, line)
	p.fn = fn.outer
	return &functionExpr{fn}
}

func (p *parser) parameter(name string) {
	v := p.newVariable(name, 0)
	v.opaque = true
	p.declare(v)
	p.fn.params = append(p.fn.params, v)
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
			p.fn.vararg = true
			p.fn.argTable = p.newVariable("arg", 0)
			p.fn.argTable.opaque = true
			p.declare(p.fn.argTable)
			return
		default:
			p.syntaxError("<name> or '...' expected")
		}
		if !p.accept(',') {
			return
		}
	}
}

package lua

// block compiles the statements of a scope.
func (c *compiler) block(body []statement) action {
	free := c.free
	execs := c.statements(body)
	c.free = free
	return sequence(execs)
}

func (c *compiler) statements(body []statement) []action {
	c.enter()
	defer c.leave()
	execs := make([]action, 0, len(body))
	for _, s := range body {
		c.L.ticksOfCode(1)
		a := c.action(s)
		if line := lineOf(s); c.profile != nil && line > 0 {
			a = c.profile.statement(line, a)
		}
		execs = append(execs, a)
	}
	return execs
}

// sequence joins statements into one.
func sequence(execs []action) action {
	switch len(execs) {
	case 0:
		return func(*Call) signal { return goOn }
	case 1:
		return execs[0]
	case 2:
		a, b := execs[0], execs[1]
		return func(f *Call) signal {
			if s := a(f); s != goOn {
				return s
			}
			return b(f)
		}
	case 3:
		a, b, d := execs[0], execs[1], execs[2]
		return func(f *Call) signal {
			if s := a(f); s != goOn {
				return s
			}
			if s := b(f); s != goOn {
				return s
			}
			return d(f)
		}
	}
	return func(f *Call) signal {
		for _, e := range execs {
			if s := e(f); s != goOn {
				return s
			}
		}
		return goOn
	}
}

// action compiles a statement.
func (c *compiler) action(s statement) action {
	free := c.free
	switch s := s.(type) {
	case *localStat:
		return c.localStatement(s)
	case *localFunctionStat:
		return c.localFunction(s)
	case *blockStat:
		return c.block(s.body)
	}
	defer func() { c.free = free }()
	switch s := s.(type) {
	case *assignStat:
		return c.assign(s)
	case *callStat:
		call := c.call(s.call)
		return func(f *Call) signal {
			call(f)
			return goOn
		}
	case *ifStat:
		return c.ifStatement(s)
	case *whileStat:
		return c.while(s)
	case *repeatStat:
		return c.repeat(s)
	case *numericForStat:
		return c.numericFor(s)
	case *genericForStat:
		return c.genericFor(s)
	case *returnStat:
		return c.returns(s)
	}
	return func(*Call) signal { return breaks }
}

func (c *compiler) localStatement(s *localStat) action {
	if len(s.variables) == 1 && len(s.values) <= 1 {
		return c.localOne(s)
	}
	n := len(s.variables)
	fill := c.adjust(s.values, n)
	first := c.free
	var cells []uint8
	for _, v := range s.variables {
		slot := c.declare(v)
		if v.cell() {
			cells = append(cells, slot)
		}
	}
	return func(f *Call) signal {
		fill(f, first)
		f.makeCells(cells)
		return goOn
	}
}

func (c *compiler) localOne(s *localStat) action {
	var value eval
	v := s.variables[0]
	if v.numeric && !v.cell() {
		n := c.numeric(s.values[0])
		slot := c.declare(v)
		return func(f *Call) signal {
			f.slots[slot] = Number(n(f))
			return goOn
		}
	}
	if len(s.values) == 1 {
		value = c.eval(s.values[0])
	}
	slot := c.declare(v)
	switch {
	case v.cell() && value == nil:
		return func(f *Call) signal {
			f.slots[slot] = Nil
			f.makeCell(slot)
			return goOn
		}
	case v.cell():
		return func(f *Call) signal {
			f.slots[slot] = value(f)
			f.makeCell(slot)
			return goOn
		}
	case value == nil:
		return func(f *Call) signal {
			f.slots[slot] = Nil
			return goOn
		}
	}
	return func(f *Call) signal {
		f.slots[slot] = value(f)
		return goOn
	}
}

// adjust compiles values to exactly n, evaluated into n consecutive slots.
// Surplus values are evaluated and dropped. The slots are the next ones, and given back.
func (c *compiler) adjust(values []expression, n int) func(f *Call, first int) {
	free := c.free
	defer func() { c.free = free }()
	gather, k, tail := c.arguments(values)
	if k < n {
		c.temps(n - k)
	}
	return func(f *Call, first int) {
		gather(f)
		if tail != nil {
			values := tail(f)
			for i := k; i < n; i++ {
				v := Nil
				if i-k < len(values) {
					v = values[i-k]
				}
				f.slots[uint8(first+i)] = v
			}
			return
		}
		for i := k; i < n; i++ {
			f.slots[uint8(first+i)] = Nil
		}
	}
}

// localFunction compiles local function f. The function may refer to itself: when the variable never
// changes, its closure gets a copy of itself.
func (c *compiler) localFunction(s *localFunctionStat) action {
	v := s.variable
	slot := c.declare(v)
	if v.cell() {
		value := c.eval(s.function)
		return func(f *Call) signal {
			f.slots[slot] = Nil
			f.makeCell(slot)
			fn := value(f)
			f.slots[slot].cell().v = fn
			return goOn
		}
	}
	own := -1
	for i, source := range s.function.body.captures {
		if source.variable == v {
			own = i
		}
	}
	value := c.eval(s.function)
	return func(f *Call) signal {
		fn := value(f)
		f.slots[slot] = fn
		if own >= 0 {
			fn.AsFunction().ups[own] = fn
		}
		return goOn
	}
}

func (c *compiler) returns(s *returnStat) action {
	switch {
	case len(s.values) == 0:
		return func(*Call) signal { return returns }
	case len(s.values) == 1:
		if call, ok := s.values[0].(*callExpr); ok {
			return c.tailCall(call)
		}
		if !isMany(s.values[0]) {
			value := c.eval(s.values[0])
			return func(f *Call) signal {
				f.ret = value(f)
				f.nret = 1
				return returns
			}
		}
	}
	base := c.free
	gather, n, tail := c.arguments(s.values)
	return func(f *Call) signal {
		gather(f)
		var values []Value
		if tail == nil {
			values = f.slots[base : base+n]
		} else {
			values = f.withTail(uint8(base), n, tail(f))
		}
		f.nret = len(values)
		if f.nret == 1 {
			f.ret = values[0]
		} else {
			f.L.ret = append(f.L.ret[:0], values...)
		}
		return returns
	}
}

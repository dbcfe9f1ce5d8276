package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// block compiles the statements of a scope.
func (c *compiler) block(body []syntax.Stat) action {
	free := c.free
	execs := c.statements(body)
	c.free = free
	return sequence(execs)
}

func (c *compiler) statements(body []syntax.Stat) []action {
	c.enter()
	defer c.leave()
	execs := make([]action, 0, len(body))
	for _, s := range body {
		c.L.ticksOfCode(1)
		a := c.action(s)
		if line := syntax.LineOf(s); c.profile != nil && line > 0 {
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
func (c *compiler) action(s syntax.Stat) action {
	free := c.free
	switch s := s.(type) {
	case *syntax.LocalStat:
		return c.localStatement(s)
	case *syntax.LocalFunctionStat:
		return c.localFunction(s)
	case *syntax.BlockStat:
		return c.block(s.Body)
	}
	defer func() { c.free = free }()
	switch s := s.(type) {
	case *syntax.AssignStat:
		return c.assign(s)
	case *syntax.CallStat:
		call := c.call(s.Call)
		return func(f *Call) signal {
			call(f)
			return goOn
		}
	case *syntax.IfStat:
		return c.ifStatement(s)
	case *syntax.WhileStat:
		return c.while(s)
	case *syntax.RepeatStat:
		return c.repeat(s)
	case *syntax.NumericForStat:
		return c.numericFor(s)
	case *syntax.GenericForStat:
		return c.genericFor(s)
	case *syntax.ReturnStat:
		return c.returns(s)
	}
	return func(*Call) signal { return breaks }
}

func (c *compiler) localStatement(s *syntax.LocalStat) action {
	if len(s.Variables) == 1 && len(s.Values) <= 1 {
		return c.localOne(s)
	}
	n := len(s.Variables)
	fill := c.adjust(s.Values, n)
	first := c.free
	var cells []uint8
	for _, v := range s.Variables {
		slot := c.declare(v)
		if v.Cell() {
			cells = append(cells, slot)
		}
	}
	return func(f *Call) signal {
		fill(f, first)
		f.makeCells(cells)
		return goOn
	}
}

func (c *compiler) localOne(s *syntax.LocalStat) action {
	var value eval
	v := s.Variables[0]
	if v.Numeric && !v.Cell() {
		n := c.numeric(s.Values[0])
		slot := c.declare(v)
		return func(f *Call) signal {
			f.slots[slot] = Number(n(f))
			return goOn
		}
	}
	if len(s.Values) == 1 {
		value = c.eval(s.Values[0])
	}
	slot := c.declare(v)
	switch {
	case v.Cell() && value == nil:
		return func(f *Call) signal {
			f.slots[slot] = Nil
			f.makeCell(slot)
			return goOn
		}
	case v.Cell():
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
func (c *compiler) adjust(values []syntax.Expr, n int) func(f *Call, first int) {
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
func (c *compiler) localFunction(s *syntax.LocalFunctionStat) action {
	v := s.Variable
	slot := c.declare(v)
	if v.Cell() {
		value := c.eval(s.Function)
		return func(f *Call) signal {
			f.slots[slot] = Nil
			f.makeCell(slot)
			fn := value(f)
			f.slots[slot].cell().v = fn
			return goOn
		}
	}
	own := -1
	for i, source := range s.Function.Body.Captures {
		if source.Variable == v {
			own = i
		}
	}
	value := c.eval(s.Function)
	return func(f *Call) signal {
		fn := value(f)
		f.slots[slot] = fn
		if own >= 0 {
			fn.AsFunction().ups[own] = fn
		}
		return goOn
	}
}

func (c *compiler) returns(s *syntax.ReturnStat) action {
	switch {
	case len(s.Values) == 0:
		return func(*Call) signal { return returns }
	case len(s.Values) == 1:
		if call, ok := s.Values[0].(*syntax.CallExpr); ok {
			return c.tailCall(call)
		}
		if !syntax.IsMany(s.Values[0]) {
			value := c.eval(s.Values[0])
			return func(f *Call) signal {
				f.ret = value(f)
				f.nret = 1
				return returns
			}
		}
	}
	base := c.free
	gather, n, tail := c.arguments(s.Values)
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

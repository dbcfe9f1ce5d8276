package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// block compiles the statements of a scope.
func (fs *compiler) block(body []syntax.Stat) action {
	free, scope := fs.free, fs.scope
	execs := fs.statements(body)
	fs.free, fs.scope = free, scope
	return sequence(execs)
}

// statements compiles statements one by one. Variables they declare keep their slots.
func (fs *compiler) statements(body []syntax.Stat) []action {
	fs.enter()
	defer fs.leave()
	execs := make([]action, 0, len(body))
	for _, s := range body {
		fs.L.ticksOfCode(1)
		if fs.follower != nil {
			execs = append(execs, fs.follower.statement(fs, s))
		} else {
			execs = append(execs, fs.action(s))
		}
	}
	return execs
}

// sequence joins statements into one. The short blocks, which are the most frequent, need neither a
// loop nor a slice.
func sequence(execs []action) action {
	switch len(execs) {
	case 0:
		return func(*frame) signal { return goOn }
	case 1:
		return execs[0]
	case 2:
		a, b := execs[0], execs[1]
		return func(f *frame) signal {
			if s := a(f); s != goOn {
				return s
			}
			return b(f)
		}
	case 3:
		a, b, d := execs[0], execs[1], execs[2]
		return func(f *frame) signal {
			if s := a(f); s != goOn {
				return s
			}
			if s := b(f); s != goOn {
				return s
			}
			return d(f)
		}
	}
	return sequenceOf(execs)
}

// sequenceOf joins any number of statements.
func sequenceOf(execs []action) action {
	return func(f *frame) signal {
		for _, e := range execs {
			if s := e(f); s != goOn {
				return s
			}
		}
		return goOn
	}
}

// action compiles a statement.
func (fs *compiler) action(s syntax.Stat) action {
	free := fs.free
	// Declarations keep their slots until the end of the block. The slots of all other statements
	// become free again.
	switch s := s.(type) {
	case *syntax.LocalStat:
		return fs.localStatement(s)
	case *syntax.LocalFunctionStat:
		return fs.localFunction(s)
	case *syntax.BlockStat:
		return fs.block(s.Body)
	}
	defer func() { fs.free = free }()
	switch s := s.(type) {
	case *syntax.AssignStat:
		return fs.assign(s)
	case *syntax.CallStat:
		call := fs.call(s.Call)
		return func(f *frame) signal {
			call(f)
			return goOn
		}
	case *syntax.IfStat:
		return fs.ifStatement(s)
	case *syntax.WhileStat:
		return fs.while(s)
	case *syntax.RepeatStat:
		return fs.repeat(s)
	case *syntax.NumericForStat:
		return fs.numericFor(s)
	case *syntax.GenericForStat:
		return fs.genericFor(s)
	case *syntax.ReturnStat:
		return fs.returns(s)
	}
	return func(*frame) signal { return breaks } // the only statement left
}

func (fs *compiler) localStatement(s *syntax.LocalStat) action {
	if len(s.Variables) == 1 && len(s.Values) <= 1 {
		return fs.localOne(s)
	}
	n := len(s.Variables)
	fill := fs.adjust(s.Values, n) // before the variables are declared: in local x = x the right one is the outer x
	first := fs.free
	var cells []uint8
	for _, v := range s.Variables {
		slot := fs.declare(v)
		if v.Cell() {
			cells = append(cells, slot)
		}
	}
	return func(f *frame) signal {
		fill(f, first)
		f.makeCells(cells)
		return goOn
	}
}

// localOne compiles local v or local v = value. The slot may hold an old value from an earlier
// scope, so it is set in any case.
func (fs *compiler) localOne(s *syntax.LocalStat) action {
	var value eval
	v := s.Variables[0]
	if v.Numeric && !v.Cell() {
		n := fs.numeric(s.Values[0])
		slot := fs.declare(v)
		return func(f *frame) signal {
			f.slots[slot] = Number(n(f))
			return goOn
		}
	}
	if len(s.Values) == 1 {
		value = fs.eval(s.Values[0])
	}
	slot := fs.declare(v)
	switch {
	case v.Cell() && value == nil:
		return func(f *frame) signal {
			f.slots[slot] = Nil
			f.makeCell(slot)
			return goOn
		}
	case v.Cell():
		return func(f *frame) signal {
			f.slots[slot] = value(f)
			f.makeCell(slot)
			return goOn
		}
	case value == nil:
		return func(f *frame) signal {
			f.slots[slot] = Nil
			return goOn
		}
	}
	return func(f *frame) signal {
		f.slots[slot] = value(f)
		return goOn
	}
}

// adjust compiles values to exactly n, evaluated into n consecutive slots. Surplus values are
// evaluated and dropped. The slots are the next free ones; the caller claims them again for its
// variables.
func (fs *compiler) adjust(values []syntax.Expr, n int) func(f *frame, first int) {
	free := fs.free
	defer func() { fs.free = free }()
	gather, k, tail := fs.arguments(values)
	if k < n {
		fs.temps(n - k)
	}
	return func(f *frame, first int) {
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

// localFunction compiles local function f. The function may refer to itself. Where the variable
// never changes there is no cell (invariant 3): the new closure gets a copy of itself among its
// upvalues.
func (fs *compiler) localFunction(s *syntax.LocalFunctionStat) action {
	v := s.Variable
	slot := fs.declare(v)
	if v.Cell() {
		value := fs.eval(s.Function)
		return func(f *frame) signal {
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
	value := fs.eval(s.Function)
	return func(f *frame) signal {
		fn := value(f)
		f.slots[slot] = fn
		if own >= 0 {
			fn.AsFunction().ups[own] = fn
		}
		return goOn
	}
}

// returns compiles a return: one value goes into the frame, several into State.ret.
func (fs *compiler) returns(s *syntax.ReturnStat) action {
	switch {
	case len(s.Values) == 0:
		return func(*frame) signal { return returns }
	case len(s.Values) == 1:
		if call, ok := s.Values[0].(*syntax.CallExpr); ok {
			return fs.tailCall(call)
		}
		if !syntax.IsMany(s.Values[0]) {
			value := fs.eval(s.Values[0])
			return func(f *frame) signal {
				f.ret = value(f)
				f.nret = 1
				return returns
			}
		}
	}
	base := fs.free
	gather, n, tail := fs.arguments(s.Values)
	return func(f *frame) signal {
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

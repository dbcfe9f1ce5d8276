package lint

import (
	"strconv"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// A run keeps one scope, which is true for the current place. Where the program branches, the scope
// is copied; where ways meet, either joins the copies:
//
//	if c then A else B end     scope ─┬─ refine(c, true)  ─ A ─┬─ either
//	                                  └─ refine(c, false) ─ B ─┘
//
// A way that ends in return does not come back: its scope is ended, and the other one is what is
// known behind the statement. That is how "if not v then return end" makes v certain.

// block runs statements. Behind them their variables are forgotten, unless a function may use them
// later: what is known is copied at each branch.
func (r *run) block(body []syntax.Stat) {
	r.statements(body)
	r.scope.leave(body)
}

func (r *run) statements(body []syntax.Stat) {
	for _, s := range body {
		r.statement(s)
	}
}

func (r *run) statement(s syntax.Stat) {
	r.steps++
	switch s := s.(type) {
	case *syntax.LocalStat:
		r.local(s)
	case *syntax.LocalFunctionStat:
		r.scope.assign(s.Variable, r.function(s.Function.Body))
	case *syntax.AssignStat:
		r.assign(s)
	case *syntax.CallStat:
		r.at = s.Call.At
		r.discarded = s.Call
		r.eval(s.Call)
	case *syntax.BlockStat:
		r.block(s.Body)
	case *syntax.IfStat:
		r.branches(s, 0)
	case *syntax.WhileStat:
		r.loop(func() { r.while(s) })
	case *syntax.RepeatStat:
		r.loop(func() {
			r.statements(s.Body)
			r.condition(s.Condition)
			r.scope.leave(s.Body)
		})
	case *syntax.NumericForStat:
		r.numericFor(s)
	case *syntax.GenericForStat:
		r.genericFor(s)
	case *syntax.ReturnStat:
		r.returned(s)
	}
}

// local runs local a, b = x, y.
func (r *run) local(s *syntax.LocalStat) {
	values, rest := r.list(s.Values)
	for i, v := range s.Variables {
		known := rest
		switch {
		case i < len(values):
			known = values[i]
		case rest == nil:
			known = &value{kinds: isNil}
		}
		r.scope.assign(v, known)
		r.locals.declare(v, known)
	}
}

// assign runs a, b.c = x, y.
func (r *run) assign(s *syntax.AssignStat) {
	values, rest := r.list(s.Values)
	for i, target := range s.Targets {
		v := rest
		switch {
		case i < len(values):
			v = values[i]
		case rest == nil:
			v = &value{kinds: isNil}
		}
		switch t := target.(type) {
		case *syntax.LocalExpr:
			r.scope.assign(t.Variable, v)
		case *syntax.UpvalExpr:
			r.scope.assign(t.Variable, v)
		case *syntax.GlobalExpr:
			r.assignsGlobal(t)
			r.globals.values[t.Name] = v
		case *syntax.IndexExpr:
			object, key := r.eval(t.Object), r.eval(t.Key)
			r.uses(t.At, object, "indexing it")
			if object.builtin != "" && key.exact {
				r.assignsField(t, object.builtin, key.text, v)
			}
			if object.table != nil {
				name := ""
				if key.exact {
					name = key.text
				}
				object.table.set(name, v)
			}
		}
	}
}

// branches runs if ... elseif ... else from the condition number i on. An elseif is reached only if
// the conditions before it were false, so each one refines what is known for those that follow.
func (r *run) branches(s *syntax.IfStat, i int) {
	if i == len(s.Conditions) {
		r.block(s.Otherwise)
		return
	}
	r.condition(s.Conditions[i])
	raised := r.scope.branch()
	no := r.scope.clone()
	r.refine(s.Conditions[i], true)
	r.block(s.Branches[i])
	yes := r.scope
	r.scope = no
	r.refine(s.Conditions[i], false)
	r.branches(s, i+1)
	if !yes.ended && !r.scope.ended {
		defer func() { r.scope.raised = raised }()
	}
	r.scope.either(yes, r.scope.clone())
}

// condition evaluates a condition. Afterwards the program has asked about the keys that it depends
// on, on both ways: a script that compares a reply knows what it does with an absent key.
func (r *run) condition(e syntax.Expr) *value {
	v := r.eval(e)
	r.truth(e)
	r.scope.check(v)
	return v
}

// loop runs the body of a loop twice: the second time with what the first one may have left. Only
// then are findings reported. A loop inside of a first turn takes one, or the time would double
// with each loop around it.
func (r *run) loop(turn func()) {
	raised := r.scope.branch()
	before := r.scope.clone()
	r.frame.loops++
	if r.silent == 0 && r.steps < maxSteps {
		r.silent++
		turn()
		r.silent--
		r.scope.ended = false
		r.scope.either(before.clone(), r.scope.clone())
	}
	turn()
	r.frame.loops--
	r.scope.ended = false
	r.scope.either(before, r.scope.clone())
	r.scope.raised = raised
}

// while runs one turn. The condition is true in the body; behind the loop nothing is refined, since
// a break may have left it.
func (r *run) while(s *syntax.WhileStat) {
	r.condition(s.Condition)
	r.refine(s.Condition, true)
	r.block(s.Body)
}

// numericFor runs for i = start, limit, step. A loop up to the length of a reply walks over its
// elements, which commands in the loop are compared with: see frame.each. With a step beyond 2, one
// for pairs, a script takes many elements with one command, which is what the rule asks for.
func (r *run) numericFor(s *syntax.NumericForStat) {
	start, limit := r.eval(s.Start), r.eval(s.Limit)
	step := r.eval(s.Step)
	r.uses(s.Variable.At, start, "a loop from it")
	r.uses(s.Variable.At, limit, "a loop up to it")
	r.scope.check(start)
	r.scope.check(limit)
	if limit.table != nil && (step.text == "1" || step.text == "2" || step.text == "-1" || step.text == "-2") {
		r.frame.each = append(r.frame.each, limit.table.reply)
		defer func() { r.frame.each = r.frame.each[:len(r.frame.each)-1] }()
	}
	r.loop(func() {
		r.scope.assign(s.Variable, numberOf(start, limit))
		r.block(s.Body)
	})
	r.scope.forget(s.Variable)
}

// genericFor runs for ... in. It knows ipairs and pairs: the second variable is an element, which
// is never nil. Of other iterators nothing is known.
func (r *run) genericFor(s *syntax.GenericForStat) {
	values, _ := r.list(s.Values)
	var over *value
	if len(values) > 0 && values[0].builtin == "iterator" {
		over = values[0]
	}
	if over != nil && over.table != nil && over.table.reply != nil {
		r.frame.each = append(r.frame.each, over.table.reply)
		defer func() { r.frame.each = r.frame.each[:len(r.frame.each)-1] }()
	}
	r.loop(func() {
		for i, v := range s.Variables {
			known := unknownAt(v.Name + "@" + strconv.Itoa(int(v.At)))
			if over != nil && over.table != nil && i == 1 {
				if element := over.table.any(); element != nil {
					known = element.with(isAny &^ isNil)
				}
			}
			if over != nil {
				known.tells(over)
				r.scope.check(over)
			}
			r.scope.assign(v, known)
		}
		r.block(s.Body)
	})
	r.scope.forget(s.Variables...)
}

// returned joins the values with those of the function's other returns, and with what further
// values these may have. Where a return gives none, only the first result becomes nil: callers of a
// helper rarely take more than one.
func (r *run) returned(s *syntax.ReturnStat) {
	r.at = s.At
	values, rest := r.list(s.Values)
	f := r.frame
	if f.main && len(values) > 0 {
		r.replies(s.At, values[0], make(map[*table]bool))
	}
	for i, v := range values {
		if i < len(f.results) {
			f.results[i] = join(f.results[i], v)
		} else {
			f.results = append(f.results, join(v, f.rest))
		}
	}
	for i := len(values); i < len(f.results) && rest != nil; i++ {
		f.results[i] = join(f.results[i], rest)
	}
	f.rest = join(f.rest, rest)
	if len(values) == 0 && rest == nil && len(f.results) > 0 {
		f.results[0] = join(f.results[0], &value{kinds: isNil})
	}
	r.scope.ended = true
}

// refine takes into account that a condition was true, or that it was not. It narrows local
// variables and upvalues, but neither fields nor globals.
func (r *run) refine(e syntax.Expr, truth bool) {
	switch e := e.(type) {
	case *syntax.LocalExpr:
		r.narrow(e.Variable, truth)
	case *syntax.UpvalExpr:
		r.narrow(e.Variable, truth)
	case *syntax.ParenExpr:
		r.refine(e.Inner, truth)
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			r.refine(e.Inner, !truth)
		}
	case *syntax.BinaryExpr:
		r.refineBinary(e, truth)
	}
}

// refineBinary refines "a and b" that is true, and "a or b" that is false, by both operands. If "a
// and b" is false it is not known which of them is, unless b is a constant. A comparison with nil,
// true or false says which of these the variable is, or is not.
func (r *run) refineBinary(e *syntax.BinaryExpr, truth bool) {
	r.refineCount(e, truth)
	switch e.Op {
	case syntax.OpAnd, syntax.OpOr:
		switch {
		case truth == (e.Op == syntax.OpAnd):
			r.refine(e.Left, truth)
			r.refine(e.Right, truth)
		case e.Op == syntax.OpAnd && alwaysTrue(e.Right): // "a and 0" is false because of a
			r.refine(e.Left, false)
		}
	case syntax.OpEqual, syntax.OpNotEqual:
		equal := truth == (e.Op == syntax.OpEqual)
		v := variableOf(e.Left)
		known := r.scope.values[v]
		if v == nil || known == nil {
			return
		}
		k := typeOf(e.Right)
		if k&(isNil|isBool) == 0 {
			return
		}
		if equal {
			r.scope.values[v] = known.with(k)
		} else {
			r.scope.values[v] = known.with(^k)
		}
	}
}

// alwaysTrue reports whether an expression is a constant other than nil and false.
func alwaysTrue(e syntax.Expr) bool {
	switch e.(type) {
	case syntax.NumberExpr, syntax.StringExpr, *syntax.TableExpr:
		return true
	}
	return false
}

// narrow takes into account that a variable is true, or nil or false.
func (r *run) narrow(v *syntax.Variable, truth bool) {
	if known := r.scope.values[v]; known != nil {
		if truth {
			r.scope.values[v] = known.with(^isFalsy)
		} else {
			r.scope.values[v] = known.with(isFalsy)
		}
	}
}

// variableOf returns the local variable that an expression is, nil if it is none.
func variableOf(e syntax.Expr) *syntax.Variable {
	switch e := e.(type) {
	case *syntax.LocalExpr:
		return e.Variable
	case *syntax.UpvalExpr:
		return e.Variable
	case *syntax.ParenExpr:
		return variableOf(e.Inner)
	}
	return nil
}

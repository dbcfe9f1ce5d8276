package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

func (fs *compiler) ifStatement(s *syntax.IfStat) action {
	tests := make([]test, len(s.Conditions))
	branches := make([]action, len(s.Branches))
	for i := range s.Conditions {
		tests[i] = fs.condition(s, i)
		branches[i] = fs.block(s.Branches[i])
		if fs.follower != nil && (i < len(tests)-1 || len(s.Otherwise) > 0) {
			branches[i] = fs.follower.branch(fs, s, i, branches[i])
		}
	}
	var otherwise action
	if len(s.Otherwise) > 0 {
		otherwise = fs.block(s.Otherwise)
	}
	if len(tests) == 1 {
		if slot, k, op, ok := fs.guard(s.Conditions[0]); ok && otherwise == nil && fs.follower == nil {
			return ifOrderLK(op, slot, k, tests[0], branches[0])
		}
		return ifElse(tests[0], branches[0], otherwise)
	}
	return func(f *frame) signal {
		for i, t := range tests {
			if t(f) {
				return branches[i](f)
			}
		}
		if otherwise != nil {
			return otherwise(f)
		}
		return goOn
	}
}

// ifElse compiles an if statement without elseif; otherwise is nil without else. Not inlined: a
// maker.
//
//go:noinline
func ifElse(condition test, then, otherwise action) action {
	if otherwise == nil {
		return func(f *frame) signal {
			if condition(f) {
				return then(f)
			}
			return goOn
		}
	}
	return func(f *frame) signal {
		if condition(f) {
			return then(f)
		}
		return otherwise(f)
	}
}

// guard reports whether a condition compares a local variable with a constant number.
func (fs *compiler) guard(e syntax.Expr) (slot uint8, k float64, op syntax.Operator, ok bool) {
	b, ok := e.(*syntax.BinaryExpr)
	if !ok || b.Op < syntax.OpLess || b.Op > syntax.OpGreaterEqual {
		return 0, 0, 0, false
	}
	constant, isNumber := b.Right.(syntax.NumberExpr)
	slot, isLocal := plainLocal(b.Left)
	return slot, constant.Value, b.Op, isNumber && isLocal
}

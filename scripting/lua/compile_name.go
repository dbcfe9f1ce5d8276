package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// How error messages name values.

// nameOf returns how messages name the value of e.
func nameOf(e syntax.Expr) (nameKind, string) {
	switch e := e.(type) {
	case *syntax.LocalExpr:
		return nameLocal, e.Variable.Name
	case *syntax.UpvalExpr:
		return nameUpvalue, e.Variable.Name
	case *syntax.GlobalExpr:
		return nameGlobal, e.Name
	case *syntax.IndexExpr:
		if s, ok := e.Key.(syntax.StringExpr); ok {
			return nameField, s.Value
		}
		return nameField, "?"
	case *syntax.ParenExpr:
		return nameOf(e.Inner)
	case *syntax.BinaryExpr:
		// C Lua looks for the instruction that last set the register, taking every forward jump on
		// the way.
		if e.Op == syntax.OpAnd && wayOut(e.Left, false) == whenTrue ||
			e.Op == syntax.OpOr && wayOut(e.Left, true) == whenFalse {
			return nameOf(e.Right)
		}
	}
	return nameNone, ""
}

// exit is where the way through a condition leaves it, every jump in it taken.
type exit int

const (
	atEnd exit = iota
	whenTrue
	whenFalse
)

// wayOut returns the way out of a condition that ends with a jump: when true if jumpsTrue, else
// when false.
func wayOut(e syntax.Expr, jumpsTrue bool) exit {
	if way := wayThrough(e); way != atEnd {
		return way
	}
	if c, ok := lastConstant(e); ok { // constants do not jump
		return c
	}
	if jumpsTrue {
		return whenTrue
	}
	return whenFalse
}

// constantOf returns the way out of a condition that is a constant.
func constantOf(e syntax.Expr) (exit, bool) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return constantOf(e.Inner)
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			way, ok := constantOf(e.Inner)
			return opposite(way), ok
		}
	case *syntax.BinaryExpr:
		if decided(e) {
			return constantOf(e.Right)
		}
	case syntax.NilExpr:
		return whenFalse, true
	case syntax.BoolExpr:
		if !e.Value {
			return whenFalse, true
		}
		return whenTrue, true
	case syntax.NumberExpr, syntax.StringExpr:
		return whenTrue, true
	}
	return atEnd, false
}

// lastConstant returns the way of the operand that comes last in a condition, if that is a
// constant.
func lastConstant(e syntax.Expr) (exit, bool) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return lastConstant(e.Inner)
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			way, ok := lastConstant(e.Inner)
			return opposite(way), ok
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.OpAnd || e.Op == syntax.OpOr {
			return lastConstant(e.Right)
		}
	}
	return constantOf(e)
}

// decided reports whether e is "and" or "or" with a constant on the left that leaves it to the
// right side. Lua emits nothing for such a constant.
func decided(e *syntax.BinaryExpr) bool {
	if e.Op != syntax.OpAnd && e.Op != syntax.OpOr {
		return false
	}
	way, ok := constantOf(e.Left)
	return ok && (way == whenTrue) == (e.Op == syntax.OpAnd)
}

// wayThrough returns the way through a condition whose last operand does not jump yet.
func wayThrough(e syntax.Expr) exit {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return wayThrough(e.Inner)
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			return opposite(wayThrough(e.Inner))
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.OpAnd {
			if wayOut(e.Left, false) == whenFalse {
				return whenFalse
			}
			return wayThrough(e.Right)
		}
		if e.Op == syntax.OpOr {
			if wayOut(e.Left, true) == whenTrue {
				return whenTrue
			}
			return wayThrough(e.Right)
		}
	}
	return atEnd
}

func opposite(way exit) exit {
	switch way {
	case whenTrue:
		return whenFalse
	case whenFalse:
		return whenTrue
	}
	return atEnd
}

package lua

// How error messages name values.

// nameOf returns how messages name the value of e.
func nameOf(e expression) (nameKind, string) {
	switch e := e.(type) {
	case *localExpr:
		return nameLocal, e.variable.name
	case *upvalExpr:
		return nameUpvalue, e.variable.name
	case *globalExpr:
		return nameGlobal, e.name
	case *indexExpr:
		if s, ok := e.key.(stringExpr); ok {
			return nameField, s.value
		}
		return nameField, "?"
	case *parenExpr:
		return nameOf(e.inner)
	case *binaryExpr:
		// C Lua looks for the instruction that last set the register, taking every forward jump on the way.
		if e.op == opAnd && wayOut(e.left, false) == whenTrue || e.op == opOr && wayOut(e.left, true) == whenFalse {
			return nameOf(e.right)
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

// wayOut returns the way out of a condition that ends with a jump: when true if jumpsTrue, else when false.
func wayOut(e expression, jumpsTrue bool) exit {
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
func constantOf(e expression) (exit, bool) {
	switch e := e.(type) {
	case *parenExpr:
		return constantOf(e.inner)
	case *unaryExpr:
		if e.op == opNot {
			way, ok := constantOf(e.inner)
			return opposite(way), ok
		}
	case *binaryExpr:
		if decided(e) {
			return constantOf(e.right)
		}
	case nilExpr:
		return whenFalse, true
	case boolExpr:
		if !e.value {
			return whenFalse, true
		}
		return whenTrue, true
	case numberExpr, stringExpr:
		return whenTrue, true
	}
	return atEnd, false
}

// lastConstant returns the way of the operand that comes last in a condition, if that is a constant.
func lastConstant(e expression) (exit, bool) {
	switch e := e.(type) {
	case *parenExpr:
		return lastConstant(e.inner)
	case *unaryExpr:
		if e.op == opNot {
			way, ok := lastConstant(e.inner)
			return opposite(way), ok
		}
	case *binaryExpr:
		if e.op == opAnd || e.op == opOr {
			return lastConstant(e.right)
		}
	}
	return constantOf(e)
}

// decided reports whether e is "and" or "or" with a constant on the left that leaves it to the right
// side. Lua emits nothing for such a constant.
func decided(e *binaryExpr) bool {
	if e.op != opAnd && e.op != opOr {
		return false
	}
	way, ok := constantOf(e.left)
	return ok && (way == whenTrue) == (e.op == opAnd)
}

// wayThrough returns the way through a condition whose last operand does not jump yet.
func wayThrough(e expression) exit {
	switch e := e.(type) {
	case *parenExpr:
		return wayThrough(e.inner)
	case *unaryExpr:
		if e.op == opNot {
			return opposite(wayThrough(e.inner))
		}
	case *binaryExpr:
		if e.op == opAnd {
			if wayOut(e.left, false) == whenFalse {
				return whenFalse
			}
			return wayThrough(e.right)
		}
		if e.op == opOr {
			if wayOut(e.left, true) == whenTrue {
				return whenTrue
			}
			return wayThrough(e.right)
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

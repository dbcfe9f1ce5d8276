package lua

// Numeric variables. A local variable to which only numbers are ever assigned needs no check of its
// type: its expressions compile to functions on float64, its assignments store eight bytes. Which
// variables these are follows from the tree alone, because nothing but the assignments in the tree can
// change a local variable.

// assigns notes that e is assigned to v; nil means a value the tree does not show.
func (v *variable) assigns(e expression) {
	if e == nil {
		v.opaque = true
		return
	}
	v.sources = append(v.sources, e)
}

// assignsList notes the assignment of a list of values to variables; others in targets are nil.
func assignsList(targets []*variable, values []expression) {
	for i, v := range targets {
		switch {
		case v == nil:
		case i < len(values) && !isMany(values[i]):
			v.assigns(values[i])
		default:
			v.assigns(nil)
		}
	}
}

// maxNumericPasses bounds the search; programs that need more get no numeric variables.
const maxNumericPasses = 8

// findNumeric decides which variables are numeric: all of those that could be, less those to which
// something else is assigned, until nothing changes.
func findNumeric(vs []*variable) {
	for _, v := range vs {
		v.numeric = !v.opaque && (v.loop || len(v.sources) > 0)
	}
	for range maxNumericPasses {
		changed := false
		for _, v := range vs {
			if v.numeric && !allNumeric(v.sources) {
				v.numeric, changed = false, true
			}
		}
		if !changed {
			return
		}
	}
	for _, v := range vs {
		v.numeric = false
	}
}

func allNumeric(list []expression) bool {
	for _, e := range list {
		if !isNumeric(e, false) {
			return false
		}
	}
	return true
}

// answer is a question answered once.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

// isNumeric reports whether e always yields a number and cannot fail; final once that will not change.
func isNumeric(e expression, final bool) bool {
	switch e := e.(type) {
	case numberExpr:
		return true
	case *localExpr:
		return e.variable.numeric
	case *upvalExpr:
		return e.variable.numeric
	case *parenExpr:
		return isNumeric(e.inner, final)
	case *unaryExpr:
		return e.op == opNegate && isNumeric(e.inner, final)
	case *binaryExpr:
		if e.op > opPow {
			return false
		}
		if e.numeric == unasked {
			numeric := isNumeric(e.left, final) && isNumeric(e.right, final)
			if !final {
				return numeric
			}
			e.numeric = no
			if numeric {
				e.numeric = yes
			}
		}
		return e.numeric == yes
	}
	return false
}

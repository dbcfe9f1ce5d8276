package syntax

// Numeric variables. A local variable to which only numbers are ever assigned needs no check of its
// type: its expressions compile to functions on float64, its assignments store eight bytes. Which
// variables these are follows from the tree alone, because nothing but the assignments in the tree
// can change a local variable.

// assigns notes that e is assigned to v; nil means a value the tree does not show.
func (v *Variable) assigns(e Expr) {
	if e == nil {
		v.opaque = true
		return
	}
	v.sources = append(v.sources, e)
}

// assignsList notes the assignment of a list of values to variables; others in targets are nil.
func assignsList(targets []*Variable, values []Expr) {
	for i, v := range targets {
		switch {
		case v == nil:
		case i < len(values) && !IsMany(values[i]):
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
func findNumeric(vs []*Variable) {
	for _, v := range vs {
		v.Numeric = !v.opaque && (v.loop || len(v.sources) > 0)
	}
	for range maxNumericPasses {
		changed := false
		for _, v := range vs {
			if v.Numeric && !allNumeric(v.sources) {
				v.Numeric, changed = false, true
			}
		}
		if !changed {
			return
		}
	}
	for _, v := range vs {
		v.Numeric = false
	}
}

func allNumeric(list []Expr) bool {
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

// IsNumeric reports whether e always yields a number and cannot fail. O(1) amortised: the tree
// remembers it.
func IsNumeric(e Expr) bool { return isNumeric(e, true) }

// isNumeric is IsNumeric, which remembers its answers once they are final.
func isNumeric(e Expr, final bool) bool {
	switch e := e.(type) {
	case NumberExpr:
		return true
	case *LocalExpr:
		return e.Variable.Numeric
	case *UpvalExpr:
		return e.Variable.Numeric
	case *ParenExpr:
		return isNumeric(e.Inner, final)
	case *UnaryExpr:
		return e.Op == OpNegate && isNumeric(e.Inner, final)
	case *BinaryExpr:
		if e.Op > OpPow {
			return false
		}
		if e.numeric == unasked {
			numeric := isNumeric(e.Left, final) && isNumeric(e.Right, final)
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

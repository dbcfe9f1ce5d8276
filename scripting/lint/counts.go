package lint

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// What a script knows of the number of its keys and arguments, and of the elements of a reply:
// behind "if #ARGV ~= 2 then return ... end" there are two.

// atMost are the operators of #ARGV and a number that say how many elements there are at most, by
// what is to be added to the number.
var atMost = map[syntax.Operator]int{syntax.OpEqual: 0, syntax.OpLessEqual: 0, syntax.OpLess: -1}

// opposites and mirrored are the operators that say the same when the result is the other one, and
// when the operands are swapped.
var (
	opposites = map[syntax.Operator]syntax.Operator{
		syntax.OpNotEqual: syntax.OpEqual, syntax.OpGreater: syntax.OpLessEqual, syntax.OpGreaterEqual: syntax.OpLess,
	}
	mirrored = map[syntax.Operator]syntax.Operator{
		syntax.OpEqual: syntax.OpEqual, syntax.OpNotEqual: syntax.OpNotEqual, syntax.OpLess: syntax.OpGreater,
		syntax.OpLessEqual: syntax.OpGreaterEqual, syntax.OpGreater: syntax.OpLess,
		syntax.OpGreaterEqual: syntax.OpLessEqual,
	}
)

// refineCount takes into account that a comparison of #KEYS, #ARGV or the length of a reply with a
// number was true, or that it was not. Only upper bounds are kept: an element that may be missing
// is no mistake, one that cannot be there is.
func (r *run) refineCount(e *syntax.BinaryExpr, truth bool) {
	op, counted, limit := e.Op, e.Left, e.Right
	if _, swapped := counted.(syntax.NumberExpr); swapped {
		op, counted, limit = mirrored[op], limit, counted
	}
	if !truth {
		op = opposites[op]
	}
	more, bounds := atMost[op]
	length, isLength := counted.(*syntax.UnaryExpr)
	n, isNumber := limit.(syntax.NumberExpr)
	if !bounds || !isLength || length.Op != syntax.OpLength || !isNumber {
		return
	}
	switch t := r.quietly(length.Inner).table; {
	case t == nil:
	case t.input != nil:
		r.scope.most[t.input] = int(math.Ceil(n.Value)) + more
	case t.reply != nil:
		r.scope.most[t.reply] = int(math.Ceil(n.Value)) + more
	}
}

// checkCount finds an element behind the last one that there can be.
func (r *run) checkCount(at int32, in *input, name string, n int) {
	if most, known := r.scope.most[in]; known && n > most && !in.changed {
		r.report("missing-element", at, "%s is always nil here, where the script has at most %s in %s: check for the "+
			"right number.", name, plural(most, "element"), in.name)
	}
}

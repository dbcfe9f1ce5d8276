package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// uses finds a use of a value that an absent key makes nil or false, before the script has asked
// about the key.
func (r *run) uses(at int32, v *value, what string) {
	c := v.absent
	if c == nil || !v.may(isFalsy) || r.isChecked(c) {
		return
	}
	r.report("nil-reply", at, "%s returns %s if there is no value, and %s then fails: check it first, or %s.", c,
		falsy(v), what, remedy(what))
}

// compared is the use of an operand of < and its like.
const compared = "comparing it"

// remedy returns what makes a use work without a value. A reply is a string, which arithmetic
// converts and comparisons do not.
func remedy(what string) string {
	if what == compared {
		return `use tonumber, "or" and a default`
	}
	return `add "or" and a default`
}

// operand is uses for an operand of an operator.
func (r *run) operand(e *syntax.BinaryExpr, operand syntax.Expr, v *value, what string) {
	if v.absent != nil {
		r.uses(place(operand, e.At), v, what)
	}
}

// isChecked reports whether the script has asked about a key of the command. One of several keys is
// enough: scripts ask EXISTS of one key that stands for all.
func (r *run) isChecked(c *invocation) bool {
	return slices.ContainsFunc(c.about(), func(key string) bool { return r.scope.checked[key] })
}

func falsy(v *value) string {
	if v.may(isNil) {
		return "nil"
	}
	return "false"
}

// equality finds comparisons with == and ~= whose result is always the same: the operands have no
// type in common. It returns the result, which tells about the keys that both depend on; except for
// a reply compared with nil, where the script believes to have asked, and has not. Each check is
// made with the operands in both orders.
func (r *run) equality(e *syntax.BinaryExpr, a, b *value) *value {
	if a.kinds&b.kinds != 0 || r.isParameter(e.Left) || r.isParameter(e.Right) {
		return boolean(a, b)
	}
	never := "never"
	if e.Op == syntax.OpNotEqual {
		never = "always"
	}
	for range 2 {
		switch {
		case b.kinds == isNil && a.may(isFalse) && a.kinds != isAny:
			r.report("nil-comparison", e.At, "An absent value is false here, "+
				"so comparing it with nil is %s true: use not, or compare with false.", never)
			return boolean() // the script has not learnt whether the key is there
		case a.only(isNumber) && b.may(isText) && b.only(isText|isFalsy):
			r.report("mixed-comparison", e.At,
				"A number is compared with a string, which is %s true: use tonumber.", never)
		case a.status && b.only(isText):
			r.report("status-comparison", e.At,
				"A status is a table, so comparing it with a string is %s true: compare its field ok.", never)
		case a.only(isNumber) && len(a.parts) == 1 && a.parts[0].from == fromData && b.only(isBool):
			r.report("mixed-comparison", e.At,
				"A number is compared with a boolean, which is %s true: compare it with 1 or 0.", never)
		}
		a, b = b, a
	}
	return boolean(a, b)
}

// order finds comparisons with < and its like that fail, or compare as texts, and those of a
// counter with a limit. Operands that may be of another type are left alone.
func (r *run) order(e *syntax.BinaryExpr, a, b *value) {
	r.operand(e, e.Left, a, compared)
	r.operand(e, e.Right, b, compared)
	for _, v := range []*value{a, b} {
		if v.counts != nil && r.silent == 0 {
			r.loads.limits = append(r.loads.limits, v.counts)
		}
	}
	if a.may(isTable|isFunction|isTrue) || b.may(isTable|isFunction|isTrue) {
		return
	}
	textA, textB := a.may(isText) && !a.may(isNumber), b.may(isText) && !b.may(isNumber)
	switch {
	case textA && b.only(isNumber) || textB && a.only(isNumber):
		r.report("mixed-comparison", e.At, "A number is compared with a string, which fails: use tonumber.")
	case isEither(a) && b.only(isTextual|isFalsy), isEither(b) && a.only(isTextual|isFalsy):
		r.report("default-number", e.At, "The value is a number if the default took its place, else a string, "+
			"and the two cannot be compared: use tonumber.")
	case textA && textB && isInput(a) && isInput(b):
		r.report("text-order", e.At, "Two strings are compared alphabetically, so '10' comes before '9': use tonumber.")
	}
}

// isEither reports whether the value is a text for some data and a number for others, such as
// redis.call('GET', k) or 0. A reply that may be either is none: which one the command decides.
func isEither(v *value) bool { return v.kinds == isTextual && v.raw == nil }

// isInput reports whether a text comes whole from outside of the script.
func isInput(v *value) bool {
	return len(v.parts) == 1 && !v.member && !v.cased && (v.parts[0].from == fromArgv || v.parts[0].from == fromData)
}

// losesDigits finds a number of more than 14 digits that becomes a text: Lua writes numbers with
// %.14g, and microseconds since 1970 have 16 digits.
func (r *run) losesDigits(e syntax.Expr, around int32, v *value) {
	if v.micros && v.kinds == isNumber {
		r.report("lost-digits", place(e, around),
			"As a string this number keeps only 14 of its digits: use string.format('%%.0f', ...).")
	}
}

// isParameter reports whether an expression is a parameter of the function that is followed: what
// it is differs from call to call.
func (r *run) isParameter(e syntax.Expr) bool {
	v := variableOf(e)
	return v != nil && slices.Contains(r.frame.fn.Params, v)
}

// chain looks at a condition such as "v == nil or v == false or v == 0", which compares a variable
// with all that nothing may be: those of the comparisons that are never true do no harm then. One
// with nil needs one with false beside it, one with a boolean one with a number, and one with a
// number one with a text, or the other way round.
func (r *run) chain(e *syntax.BinaryExpr) {
	if r.chained[e] {
		return
	}
	list := r.comparisons(nil, e, e.Op)
	with := make(map[*syntax.Variable]kinds)
	for _, c := range list {
		with[c.variable] |= c.kind
	}
	for _, c := range list {
		all := with[c.variable]
		switch {
		case !c.equality:
		case c.kind == isNil && all&isFalse != 0:
			r.seen[spot{"nil-comparison", c.at}] = true
		case c.kind&isBool != 0 && all&isNumber != 0, c.kind&isTextual != 0 && all&isTextual == isTextual:
			r.seen[spot{"mixed-comparison", c.at}] = true
		}
	}
}

// comparison is that of a variable with a constant, of which only the type counts.
type comparison struct {
	variable *syntax.Variable
	kind     kinds
	equality bool // == or ~=
	at       int32
}

// comparisons appends those among the operands of "a or b or c", or of the same with and. It notes
// that the operators between them were looked at.
func (r *run) comparisons(list []comparison, e syntax.Expr, op syntax.Operator) []comparison {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return r.comparisons(list, e.Inner, op)
	case *syntax.UnaryExpr:
		if v := variableOf(e.Inner); v != nil && e.Op == syntax.OpNot {
			return append(list, comparison{v, isFalse, false, e.At})
		}
	case *syntax.BinaryExpr:
		if e.Op == op {
			r.chained[e] = true
			return r.comparisons(r.comparisons(list, e.Left, op), e.Right, op)
		}
		v, k := variableOf(e.Left), typeOf(e.Right)
		if v != nil && k != 0 && e.Op >= syntax.OpNotEqual && e.Op <= syntax.OpGreaterEqual {
			return append(list, comparison{v, k, e.Op <= syntax.OpEqual, e.At})
		}
	}
	return list
}

// typeOf returns the type of a constant, 0 for any other expression.
func typeOf(e syntax.Expr) kinds {
	switch e := e.(type) {
	case syntax.NilExpr:
		return isNil
	case syntax.BoolExpr:
		if e.Value {
			return isTrue
		}
		return isFalse
	case syntax.NumberExpr:
		return isNumber
	case syntax.StringExpr:
		return isText
	}
	return 0
}

// truth finds conditions that are always true: a reply as it came that is a number or a list.
// Values that were computed are left alone, since scripts write "n or 0", and so are variables that
// another part of the condition looks into: "v and #v > 0". It evaluates the condition's parts
// again, which doubles the work, so it stops with the steps.
func (r *run) truth(condition syntax.Expr) {
	if r.silent > 0 || r.steps > maxSteps {
		return
	}
	parts := operands(nil, condition)
	looksInto := make(map[*syntax.Variable]bool)
	for _, e := range parts {
		if variableOf(e) == nil {
			addVariables(looksInto, e)
		}
	}
	for _, e := range parts {
		if !looksInto[variableOf(e)] {
			r.truthOf(e)
		}
	}
}

// operands appends what "and", "or" and "not" combine.
func operands(list []syntax.Expr, e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return operands(list, e.Inner)
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			return operands(list, e.Inner)
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.OpAnd || e.Op == syntax.OpOr {
			return operands(operands(list, e.Left), e.Right)
		}
	}
	return append(list, e)
}

// addVariables adds the local variables that an expression reads, outside of functions and tables.
func addVariables(set map[*syntax.Variable]bool, e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.LocalExpr, *syntax.UpvalExpr:
		set[variableOf(e)] = true
	case *syntax.ParenExpr:
		addVariables(set, e.Inner)
	case *syntax.UnaryExpr:
		addVariables(set, e.Inner)
	case *syntax.BinaryExpr:
		addVariables(set, e.Left)
		addVariables(set, e.Right)
	case *syntax.IndexExpr:
		addVariables(set, e.Object)
		addVariables(set, e.Key)
	case *syntax.CallExpr:
		addVariables(set, e.Function)
		for _, a := range e.Args {
			addVariables(set, a)
		}
	}
}

// truthOf looks at a part of a condition.
func (r *run) truthOf(e syntax.Expr) {
	switch e.(type) {
	case *syntax.UnaryExpr, *syntax.BinaryExpr:
		return
	}
	v := r.quietly(e)
	if v.raw == nil || v.pending != nil || r.isParameter(e) {
		return
	}
	switch {
	case v.kinds == isNumber:
		r.report("always-true", place(e, r.at),
			"%s returns a number, and 0 is true in Lua: compare it with a number.", v.raw)
	case v.kinds == isTable && !v.status:
		r.report("always-true", place(e, r.at),
			"%s returns a list, and an empty list is true in Lua: check its length with #.", v.raw)
	}
}

// quietly evaluates an expression again, without reporting.
func (r *run) quietly(e syntax.Expr) *value {
	r.silent++
	defer func() { r.silent-- }()
	return r.eval(e)
}

// replyFields are the fields of tables that become replies of other kinds.
var replyFields = strings.Fields("ok err double map set big_number verbatim_string format string")

// replies finds what is lost of a value when it becomes the reply: fractions, fields with names,
// and what follows the first nil of a list. A quotient in a list is left alone: scripts reply
// with a limit, what remains of it and a time, and mean whole ones. It looks at each table once, as
// tables may contain themselves.
func (r *run) replies(at int32, v *value, seen map[*table]bool) {
	if v.fraction && v.kinds == isNumber {
		r.report("fraction-reply", at,
			"The reply loses its fractional part: use math.floor, or reply with a string from tostring.")
	}
	t := v.table
	if t == nil || t.reply != nil || seen[t] {
		return
	}
	seen[t] = true
	listed, named := 0, ""
	for key := range t.items {
		if _, err := strconv.Atoi(key); err == nil {
			listed++
		} else if named == "" || key < named {
			named = key
		}
	}
	if named != "" && !slices.Contains(replyFields, named) && v.only(isTable) {
		r.report("lost-fields", at, "The field %s of the table is not part of the reply: reply with a list of names "+
			"and values, or encode the table with cjson.encode.", named)
	}
	for i := 1; i <= t.length; i++ {
		item := t.items[strconv.Itoa(i)]
		if item == nil {
			continue
		}
		if !item.divided {
			r.replies(at, item, seen)
		}
		if i < t.length && (item.only(isNil) || item.may(isNil) && item.absent != nil && !r.isChecked(item.absent)) {
			r.report("truncated-reply", at,
				"Element %d of the reply may be nil, and the reply ends there: add \"or false\".", i)
		}
	}
}

// plural returns a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package lua

import (
	"slices"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// follower is a mode of compilation that adds something to what the compiler makes of parts of the
// tree: a Profile counts and times, a Tracer stops at lines. Each method compiles the part that it
// names. Chunks compiled without a follower pay nothing for this.
type follower interface {
	statement(fs *compiler, s syntax.Stat) action
	// condition compiles condition i of an if statement, or the one of a loop.
	condition(fs *compiler, s syntax.Stat, i int) test
	// branch completes branch i of an if statement, behind which there is another one.
	branch(fs *compiler, s *syntax.IfStat, i int, body action) action
	// turn completes the body of a loop. The three hidden variables of a for statement have slots
	// from hidden on.
	turn(fs *compiler, s syntax.Stat, hidden int, body action) action
	call(fs *compiler, e *syntax.CallExpr) invoke
	tail(fs *compiler, e *syntax.CallExpr, t *tail) action
	// gathers reports whether a call puts the callee and the arguments in slots, and asks called.
	gathers(fs *compiler) bool
	// called returns what is to be done, when the callee lies in a slot, with n arguments behind it
	// and rest more. It may be nil.
	called(fs *compiler, e *syntax.CallExpr, base uint8, n int) func(f *frame, rest []Value)
	// body compiles the body of a function with compile.
	body(fs *compiler, compile func() action) action
}

// conditionOf returns a condition with the lines of its beginning and of its last token.
func conditionOf(s syntax.Stat, i int) (e syntax.Expr, line, end int) {
	switch s := s.(type) {
	case *syntax.IfStat:
		return s.Conditions[i], s.Lines[i], s.ThenLines[i]
	case *syntax.WhileStat:
		return s.Condition, s.Line, s.DoLine
	}
	repeat := s.(*syntax.RepeatStat)
	return repeat.Condition, repeat.UntilLine, repeat.UntilLine
}

// condition compiles a condition, with the follower if there is one.
func (fs *compiler) condition(s syntax.Stat, i int) test {
	if fs.follower != nil {
		return fs.follower.condition(fs, s, i)
	}
	e, _, _ := conditionOf(s, i)
	return fs.test(e)
}

// gathers reports whether there is a follower for which a call puts its parts in slots.
func (fs *compiler) gathers() bool { return fs.follower != nil && fs.follower.gathers(fs) }

// callArguments compiles the arguments of a call in the slots behind that of its callee, with the
// follower if there is one.
func (fs *compiler) callArguments(e *syntax.CallExpr, base uint8) (gather func(f *frame), n int, tail many) {
	gather, n, tail = fs.argumentsAt(e.Args, e.Lines)
	if !fs.gathers() {
		return gather, n, tail
	}
	called := fs.follower.called(fs, e, base, n)
	switch {
	case called == nil:
	case tail != nil:
		inner := tail
		tail = func(f *frame) []Value {
			values := slices.Clone(inner(f)) // the follower may run code
			called(f, values)
			return values
		}
	default:
		inner := gather
		gather = func(f *frame) {
			inner(f)
			called(f, nil)
		}
	}
	return gather, n, tail
}

// hide gives the hidden variables of a loop, which have slots from first on, names for a follower.
func (fs *compiler) hide(first int, names ...string) {
	for i, name := range names {
		if fs.follower != nil {
			fs.scope = &scope{outer: fs.scope, name: name, slot: uint8(first + i)}
		}
	}
}

// turn compiles the body of a loop, with the follower if there is one.
func (fs *compiler) turn(s syntax.Stat, hidden int, body action) action {
	if fs.follower != nil {
		return fs.follower.turn(fs, s, hidden, body)
	}
	return body
}

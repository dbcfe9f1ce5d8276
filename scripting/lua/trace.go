package lua

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Tracer is called at each line that a chunk compiled with it reaches, before the code of the line
// runs.
type Tracer interface {
	// Line is called when a function begins, when the line changes, and when a loop jumps back, as
	// a line hook of C Lua is. L.Levels tells where the run is. Line may run other code with L.Try,
	// and end the run with L.Throw or L.Abort.
	Line(L *State, line int)
	// Reaches is called while a chunk is compiled, with each line at which Line may be called, in
	// any order.
	Reaches(line int)
}

// CompileTraced is Compile for a chunk whose runs call t.
func CompileTraced(source, chunkName string, t Tracer) (*Proto, error) {
	return compile(nil, source, chunkName, &lines{t})
}

// lines is the follower that calls a Tracer. C Lua compares the lines of instructions; here the
// tree tells which lines the instructions would have:
//
//   - A statement, or a condition, begins a line: the one of its first instruction.
//   - In a statement of several lines each part that makes an instruction of its own begins one:
//     constants and variables as arguments, look-ups, operators, items of a table, and each call
//     once more when its arguments are there.
//   - The end of a function, and what loops and branches jump from, have lines too.
//
// What differs: targets of assignments that are spread over lines, and the end of a block whose
// variables closures share, which has an instruction in C Lua.
type lines struct{ tracer Tracer }

// stops are the places of a function where a Tracer may be called. A frame has two slots of its own
// for them: the number of the last one, which is 0 for none and negative if the run has jumped
// since; and behind it the number of the activation.
type stops struct {
	list     []stop
	slot     uint8
	nils     int // the length of list when the last statement was a declaration without values
	upvalues []upvalue
}

// upvalue is the name of one, and whether it lies in a cell.
type upvalue struct {
	name string
	cell bool
}

// stop is one of them.
type stop struct {
	line  int
	scope *scope
}

// scope is a visible variable of a function, with those before it.
type scope struct {
	outer *scope
	name  string
	slot  uint8
	cell  bool
}

func (l *lines) body(fs *compiler, compile func() action) action {
	own := &stops{list: make([]stop, 1), slot: fs.temps(2)}
	fs.proto.stops = own
	visible := fs.scope
	statements := compile()
	fs.scope = nil // the end of a function belongs to no scope
	end := l.reach(fs, fs.fn.LastLine)
	fs.scope = visible
	for _, c := range fs.fn.Captures {
		own.upvalues = append(own.upvalues, upvalue{c.Variable.Name, c.Variable.Cell()})
	}
	return func(f *frame) signal {
		own.begin(f)
		sig := statements(f)
		if sig == goOn {
			end(f)
		}
		return sig
	}
}

// reach returns what is to be done when a line is reached, with the variables visible now. It does
// nothing for line 0.
func (l *lines) reach(fs *compiler, line int) func(f *frame) {
	if line == 0 {
		return func(*frame) {}
	}
	s := fs.proto.stops
	number := Int(len(s.list))
	s.list = append(s.list, stop{line, fs.scope})
	l.tracer.Reaches(line)
	return func(f *frame) {
		last := s.at(f).line
		f.slots[s.slot] = number
		if last != line {
			l.tracer.Line(f.L, line)
		}
	}
}

// jump is reach for a jump. C Lua lets what jumps to a jump go where that leads, so the line is
// reached only from the instruction before it.
func (l *lines) jump(fs *compiler, line int) func(f *frame) {
	slot, reach := fs.proto.stops.slot, l.reach(fs, line)
	return func(f *frame) {
		if f.slots[slot].num() >= 0 {
			reach(f)
		}
	}
}

// begin numbers the activation of a function.
func (s *stops) begin(f *frame) {
	f.L.activations++
	f.slots[s.slot], f.slots[s.slot+1] = Int(0), Int(f.L.activations)
}

// jumps notes that the run has jumped: the number of the last stop becomes negative.
func (s *stops) jumps(f *frame) {
	f.slots[s.slot] = Number(-math.Abs(f.slots[s.slot].num()))
}

// restart returns what is to be done when a loop jumps back: then any line is a new one.
func restart(fs *compiler) func(f *frame) {
	slot := fs.proto.stops.slot
	return func(f *frame) { f.slots[slot] = Int(0) }
}

func (l *lines) statement(fs *compiler, s syntax.Stat) action {
	reach := func(*frame) {}
	if !fs.skipsNil(s) {
		reach = l.reach(fs, first(s))
	}
	inner := l.inside(fs, s)
	leave := l.leaving(fs, s)
	return func(f *frame) signal {
		reach(f)
		sig := inner(f)
		if sig != recalls {
			leave(f)
		}
		return sig
	}
}

// inside compiles a statement behind its first stop.
func (l *lines) inside(fs *compiler, s syntax.Stat) action {
	line, end := extent(s)
	multi, store, visible := fs.multi, fs.store, fs.scope
	fs.multi, fs.store = line != end, storingOf(s)
	inner := fs.action(s)
	fs.multi, fs.store = multi, store
	switch s.(type) {
	case *syntax.LocalStat, *syntax.LocalFunctionStat: // their variables are visible from now on
	default:
		fs.scope = visible
	}
	return inner
}

// leaving returns what is to be done at the end of a statement.
func (l *lines) leaving(fs *compiler, s syntax.Stat) func(f *frame) {
	line, end := extent(s)
	switch s.(type) {
	case *syntax.BreakStat:
		return fs.proto.stops.jumps
	case *syntax.AssignStat:
		if line != end && storingOf(s).value == nil {
			return l.reach(fs, last(s))
		}
	case *syntax.ReturnStat:
		if line != end {
			return l.reach(fs, last(s))
		}
	}
	return func(*frame) {}
}

// skipsNil reports whether C Lua emits nothing for a declaration without values: at the beginning
// of a function, whose stack is clean, and behind another one.
func (fs *compiler) skipsNil(s syntax.Stat) bool {
	local, ok := s.(*syntax.LocalStat)
	if !ok || slices.ContainsFunc(local.Values, func(e syntax.Expr) bool { return e != syntax.NilExpr{} }) {
		return false
	}
	n := &fs.proto.stops.nils
	at := len(fs.proto.stops.list)
	skips := at == 1 || at == *n
	*n = at
	if !skips {
		*n++
	}
	return skips
}

// extent returns the first and the last line of a statement without blocks; of others, and of one
// on a single line, they are the same.
func extent(s syntax.Stat) (line, end int) {
	switch s := s.(type) {
	case *syntax.LocalStat:
		return s.Line, s.EndLine
	case *syntax.AssignStat:
		return s.Line, s.EndLine
	case *syntax.CallStat:
		return s.Line, s.EndLine
	case *syntax.ReturnStat:
		return s.Line, s.EndLine
	}
	return 0, 0
}

// first returns the line of the first instruction of a statement; 0 if it has none, or if a part of
// it reports that.
func first(s syntax.Stat) int {
	switch s := s.(type) {
	case *syntax.LocalStat:
		if len(s.Values) == 0 {
			return s.EndLine
		}
		return firstOf(s.Values[0], s.EndLine)
	case *syntax.AssignStat:
		for _, t := range s.Targets {
			if index, ok := t.(*syntax.IndexExpr); ok {
				if line := max(firstOperand(index.Object), firstOperand(index.Key)); line > 0 {
					return line
				}
			}
		}
		if value := firstOf(s.Values[0], s.EndLine); value > 0 &&
			(len(s.Values) > 1 || len(s.Targets) > 1 || firstOperand(s.Values[0]) > 0) {
			return value
		}
		return s.EndLine
	case *syntax.CallStat:
		return firstOf(s.Call, s.Line)
	case *syntax.ReturnStat:
		if len(s.Values) == 0 {
			return s.EndLine
		}
		return firstOf(s.Values[0], s.EndLine)
	case *syntax.LocalFunctionStat:
		return s.Function.Body.EndLine
	case *syntax.NumericForStat:
		return firstOf(s.Start, s.Line)
	case *syntax.GenericForStat:
		return firstOf(s.Values[0], s.Line)
	case *syntax.BreakStat:
		return s.Line
	}
	return 0
}

// last returns the line of the last instruction of a statement; 0 if it is that of a part.
func last(s syntax.Stat) int {
	switch s := s.(type) {
	case *syntax.AssignStat:
		switch t := s.Targets[0].(type) {
		case *syntax.GlobalExpr:
			return t.Line
		case *syntax.IndexExpr:
			return t.Line
		}
	case *syntax.ReturnStat:
		return s.EndLine
	}
	return 0
}

// storing is the value of a single assignment, with the line of the instruction that stores it.
type storing struct {
	value syntax.Expr
	line  int
}

func storingOf(s syntax.Stat) storing {
	if a, ok := s.(*syntax.AssignStat); ok && len(a.Targets) == 1 && len(a.Values) == 1 {
		return storing{a.Values[0], last(s)}
	}
	return storing{}
}

// stored completes an expression that is about to be stored.
func (fs *compiler) stored(e syntax.Expr, inner eval) eval {
	if e == fs.store.value {
		return fs.after(fs.store.line, inner)
	}
	return inner
}

// firstOf returns the line of the first instruction that loads a value, which is loaded at a line
// if it has no instruction of its own.
func firstOf(e syntax.Expr, line int) int {
	if own := firstOperand(e); own > 0 {
		return own
	}
	return line
}

// firstOperand returns the line of the first instruction of an operand; 0 if it needs none.
func firstOperand(e syntax.Expr) int {
	switch e := e.(type) {
	case *syntax.GlobalExpr:
		return e.Line
	case *syntax.IndexExpr:
		return leading(e.Line, e.Object, e.Key)
	case *syntax.CallExpr:
		return leading(e.Line, e.Function)
	case *syntax.BinaryExpr:
		switch {
		case decided(e):
			return firstOperand(e.Right)
		case e.Op == syntax.OpAnd || e.Op == syntax.OpOr || e.Op == syntax.OpConcat:
			return firstOf(e.Left, e.OpLine)
		}
		return leading(e.Line, e.Left, e.Right)
	case *syntax.UnaryExpr:
		return leading(e.Line, e.Inner)
	case *syntax.ParenExpr:
		return firstOperand(e.Inner)
	case *syntax.FunctionExpr:
		return e.Body.EndLine
	case *syntax.TableExpr:
		return e.Line
	}
	return 0
}

// leading returns the line of the first instruction of operands, or of the operation if they need
// none.
func leading(line int, operands ...syntax.Expr) int {
	for _, e := range operands {
		if first := firstOperand(e); first > 0 {
			return first
		}
	}
	return line
}

func (l *lines) condition(fs *compiler, s syntax.Stat, i int) test {
	e, line, end := conditionOf(s, i)
	multi := fs.multi
	fs.multi = line != end
	reach := func(*frame) {}
	if _, constant := constantOf(e); !constant {
		reach = l.reach(fs, firstOf(e, end))
	}
	inner := fs.test(e)
	fs.multi = multi
	stops, back := fs.proto.stops, func(*frame) {}
	if _, repeats := s.(*syntax.RepeatStat); repeats {
		back = restart(fs)
	}
	return func(f *frame) bool {
		reach(f)
		if inner(f) {
			return true
		}
		stops.jumps(f)
		back(f)
		return false
	}
}

// branch ends with the jump behind the if statement.
func (l *lines) branch(fs *compiler, s *syntax.IfStat, i int, body action) action {
	stops, jump := fs.proto.stops, l.jump(fs, s.BranchEnds[i])
	return func(f *frame) signal {
		sig := body(f)
		if sig == goOn {
			jump(f)
			stops.jumps(f)
		}
		return sig
	}
}

func (l *lines) turn(fs *compiler, s syntax.Stat, hidden int, body action) action {
	restart, slot := restart(fs), uint8(hidden)
	switch s := s.(type) {
	case *syntax.WhileStat:
		jump := l.jump(fs, s.BodyEnd)
		return func(f *frame) signal {
			sig := body(f)
			if sig == goOn {
				jump(f)
				restart(f)
			}
			return sig
		}
	case *syntax.NumericForStat:
		return l.forTurn(fs, s.Line, s.Variable, slot, body)
	case *syntax.GenericForStat:
		return l.forTurn(fs, s.CallLine, s.Variables[0], slot+2, body)
	}
	return body
}

// forTurn completes the body of a for statement. The hidden variable that controls it, in slot
// control, gets the value of its variable v.
func (l *lines) forTurn(fs *compiler, line int, v *syntax.Variable, control uint8, body action) action {
	visible := fs.scope
	for fs.scope != nil && fs.scope.slot > control && fs.scope.name[0] != '(' {
		fs.scope = fs.scope.outer
	}
	next := l.reach(fs, line)
	fs.scope = visible
	restart, slot, cell := restart(fs), uint8(v.Slot), v.Cell()
	return func(f *frame) signal {
		restart(f)
		f.slots[control] = f.variable(slot, cell)
		sig := body(f)
		if sig == goOn {
			next(f)
		}
		return sig
	}
}

// variable returns the value of the variable in a slot.
func (f *frame) variable(slot uint8, cell bool) Value {
	if cell {
		return f.slots[slot].cell().v
	}
	return f.slots[slot]
}

func (l *lines) call(fs *compiler, e *syntax.CallExpr) invoke { return fs.callPlain(e) }

// gathers and called: in a statement of several lines the call itself is reached when its arguments
// are there.
func (l *lines) gathers(fs *compiler) bool { return fs.multi }

func (l *lines) called(fs *compiler, e *syntax.CallExpr, _ uint8, _ int) func(f *frame, rest []Value) {
	reach := l.reach(fs, e.Line)
	return func(f *frame, _ []Value) { reach(f) }
}

func (l *lines) tail(_ *compiler, _ *syntax.CallExpr, t *tail) action { return t.run }

// tracesParts reports whether parts of the statement have lines of their own. Only then may code
// ask for the lines of whole expressions: to ask at each of their parts takes quadratic time.
func (fs *compiler) tracesParts() bool {
	_, traces := fs.follower.(*lines)
	return traces && fs.multi
}

// arrive returns what is to be done when a part of a statement of several lines reaches a line; nil
// in all other statements.
func (fs *compiler) arrive(line int) func(f *frame) {
	if l, ok := fs.follower.(*lines); ok && fs.multi {
		return l.reach(fs, line)
	}
	return nil
}

// before compiles e with a line reached before it, and after with one reached when it has its
// value.
func (fs *compiler) before(line int, inner eval) eval {
	if arrive := fs.arrive(line); arrive != nil {
		return func(f *frame) Value {
			arrive(f)
			return inner(f)
		}
	}
	return inner
}

func (fs *compiler) after(line int, inner eval) eval {
	if arrive := fs.arrive(line); arrive != nil {
		return func(f *frame) Value {
			v := inner(f)
			arrive(f)
			return v
		}
	}
	return inner
}

// evalAt compiles an expression that is loaded at a line if it needs no instruction of its own.
func (fs *compiler) evalAt(e syntax.Expr, line int) eval {
	inner := fs.eval(e)
	if !fs.tracesParts() || firstOperand(e) != 0 {
		return inner
	}
	return fs.before(line, inner)
}

// testSides compiles both sides of "and" or "or".
func (fs *compiler) testSides(e *syntax.BinaryExpr) (a, b test) {
	return fs.testAt(e.Left, e.OpLine), fs.testAt(e.Right, e.Line)
}

// testAt is evalAt for a decision.
func (fs *compiler) testAt(e syntax.Expr, line int) test {
	inner := fs.test(e)
	if !fs.tracesParts() {
		return inner
	}
	if _, constant := constantOf(e); constant || firstOperand(e) != 0 {
		return inner
	}
	arrive := fs.arrive(line)
	return func(f *frame) bool {
		arrive(f)
		return inner(f)
	}
}

// spreadTest completes a decision in a statement of several lines.
func (fs *compiler) spreadTest(e syntax.Expr, inner test) test {
	b, ok := e.(*syntax.BinaryExpr)
	if !ok || b.Op < syntax.OpNotEqual || b.Op > syntax.OpGreaterEqual {
		return inner
	}
	arrive := fs.arrive(b.Line)
	return func(f *frame) bool {
		yes := inner(f)
		arrive(f)
		return yes
	}
}

// spread completes an expression in a statement of several lines.
func (fs *compiler) spread(e syntax.Expr, inner eval) eval {
	switch e := e.(type) {
	case *syntax.GlobalExpr:
		return fs.before(e.Line, inner)
	case *syntax.FunctionExpr:
		return fs.before(e.Body.EndLine, inner)
	case *syntax.IndexExpr:
		return fs.after(e.Line, inner)
	case *syntax.UnaryExpr:
		return fs.after(e.Line, inner)
	case *syntax.BinaryExpr:
		if e.Op != syntax.OpAnd && e.Op != syntax.OpOr {
			return fs.after(e.Line, inner)
		}
	case *syntax.TableExpr:
		inner = fs.before(e.Line, inner)
		if slices.ContainsFunc(e.Items, func(item syntax.TableItem) bool { return item.Key == nil }) {
			return fs.after(e.EndLine, inner)
		}
		return inner
	}
	return inner
}

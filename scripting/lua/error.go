package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// Error is what ends a run: a Lua error value that was not caught, or the host's Cause, and the Lua
// code that raised it or called the host function that did. Line is 0 where no Lua code was
// running.
type Error struct {
	Value Value
	Cause error  // what the hook or Abort ended the run with, nil for a Lua error
	Chunk string // the chunk's name as it was given to Compile
	Line  int
}

// Unwrap returns the host's error.
func (e *Error) Unwrap() error { return e.Cause }

// Error returns the message, or what Lua's own front end says of an error value that is none.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Cause.Error()
	}
	if s, ok := e.Value.ToString(); ok {
		return s
	}
	return "(error object is a " + e.Value.TypeName() + " value)"
}

// raised is the panic a Lua error travels by; its value is in State.pending.
type raised struct{}

// abort is the panic of an error no pcall may catch.
type abort struct{ err error }

// Throw raises v as a Lua error. It does not return.
func (L *State) Throw(v Value) {
	L.pending = v
	panic(raised{})
}

// Abort ends the run with err; pcall does not catch it. It does not return.
func (L *State) Abort(err error) { panic(abort{err}) }

// fail throws an error of the evaluator itself: with a position when Lua code is running, without
// one within a host function.
func (L *State) fail(format string, args ...any) {
	L.Throw(L.message(L.Where(0), format, args))
}

// typeErrorAt throws "attempt to <doing> local 'x' (a nil value)", with the name the site knows if
// any.
func (L *State) typeErrorAt(v Value, doing string, at *Site) {
	if at == nil || at.kind == nameNone || at.kind == nameGenerator {
		L.fail("attempt to %s a %s value", doing, v.TypeName())
	}
	L.fail("attempt to %s %s '%s' (a %s value)", doing, nameKinds[at.kind], at.name, v.TypeName())
}

// Where returns "chunk:line: " of the function at level: 0 the running one, 1 its caller.
// "" where that is no Lua code.
func (L *State) Where(level int) string {
	for g := L.frame; g != nil; g = g.prev {
		if level == 0 {
			if p := g.fn.proto; p != nil {
				return syntax.Position(p.chunk, int(p.sites[g.pc].line))
			}
			return ""
		}
		level -= 1 + int(g.tails)
		if level < 0 {
			return ""
		}
	}
	return ""
}

// Caller returns the chunk, as it was given to Compile, and the line of the Lua code that called
// the running host function: "=[C]" and -1 if another host function did.
func (L *State) Caller() (chunk string, line int) {
	if at := L.frame.prev.site(); at != nil {
		return L.frame.prev.fn.proto.source, int(at.line)
	}
	return "=[C]", -1
}

// newError returns an error with its place. The stack must be as it was when it was raised.
func (L *State) newError(v Value, cause error) *Error {
	e := &Error{Value: v, Cause: cause}
	g := L.frame
	if g != nil && g.fn.proto == nil {
		g = g.prev
	}
	if at := g.site(); at != nil {
		e.Chunk, e.Line = g.fn.proto.source, int(at.line)
	}
	return e
}

// calleeName returns the name by which the calling Lua code knows the running function c, "?" when
// unknown.
func (L *State) calleeName(c *Call) (name string, method bool) {
	s := c.Site()
	if s == nil || !s.call || c.tails > 0 || s.kind == nameNone {
		return "?", false
	}
	return s.name, s.kind == nameMethod
}

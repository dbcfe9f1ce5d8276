package lua

import (
	"math"
	"slices"
)

// Level is a Lua function that runs, as a Tracer sees it.
type Level struct {
	Name string // by which it was called, "" if it has none
	Line int    // where it is
	f    *frame
}

// Local is a local variable with its value.
type Local struct {
	Name  string
	Value Value
}

// Levels returns the Lua functions that run in the current coroutine, the innermost first. Host functions between them are
// left out. They die when the Tracer returns.
func (L *State) Levels() []Level {
	var levels []Level
	for f := L.frame; f != nil; f = f.prev {
		p := f.fn.proto
		if p == nil {
			continue
		}
		l := Level{f: f, Line: int(p.sites[f.pc].line)}
		if at := f.prev.site(); at != nil && at.call && f.tails == 0 {
			l.Name = at.name
		}
		if p.stops != nil && len(levels) == 0 {
			l.Line = p.stops.at(f).line
		}
		levels = append(levels, l)
	}
	return levels
}

// at returns the last stop of a frame.
func (s *stops) at(f *frame) stop { return s.list[int(math.Abs(f.slots[s.slot].num()))] }

// Locals returns the variables that are visible, in the order of their declarations. It returns none for a chunk that was
// compiled without a Tracer.
func (l Level) Locals() []Local {
	s := l.f.fn.proto.stops
	if s == nil {
		return nil
	}
	var locals []Local
	for v := s.at(l.f).scope; v != nil; v = v.outer {
		locals = append(locals, Local{v.name, l.f.variable(v.slot, v.cell)})
	}
	slices.Reverse(locals)
	return locals
}

// Try calls fn within a run, for a Tracer, and returns copies of its results. ok is false if it threw an error; then
// results[0] is the error value. What the run was about to pass on stays.
func (L *State) Try(fn *Function, args ...Value) (results []Value, ok bool) {
	ret, tail, tailArgs, pending := L.ret, L.tail, L.tailArgs, L.pending
	L.ret = nil
	g, ok := L.protect(fn.Value(), args)
	if ok {
		results = slices.Clone(g.results())
	} else {
		results = []Value{L.pending}
	}
	L.ret, L.tail, L.tailArgs, L.pending = ret, tail, tailArgs, pending
	return results, ok
}

package lua

import (
	"math"
	"slices"
)

// Level is a Lua function that runs, as a Tracer sees it. It dies when the Tracer returns.
type Level struct {
	Name       string // by which it was called, "" if it has none
	Line       int    // where it is
	Activation int    // the number of this call among those of the chunk's functions, from 1; 0 without a Tracer
	f          *frame
}

// Variable is a variable with its value.
type Variable struct {
	Name  string
	Value Value
}

// Levels returns the Lua functions that run, the innermost first: those of the current coroutine,
// then those of what has resumed it, and so on. Host functions between them are left out.
func (L *State) Levels() []Level {
	levels := appendLevels(nil, L.frame)
	for co := L.running; co != nil; co = co.resumer {
		levels = appendLevels(levels, co.stack.frame) // that of its resumer
	}
	return levels
}

func appendLevels(levels []Level, innermost *frame) []Level {
	for f := innermost; f != nil; f = f.prev {
		p := f.fn.proto
		if p == nil {
			continue
		}
		l := Level{f: f, Line: int(p.sites[f.pc].line), Activation: f.activation()}
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

// Activation returns the number of the activation of the Lua function that runs: see Level.
func (L *State) Activation() int { return L.frame.activation() }

func (f *frame) activation() int {
	if f == nil || f.fn.proto == nil || f.fn.proto.stops == nil {
		return 0
	}
	return int(f.slots[f.fn.proto.stops.slot+1].num())
}

// at returns the last stop of a frame.
func (s *stops) at(f *frame) stop { return s.list[int(math.Abs(f.slots[s.slot].num()))] }

// Locals returns the variables that are visible, in the order of their declarations. It returns
// none for a chunk that was compiled without a Tracer.
func (l Level) Locals() []Variable {
	s := l.f.fn.proto.stops
	if s == nil {
		return nil
	}
	var locals []Variable
	for v := s.at(l.f).scope; v != nil; v = v.outer {
		locals = append(locals, Variable{v.name, l.f.variable(v.slot, v.cell)})
	}
	slices.Reverse(locals)
	return locals
}

// Upvalues returns the variables of the functions around it that the function uses. It returns none
// for a chunk that was compiled without a Tracer.
func (l Level) Upvalues() []Variable {
	s := l.f.fn.proto.stops
	if s == nil {
		return nil
	}
	upvalues := make([]Variable, len(s.upvalues))
	for i, c := range s.upvalues {
		v := l.f.fn.ups[i]
		if c.cell {
			v = v.cell().v
		}
		upvalues[i] = Variable{c.name, v}
	}
	return upvalues
}

// Find returns the variable, local or upvalue, that a name stands for at the level.
func (l Level) Find(name string) (v Value, ok bool) {
	for _, list := range [][]Variable{l.Locals(), l.Upvalues()} {
		for _, v := range slices.Backward(list) {
			if v.Name == name {
				return v.Value, true
			}
		}
	}
	return Nil, false
}

// Load returns a closure of a chunk that sees the variables which code at the level sees. It cannot
// assign to them: the compiler has relied on what the script assigns.
func (l Level) Load(p *Proto) *Function {
	globals := l.f.fn.env.Value()
	env, meta := NewTable(0, 0), NewTable(0, 2)
	meta.SetString(nil, "__index", NewFunction("__index", func(L *State, c *Call) {
		name, _ := c.Arg(2).AsString()
		v, ok := l.Find(name)
		if !ok {
			v = L.Index(globals, c.Arg(2))
		}
		c.Return1(v)
	}).Value())
	meta.SetString(nil, "__newindex", NewFunction("__newindex", func(L *State, c *Call) {
		name, _ := c.Arg(2).AsString()
		if _, ok := l.Find(name); ok {
			L.Errorf("the debugger does not assign to variable '%s'", name)
		}
		L.SetIndex(globals, c.Arg(2), c.Arg(3))
	}).Value())
	env.SetMetatable(meta)
	return &Function{proto: p, env: env}
}

// Try calls fn within a run, for a Tracer, and returns copies of its results. The error is an
// *Error: what fn threw, or limit, if the hook ended the call with that. Any other error of the
// hook ends the run. What the run was about to pass on stays.
func (L *State) Try(fn *Function, limit error, args ...Value) (results []Value, err error) {
	ret, tail, tailArgs, pending, activations := L.ret, L.tail, L.tailArgs, L.pending, L.activations
	L.ret = nil
	saved, co, pinned := L.stack, L.running, L.pinned
	defer func() {
		if problem := recover(); problem != nil {
			if ended, ok := problem.(abort); !ok || ended.err != limit {
				panic(problem)
			}
			L.stack, L.running, L.pinned = saved, co, pinned
			if co != nil {
				co.status = running
			}
			err = &Error{Cause: limit}
		}
		L.ret, L.tail, L.tailArgs, L.pending, L.activations = ret, tail, tailArgs, pending, activations
	}()
	g, ok := L.protect(fn.Value(), args)
	if !ok {
		return nil, &Error{Value: L.pending}
	}
	return slices.Clone(g.results()), nil
}

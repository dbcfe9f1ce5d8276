package lua

import (
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// tailCall compiles return f(...): callee and arguments are gathered in slots.
func (fs *compiler) tailCall(e *syntax.CallExpr) action {
	free := fs.free
	defer func() { fs.free = free }()
	t := &tail{base: fs.temp()}
	if e.Method != "" {
		t.method = &method{base: t.base, self: fs.eval(e.Function), name: fs.constant(e.Method)}
		t.method.look = fs.siteOf(e.SelfLine, e.Function)
		fs.temp()
		t.n = 1
	} else {
		t.function = fs.eval(e.Function)
	}
	t.pc = fs.callSite(e.Line, e.Function, e.Method)
	if t.method == nil && few(e) && len(e.Args) <= len(t.args) && !fs.gathers() {
		t.few = true
		for i, a := range e.Args {
			t.args[i] = fs.eval(a)
			fs.temp()
		}
		t.n = len(e.Args)
	} else {
		gather, n, rest := fs.callArguments(e, t.base)
		t.gather, t.rest = gather, rest
		t.n += n
	}
	if fs.follower != nil {
		return fs.follower.tail(fs, e, t)
	}
	return t.run
}

// tail is a tail call.
type tail struct {
	function eval    // nil for a method
	method   *method // nil for a plain call
	gather   func(f *frame)
	args     [2]eval // instead of gather if few
	few      bool
	rest     many // more arguments, nil for none
	n        int  // arguments in slots
	pc       uint32
	base     uint8
}

// run prepares the call of a Lua function and returns recalls: f's caller then makes it in f's
// frame, so a chain of tail calls needs no stack. Other values are called at once.
func (t *tail) run(f *frame) signal {
	if t.few {
		return t.runFew(f)
	}
	if t.method != nil {
		t.method.find(f)
	} else {
		f.slots[t.base] = t.function(f)
	}
	t.gather(f)
	args := f.window(int(t.base)+1, t.n)
	if t.rest != nil {
		args = f.withTail(t.base+1, t.n, t.rest(f))
	}
	f.pc = t.pc
	v := f.slots[t.base]
	if p := luaCode(v); p != nil && p.params == len(args) && t.rest == nil {
		copy(f.slots[:], args)
		return f.becomeInPlace(v)
	}
	return f.become(v, args)
}

// runFew is run for a plain call with up to two arguments.
func (t *tail) runFew(f *frame) signal {
	v := t.function(f)
	f.slots[t.base] = v
	var args [2]Value
	if t.n > 0 {
		args[0] = t.args[0](f)
	}
	if t.n > 1 {
		f.slots[t.base+1] = args[0]
		args[1] = t.args[1](f)
	}
	f.pc = t.pc
	if p := luaCode(v); p != nil && p.params == t.n {
		f.slots[0], f.slots[1] = args[0], args[1]
		return f.becomeInPlace(v)
	}
	return f.become(v, args[:t.n])
}

// luaCode returns the code of a Lua function, nil for any other value.
func luaCode(v Value) *Proto {
	if v.n != tagFunction {
		return nil
	}
	return (*Function)(v.p).proto
}

// becomeInPlace makes a tail call of a Lua function whose arguments lie in the first slots.
func (f *frame) becomeInPlace(v Value) signal {
	f.L.tail, f.L.tailArgs = (*Function)(v.p), inPlace
	return recalls
}

// inPlace is State.tailArgs when the arguments lie in the first slots already.
const inPlace = -1

// become makes a tail call with any arguments of any callee.
func (f *frame) become(v Value, args []Value) signal {
	L := f.L
	for v.n != tagFunction {
		tm := L.metatable(v).event(eventCall)
		if !tm.IsFunction() {
			L.typeErrorAt(v, "call", f.site())
		}
		args = append([]Value{v}, args...)
		v = tm
	}
	fn := (*Function)(v.p)
	if fn.proto != nil {
		L.tail = fn
		L.tailArgs = len(args)
		L.ret = append(L.ret[:0], args...)
		return recalls
	}
	g := L.applyHost(f, fn, args)
	f.nret, f.ret = g.nret, g.ret
	return returns
}

// recall makes the tail calls that frame g, just left, ended with. g's frame is above State.top by
// now, but no code has run since: its slots still hold the arguments.
func (L *State) recall(caller, g *frame) *frame {
	for lost := g.tails + 1; ; lost++ {
		var sig signal
		if L.tailArgs == inPlace && L.fits(g, L.tail.proto) {
			sig = L.replace(caller, g, lost)
		} else if L.tailArgs == inPlace {
			p := L.tail.proto
			g, sig = L.applyLua(caller, L.tail, g.window(0, p.params), lost)
		} else {
			g, sig = L.applyLua(caller, L.tail, L.ret[:L.tailArgs], lost)
		}
		if sig != recalls {
			return g
		}
	}
}

// fits reports whether a frame for p fits in the place of g. It does not where g had a segment of
// its own, which is the spare one by now.
func (L *State) fits(g *frame, p *Proto) bool {
	return g == L.frameAt(L.top) && L.top+p.frame <= L.size
}

// replace runs the callee of a tail call in frame g, whose slots hold the arguments.
func (L *State) replace(caller, g *frame, lost uint32) signal {
	fn := L.tail
	p := fn.proto
	top := L.top
	g.fn, g.prev, g.L = fn, caller, L
	L.frame = g
	g.pc, g.tails, g.nret = 0, lost, 0
	g.depth = caller.level() + int32(p.weight)
	L.top = top + p.frame
	if L.ticks--; L.ticks < 0 {
		L.tock()
	}
	sig := p.body(g)
	L.frame = caller
	L.top = top
	return sig
}

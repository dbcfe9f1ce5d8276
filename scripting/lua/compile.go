package lua

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Compile turns source into a chunk: a function of any number of arguments. chunkName follows Lua's
// custom: "=name" and "@file" are shown as they are, anything else as [string "..."].
// The error is a syntax error with Lua's own text.
func Compile(source, chunkName string) (*Proto, error) { return compile(nil, source, chunkName, nil) }

// compile is Compile within a run, whose hook and limits then apply; L is nil for none.
func compile(L *State, source, chunkName string, follow follower) (p *Proto, err error) {
	return compileInto(L, nil, source, chunkName, follow)
}

// compileInto is compile for a chunk that was compiled from the same source before: the functions
// get new code where they are.
func compileInto(L *State, functions []*Proto, source, chunkName string, follow follower) (p *Proto, err error) {
	levels, meter := 0, number.Meter(nil)
	if L != nil {
		levels, meter = L.ccalls, L
	}
	tree, err := syntax.Parse(source, displayName(chunkName, maxSyntaxName), levels, meter)
	if err != nil {
		return nil, err
	}
	defer func() {
		if problem := recover(); problem != nil {
			e, ok := problem.(syntax.Error)
			if !ok {
				panic(problem)
			}
			err = e
		}
	}()
	u := &unit{
		L: L, source: strings.Clone(chunkName), chunk: displayName(chunkName, maxRunName),
		constants: map[string]Key{}, follower: follow, functions: functions,
	}
	p = u.function(tree, nil).proto
	if inner := u.functions[1:]; len(inner) > 0 {
		p.inner = inner
	}
	return p, nil
}

// Load returns a new closure of a compiled chunk over L's globals.
func (L *State) Load(p *Proto) *Function { return &Function{proto: p, env: L.Globals} }

// How long a chunk's name may be in messages, with the terminating zero C counts.
const (
	maxRunName    = 60
	maxSyntaxName = 80
)

// displayName returns a chunk's name as messages of that kind show it.
func displayName(name string, size int) string {
	name = cText(name)
	if strings.HasPrefix(name, "=") {
		return name[1:min(len(name), size)]
	}
	if strings.HasPrefix(name, "@") {
		name = name[1:]
		if most := size - len(" '...' ") - 1; len(name) > most {
			return "..." + name[len(name)-most:]
		}
		return name
	}
	line := name
	if i := strings.IndexAny(name, "\n\r"); i >= 0 {
		line = name[:i]
	}
	line = line[:min(len(line), size-len(` [string "..."] `)-1)]
	if len(line) < len(name) {
		line += "..."
	}
	return `[string "` + line + `"]`
}

// unit is one compilation.
type unit struct {
	L         *State // nil for none
	chunk     string
	follower  follower // nil for none
	source    string
	constants map[string]Key
	functions []*Proto // by the numbers of the functions
}

// proto returns the Proto of a function, empty.
func (u *unit) proto(fn *syntax.Function) *Proto {
	for fn.Number >= len(u.functions) {
		u.functions = append(u.functions, new(Proto))
	}
	p := u.functions[fn.Number]
	*p = Proto{chunk: u.chunk, source: u.source, line: fn.Line}
	return p
}

// constant returns s as a key; equal strings of a chunk share their bytes.
func (u *unit) constant(s string) Key {
	k, ok := u.constants[s]
	if !ok {
		s = strings.Clone(s)
		k = makeKey(s)
		u.constants[s] = k
	}
	return k
}

// compiler compiles one function and allots its slots and sites. Variables of this type are called
// fs.
//
// Slots below free hold active variables and temporaries. A value that must survive while another
// expression is evaluated lies in a temporary unless it is a number, so that everything a run holds
// can be found from its frames.
type compiler struct {
	*unit
	proto    *Proto
	fn       *syntax.Function
	outer    *compiler
	free     int
	scope    *scope    // the variables that are visible, for a follower
	multi    bool      // the statement has several lines, and a Tracer stops at each
	profiled *profiled // nil without a Profile
	node     uint8     // the slot of the CallNode
	store    storing
	most     int    // slots needed at once
	depth    int    // nesting of the closure under construction
	deep     int    // its maximum
	zero     *Value // the first zero among the constants: see number
}

// function compiles a function body.
func (u *unit) function(fn *syntax.Function, outer *compiler) *compiler {
	fs := &compiler{unit: u, fn: fn, outer: outer, proto: u.proto(fn)}
	fs.site(fn.Line, nameNone, "") // where a frame is before its first call
	prologue := fs.parameters()
	body := fs.body()
	if prologue != nil {
		inner := body
		body = func(f *frame) signal {
			prologue(f)
			return inner(f)
		}
	}
	p := fs.proto
	p.body = body
	p.bytes = protoBytes + fn.Length*sourceBytes
	p.params = len(fn.Params)
	if fn.Vararg {
		p.params = -1 - p.params
	}
	p.frame = (frameWords + fs.most) * valueBytes
	p.weight = 1 + fs.deep*closureBytes/bytesPerCall
	return fs
}

// body compiles the statements of a function, with the follower if there is one.
func (fs *compiler) body() action {
	compile := func() action { return fs.block(fs.fn.Body) }
	if fs.follower != nil {
		return fs.follower.body(fs, compile)
	}
	return compile()
}

const (
	protoBytes   = 256      // what a compiled function takes at least, about
	sourceBytes  = 64       // what a byte of source takes once compiled, about
	closureBytes = 256      // Go stack of one nested closure, about
	bytesPerCall = 16 << 10 // Go stack one Lua call may take within maxCalls
)

// parameters gives the parameters their slots and returns what prepares them on entry, nil if
// nothing must be done.
func (fs *compiler) parameters() func(f *frame) {
	var cells []uint8
	for _, v := range fs.fn.Params {
		slot := fs.declare(v)
		if v.Cell() {
			cells = append(cells, slot)
		}
	}
	arg := fs.fn.ArgTable
	if arg == nil {
		if cells == nil {
			return nil
		}
		return func(f *frame) { f.makeCells(cells) }
	}
	slot := fs.declare(arg)
	cell, dots := arg.Cell(), fs.fn.Dots
	return func(f *frame) {
		f.makeCells(cells)
		f.slots[slot] = Nil
		if !dots {
			f.slots[slot] = f.argTable()
		}
		if cell {
			f.makeCell(slot)
		}
	}
}

// argTable returns the table arg of Lua 5.0, which a vararg function gets when it does not use
// "...".
func (f *frame) argTable() Value {
	t := f.L.NewTable(f.nextra, 1)
	for i, v := range f.extras() {
		t.SetInt(f.L, i+1, v)
	}
	t.SetString(f.L, "n", Int(f.nextra))
	return t.Value()
}

// site adds a site and returns its number.
func (fs *compiler) site(line int, kind nameKind, name string) uint32 {
	fs.proto.sites = append(fs.proto.sites, Site{line: int32(line), kind: kind, name: strings.Clone(name)})
	return uint32(len(fs.proto.sites) - 1)
}

// siteOf adds a site that works on the value of e.
func (fs *compiler) siteOf(line int, e syntax.Expr) uint32 {
	kind, name := nameOf(e)
	return fs.site(line, kind, name)
}

// callSite is siteOf for a call of e, or of a method if that is not "".
func (fs *compiler) callSite(line int, e syntax.Expr, method string) uint32 {
	kind, name := nameOf(e)
	if method != "" {
		kind, name = nameMethod, method
	}
	pc := fs.site(line, kind, name)
	fs.proto.sites[pc].call = true
	return pc
}

// declare gives v the next slot.
func (fs *compiler) declare(v *syntax.Variable) uint8 {
	slot := fs.temp()
	v.Slot = int(slot)
	if fs.follower != nil {
		fs.scope = &scope{outer: fs.scope, name: v.Name, slot: slot, cell: v.Cell()}
	}
	return slot
}

// temp takes the next slot.
func (fs *compiler) temp() uint8 { return fs.temps(1) }

// temps takes n consecutive slots and returns the first.
func (fs *compiler) temps(n int) uint8 {
	slot := fs.free
	fs.free += n
	if fs.free > maxSlots-1 {
		panic(syntax.Error(syntax.Position(fs.chunk, fs.fn.EndLine) + "function or expression too complex"))
	}
	fs.most = max(fs.most, fs.free)
	return uint8(slot)
}

// enter and leave count the nesting of closures. Each level is a Go frame when they run, and Go's
// stack must not overflow: Proto.weight makes deeply nested functions count for several calls.
func (fs *compiler) enter() {
	fs.L.ticksOfCode(1)
	fs.depth++
	fs.deep = max(fs.deep, fs.depth)
}

func (fs *compiler) leave() { fs.depth-- }

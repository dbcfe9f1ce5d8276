package lua

// Proto is a compiled chunk or function body. It holds caches that its call sites fill, so it serves
// one State at a time; within that State, any number of runs.
type Proto struct {
	chunk  string
	body   stmt
	sites  []site
	params int // fixed parameters
	slots  int // frame size
	vararg bool
	weight int // estimated Go stack bytes of one activation
	frame  int // bytes of a frame without extra arguments
}

// site is a place in the source that may call or fail: its line, and how it names its subject.
type site struct {
	line int32
	kind nameKind
	name string
}

// nameKind says what a name in an error message is.
type nameKind uint8

const (
	nameNone nameKind = iota
	nameLocal
	nameUpvalue
	nameGlobal
	nameField
	nameMethod
	nameConstant
)

var nameKinds = [...]string{"", "local", "upvalue", "global", "field", "method", "constant"}

// An expression evaluates to one value; a statement tells how control goes on.
type (
	expr func(f *Call) Value
	stmt func(f *Call) signal
)

type signal int

const (
	goOn     signal = iota
	breaks          // leave the innermost loop
	returns1        // return f.ret
	returns         // return f.nret values: f.ret or State.ret
	tails           // call again: the callee and its arguments are in State.tail
)

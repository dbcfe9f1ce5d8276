package lua

// Proto is a compiled chunk or function body. It holds caches that its call sites fill, so it
// serves one State at a time; within that State, any number of runs.
type Proto struct {
	chunk  string // as messages name it
	source string // its name as it was given to Compile
	line   int    // where the function begins, 0 for a chunk
	body   action
	sites  []Site
	params int // fixed parameters; -1 - that number for a vararg function
	frame  int // bytes of a frame without extra arguments
	weight int // what one activation counts against maxCalls
	bytes  int // what it takes in memory, about; the functions inside count for themselves
	mark   uint32
	stops  *stops   // nil without a Tracer
	inner  []*Proto // of a chunk: the functions inside
	plain  []Proto  // of a chunk that is followed: what it and inner were before
}

// fixed returns the number of fixed parameters.
func (p *Proto) fixed() int {
	if p.params < 0 {
		return -1 - p.params
	}
	return p.params
}

// The types of compiled closures: eval yields one value, many yields any number of them, valid
// until the next call; test decides; action returns how control continues.
type (
	eval   func(f *frame) Value
	many   func(f *frame) []Value
	test   func(f *frame) bool
	action func(f *frame) signal
)

// signal is how a statement ends.
type signal int

const (
	goOn    signal = iota
	breaks         // leave the innermost loop
	returns        // leave the function; its results are in f.nret, f.ret and State.ret
	recalls        // leave the function and call State.tail in its place
)

// Site is a place in the source that may call or fail. A host function reaches the one it is called
// from by Call.Site and may leave there what it found out about the call.
type Site struct {
	Cache any // the host's

	line int32
	kind nameKind
	call bool   // a call, not another operation
	name string // of the value called or worked on, "" if it has none
}

// Line returns the line of the source.
func (s *Site) Line() int { return int(s.line) }

// nameKind says what a name in an error message is.
type nameKind uint8

const (
	nameNone nameKind = iota
	nameLocal
	nameUpvalue
	nameGlobal
	nameField
	nameMethod
	nameGenerator // the hidden variable of a loop: named to callees, not in errors about itself
)

var nameKinds = [...]string{"", "local", "upvalue", "global", "field", "method"}

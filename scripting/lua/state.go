package lua

import (
	"math/bits"
	"unsafe"
)

// State is one world of Lua: globals, a stack of frames, the budget of the current run.
// It is for one goroutine at a time. Coroutines share it; only their stacks differ.
type State struct {
	stack
	ret      []Value   // results of the last call when they are not exactly one; arguments of a tail call
	tail     *Function // the callee of a tail call on its way
	tailArgs int
	pending  Value // the error value a panic of type raised carries

	Globals    *Table // the environment of loaded chunks
	stringMeta *Table // the metatable of all strings

	ticks    int // until the hook is due
	interval int
	hook     func() error

	room   int                       // bytes until live memory is measured again
	limit  int                       // bytes a run may hold, 0 for no limit
	lend   func(least, most int) int // makes the limit grow; nil for a limit that stays
	pinned int                       // bytes host functions hold in buffers
	marks  uint32                    // traversals so far
	seen   pointerSet

	builder *Builder // what decoders build tables with

	catch func(v Value) []Value // see SetCatch

	next, inext *Function // the generators of pairs and ipairs
	choose      *Function // select

	running  *Coroutine // nil in the main thread
	idle     []*worker
	segments [][]Value  // of coroutines that ended
	live     *Coroutine // suspended and normal ones, a list

	activations int // of functions that a Tracer follows
}

// stack is the part of a State that differs between coroutines: segments of Values in which frames
// lie back to back.
type stack struct {
	frame   *frame         // the innermost running function
	base    unsafe.Pointer // of the segment in use; frames are reached by frameAt only
	top     int            // bytes in use there
	size    int            // bytes there, the slack left out
	deepest int            // the most frame.depth may be
	ccalls  int            // calls from Go that have not returned
	segment []Value
	spare   []Value // the segment last left
}

// NewState returns a State with empty globals.
func NewState() *State {
	L := &State{Globals: NewTable(0, 0), ticks: maxInt, interval: maxInt, room: maxInt}
	L.deepest = maxCalls
	L.addSegment(firstSegment + slack)
	return L
}

const (
	maxInt       = int(^uint(0) >> 1)
	firstSegment = 1 << 10
	// slack lies behind a segment. A Lua frame that begins before the slack ends within its first
	// half. The type frame has 256 slots even for a function that needs fewer; the other half makes
	// sure that a *frame to the next frame does not reach beyond the segment either.
	slack = 2 * (maxSlots + frameWords)
)

// addSegment moves to a new, empty segment of that many values.
func (L *State) addSegment(values int) {
	if len(L.spare) < values {
		L.spare = make([]Value, values)
	}
	L.segment, L.spare = L.spare, nil
	L.base, L.size, L.top = unsafe.Pointer(&L.segment[0]), (len(L.segment)-slack)*valueBytes, 0
}

// frameAt returns the frame that begins top bytes from the segment's start: a multiple of a Value's
// size, and at most L.size (invariants 1 and 8 of package lua).
func (L *State) frameAt(top int) *frame { return (*frame)(unsafe.Add(L.base, top)) }

// SetStringMetatable sets the metatable all strings share.
func (L *State) SetStringMetatable(meta *Table) { L.stringMeta = meta }

// NewTable returns an empty table counted against the memory limit.
func (L *State) NewTable(array, fields int) *Table {
	size := tableBytes + (array+1)&^1*valueBytes
	if fields > 0 {
		size += 1 << bits.Len(uint(fields-1)) * int(nodeSize)
	}
	L.Alloc(size)
	return NewTable(array, fields)
}

// NewString counts s against the memory limit and returns it as a value. s is not copied.
func (L *State) NewString(s string) Value {
	L.Alloc(stringBytes(len(s)))
	L.work(len(s))
	return String(s)
}

// stringBytes returns what a string of n bytes takes.
func stringBytes(n int) int {
	if n <= 32 {
		return (n + 7) &^ 7
	}
	return (n + 15) &^ 15
}

package lua

import "unsafe"

// frame is one running function on the State's stack: a head of five Values' size and then the
// slots of its variables and temporaries. Code calls the running frame f, and g the frame of the
// function that it calls. A host function sees its own frame as a Call.
//
// The fields stand in this order because stacks are slices of Values (invariant 8 of package lua):
// the head's words alternate between pointers and numbers as those of Values do.
type frame struct {
	fn     *Function
	pc     uint32 // the site in fn.proto.sites that is calling
	tails  uint32 // tail calls lost between this call and its caller
	prev   *frame
	nargs  int32 // of a host function
	depth  int32 // of nested calls, weighted
	L      *State
	nret   int
	extra  unsafe.Pointer // a vararg function's extra arguments
	nextra int
	ret    Value // the result when nret is 1
	slots  [maxSlots]Value
}

const (
	// maxSlots bounds locals, arguments and temporaries of one function. Slot numbers are bytes.
	maxSlots   = 256
	frameWords = 5 // the head of a frame, in Values
)

// slot returns slot i. It may lie beyond the 256 of the type, because host functions take any
// number of arguments; it lies within the segment by invariant 1 of package lua.
func (f *frame) slot(i int) *Value {
	return (*Value)(unsafe.Add(unsafe.Pointer(&f.slots), uintptr(i)*unsafe.Sizeof(Value{})))
}

// window returns n slots from i on. They lie within the segment by invariant 1.
func (f *frame) window(i, n int) []Value { return unsafe.Slice(f.slot(i), n) }

// site returns the site Lua code is at, nil in a host function and for no frame.
func (f *frame) site() *Site {
	if f == nil || f.fn.proto == nil {
		return nil
	}
	return &f.fn.proto.sites[f.pc]
}

// level returns the depth of a frame, 0 for none.
func (f *frame) level() int32 {
	if f == nil {
		return 0
	}
	return f.depth
}

// extras returns the arguments that ... stands for: receive put them behind the frame's last slot
// and made the frame that much larger, so invariant 1 covers them.
func (f *frame) extras() []Value { return unsafe.Slice((*Value)(f.extra), f.nextra) }

package debugger

import "errors"

// What a front end may be told.
var (
	ErrLine           = errors.New("the source has no such line")
	ErrNoBreakpoint   = errors.New("there is no breakpoint at this line")
	ErrTooManyPoints  = errors.New("too many breakpoints")
	ErrNoWatch        = errors.New("there is no watch with this number")
	ErrTooManyWatches = errors.New("too many watches")
	ErrNoFrame        = errors.New("there is no such frame")
	ErrAtBeginning    = errors.New("the script is at its first line")
	ErrTooManyEdits   = errors.New("too many changes were made in the debugger to repeat them")
	ErrTooLong        = errors.New("the evaluation takes too long")
)

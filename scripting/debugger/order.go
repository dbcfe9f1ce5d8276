package debugger

import "github.com/miniserver-go/miniserver/scripting/lua"

// Reason is why a run has stopped.
type Reason int

// The reasons. Where several are true, the first of them counts.
const (
	BreakCalled Reason = iota // redis.breakpoint was called
	AtBreakpoint
	Changed  // the value of a watch has
	Finished // the function that was to finish has returned
	Overdue  // the run takes longer than busy-reply-threshold
	Paused   // Debugger.Pause was called
	Stepped  // the run has begun, or made a step
	Rewound  // the run has gone back, to a line where it did not stop for another reason
	Failed   // the run has failed, and has gone back to its last line: see CatchErrors
)

// Stop is where a run has stopped.
type Stop struct {
	Line    int
	Reason  Reason
	Err     error    // what a run has failed with, or a condition, which then counts as true; nil for nothing
	Changes []Change // of watches, whatever the reason is
}

// Order is how a run is to go on.
type Order struct {
	way way
	err error
}

type way int

const (
	runs way = iota
	steps
	overs
	finishes
	detaches
	backs
	seeks
	aborts
	resumes
)

// The orders of a front end, beside Abort.
var (
	Continue = Order{way: runs}     // run to the next breakpoint
	StepInto = Order{way: steps}    // stop at the next line, in any function
	StepOver = Order{way: overs}    // stop at the next line of this function or of one that has called it
	StepOut  = Order{way: finishes} // stop when the function has returned: at the next line of one that has called it
	Detach   = Order{way: detaches} // run to the end, without a stop
	Resume   = Order{way: resumes}  // go on with the order before: after Pause, which a front end has called for itself

	BackwardStep     = Order{way: backs} // go back to the line before, in any function
	BackwardContinue = Order{way: seeks} // go back to the last line where the run would stop by itself, or to the first
)

// Abort ends the run with an error, which pcall does not catch.
func Abort(err error) Order { return Order{aborts, err} }

// GoesBack reports whether the order is for a run that CanGoBack.
func (o Order) GoesBack() bool { return o.way == backs || o.way == seeks }

// goal is where an order lets a run stop beside breakpoints.
type goal struct {
	anywhere bool
	within   map[int]bool // activations of functions: a step over calls, or out of one
	finish   bool
}

// activations returns the numbers of the activations of some levels.
func activations(levels []lua.Level) map[int]bool {
	set := make(map[int]bool, len(levels))
	for _, l := range levels {
		if l.Activation > 0 {
			set[l.Activation] = true
		}
	}
	return set
}

package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Observer is what a part wants to be told of a world: see World.Observe. Each function may be left
// out. None of them may run a command or change data, and only Ended, Aborted and Batch may end the
// observing.
type Observer struct {
	// Shown is called when a command has run that others may see, before what follows from it; one
	// that runs others is shown before them.
	Shown func(c *Call)
	// Ran is called when a command has replied, or blocked its client; also for those of scripts
	// and transactions.
	Ran func(c *Call)
	// Changed is called when a key has changed, by a session or, if it is nil, without a command.
	// The event is the zero one where the change has none.
	Changed func(db int, key []byte, ev event.Event, by *Session)
	// Replaced is called before a database is emptied, or is replaced by another one if that is not
	// nil.
	Replaced func(db, other *keyspace.DB)
	// Emptied is called when any key may have changed.
	Emptied func()
	// Ended is called when a request of a client is over, a transaction with EXEC. A nil command is
	// for an empty one.
	Ended func(s *Session, cmd *command.Command)
	// Aborted is called when EXEC was refused before it looked at what it depends on.
	Aborted func(s *Session)
	// Batch is called when a batch of commands is over.
	Batch func()
}

// observers are those of a world, in the order in which they came.
type observers []*Observer

// Observe adds an observer to the world. A world without observers has no cost.
func (w *World) Observe(o *Observer) { w.observers = append(w.observers, o) }

// Unobserve ends that.
func (w *World) Unobserve(o *Observer) {
	w.observers = slices.DeleteFunc(w.observers, func(other *Observer) bool { return other == o })
}

// Show shows the observers a command before the commands that it is about to run. It is for
// commands flagged SkipMonitor, such as EVAL.
func (c *Call) Show() {
	for _, o := range c.World.observers {
		if o.Shown != nil && !c.Session.loader {
			o.Shown(c)
		}
	}
}

// ran tells the observers that a command has run.
func (all observers) ran(c *Call) {
	if !c.woken && c.Cmd.Flags&(command.SkipMonitor|command.Admin) == 0 {
		c.Show()
	}
	for _, o := range all {
		if o.Ran != nil {
			o.Ran(c)
		}
	}
}

// changed tells the observers that a key has changed.
func (all observers) changed(db int, key []byte, ev event.Event, by *Session) {
	for _, o := range all {
		if o.Changed != nil {
			o.Changed(db, key, ev, by)
		}
	}
}

// replaced tells the observers that a database is about to be emptied or replaced.
func (all observers) replaced(db, other *keyspace.DB) {
	for _, o := range all {
		if o.Replaced != nil {
			o.Replaced(db, other)
		}
	}
}

// emptied tells the observers that any key may have changed.
func (all observers) emptied() {
	for _, o := range all {
		if o.Emptied != nil {
			o.Emptied()
		}
	}
}

// aborted tells the observers that EXEC was refused.
func (all observers) aborted(s *Session) {
	for _, o := range slices.Backward(all) {
		if o.Aborted != nil {
			o.Aborted(s)
		}
	}
}

// ended tells the observers that a request is over.
func (all observers) ended(s *Session, cmd *command.Command) {
	for _, o := range slices.Backward(all) {
		if o.Ended != nil {
			o.Ended(s, cmd)
		}
	}
}

// batch tells the observers that a batch is over.
func (all observers) batch() {
	for _, o := range slices.Backward(all) {
		if o.Batch != nil {
			o.Batch()
		}
	}
}

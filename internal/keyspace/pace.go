package keyspace

import "iter"

// Pace spreads the encoding of a large value over many steps of a snapshot. The encoder calls Yield
// as it goes through the value; now and then Yield returns only with the next Step.
//
//	Step ─▶ emit ... Yield │ Step ─▶ ... Yield │ Step ─▶ ... to the end
//	                       └ other keys are encoded, and commands go on
//
// What the encoder reads does not change meanwhile. A large collection is frozen for that: see
// Record.freeze. Any other value, such as a string, is encoded to its end before a command changes
// it, and Yield asks to hurry:
//
//	Step ─▶ emit ... Yield │ a write of the value ─▶ ... Yield ... to the end, then the write
//
// A small value has a nil Pace and is encoded at once.
type Pace struct {
	yield func(struct{}) bool
	work  int // since the last pause, in bytes
	hurry bool
}

const (
	largeRecordBytes = 32 << 10 // size from which on a value is encoded in steps
	stepBytes        = 4 << 10  // of a step
	restBytes        = 64       // what a call of Rest counts by itself, for an element that is small
)

// Yield counts an element of so many bytes as encoded, and pauses until the next Step if the step's
// share is used up. It reports whether to hurry because a command waits.
func (p *Pace) Yield(bytes int) (hurry bool) {
	if p == nil {
		return false
	}
	if p.work += bytes + restBytes; p.work >= stepBytes && !p.hurry {
		p.work = 0
		p.yield(struct{}{})
	}
	return p.hurry
}

// Hurry reports whether a command waits.
func (p *Pace) Hurry() bool { return p != nil && p.hurry }

// largeRecord is a large value in the snapshot's queue.
type largeRecord struct {
	record  Record
	pace    Pace
	next    func() (struct{}, bool) // goes on with it; nil if it was not begun
	thaw    func()                  // nil if the value is not frozen: then it must be finished before a change
	done    bool
	live    Value     // of the keyspace
	dropped []dropped // the same, if its key is gone
}

// step encodes a piece, and reports whether there are more.
func (p *largeRecord) step(take func(*Record, *Pace)) (more bool) {
	if p.done {
		return false
	}
	if p.next == nil {
		p.next, _ = iter.Pull(func(pause func(struct{}) bool) {
			p.pace.yield = pause
			take(&p.record, &p.pace)
		})
	}
	if _, more = p.next(); !more && p.thaw != nil {
		p.thaw()
	}
	return more
}

// finish encodes what is left.
func (p *largeRecord) finish(take func(*Record, *Pace)) {
	p.pace.hurry, p.done = true, true
	if p.next == nil {
		take(&p.record, &p.pace)
		return
	}
	p.next()
}

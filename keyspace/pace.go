package keyspace

import "iter"

// Pace is what a large value of a snapshot is taken at. Who takes it calls Rest as he goes through it, which
// returns now and then only when the next Step comes; the value stays as it is so long. If it is about to be
// changed, who changes it waits until all of it is taken: from then on Rest asks to hurry.
//
//	Step ─▶ take ... Rest │ Step ─▶ ... Rest │ a write of the value ─▶ ... Rest ... to the end, then the write
//	                      └ other keys are taken, and commands go on
//
// A nil Pace is that of a small value, which is taken at once.
type Pace struct {
	yield func(struct{}) bool
	work  int // since the last pause, in bytes
	hurry bool
}

const (
	largeRecordBytes = 32 << 10 // bytes of a value from which on it is taken in steps
	stepBytes        = 4 << 10  // of a step
	restBytes        = 64       // what a call of Rest counts by itself, for an element that is small
)

// Yield tells that an element was taken, or so many bytes, and lets others have their turn if it is time. It
// reports whether to hurry: a command waits.
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

// largeRecord is a large value that is being taken, or is to be.
type largeRecord struct {
	record Record
	pace   Pace
	next   func() (struct{}, bool) // goes on with it; nil if it was not begun
}

// step takes a piece, and reports whether there are more.
func (p *largeRecord) step(take func(*Record, *Pace)) (more bool) {
	if p.next == nil {
		p.next, _ = iter.Pull(func(pause func(struct{}) bool) {
			p.pace.yield = pause
			take(&p.record, &p.pace)
		})
	}
	_, more = p.next()
	return more
}

// finish takes what is left.
func (p *largeRecord) finish(take func(*Record, *Pace)) {
	p.pace.hurry = true
	if p.next == nil {
		take(&p.record, &p.pace)
		return
	}
	p.next()
}

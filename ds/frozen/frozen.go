// Package frozen keeps the elements of a large collection as they were at one moment, while the
// collection changes. A snapshot walks through them in many steps.
//
//	the collection    a b c d | e F g h I j     the walk has passed a to d; F is changed, I is new
//	touched                     f     i         what the walk leaves out
//	kept                        f               what it gives instead
//
// Nothing is copied when the collection is frozen. Before it changes an element that the walk has
// not passed, it keeps a copy of it. So each element of that moment is given once, as it was. The
// order is that of the walk, except for what was kept.
//
// The memory is that of the elements that change meanwhile, and of a step of the walk. If there are
// deadlines that the reader wants behind the elements, it is that of their elements as well.
//
// Non-goals: lists and streams, whose order matters; they share their nodes with a frozen twin.
package frozen

import "encoding/binary"

// Element is one element. What a collection does not have is zero.
type Element struct {
	Name, Value []byte // the member, or the field and its value
	Score       float64
	Deadline    int64 // milliseconds since the epoch; 0 for none
}

// Source is the collection that is walked through.
type Source interface {
	// Advance gives the next elements, about n of them, and reports whether there are more. It
	// gives each that is there during the whole walk once; whether it gives others does not matter.
	// What it gives is valid during the call.
	Advance(n int, give func(e Element)) (more bool)
	// Thaw ends the walk: nothing need be kept any more.
	Thaw()
}

// Elements are the elements of a collection that was frozen. They can be walked through once.
type Elements struct {
	n        int
	volatile int
	first    int64
	step     int
	source   Source // nil after the end of the walk
	touched  map[string]struct{}
	kept     [][]Element // in blocks, so that none has to be copied
	dated    [][]byte
}

// Size is what is known of a collection when it is frozen.
type Size struct {
	Elements int
	Volatile int   // those with a deadline
	First    int64 // no deadline is sooner
	Bytes    int   // about what the elements take
}

// Large is the size from which on an element is given by itself, so that the encoder can pause
// within it.
const Large = 4 << 10

const (
	stepBytes    = 4 << 10 // that are given without a pause
	elementBytes = 64      // what an element counts beside its texts
	keptBlock    = 64
	datedBlock   = 64 << 10
)

// Of returns the elements of a collection, which from now on calls Touch before each change of an
// element until its Thaw is called.
func Of(source Source, size Size) *Elements {
	step := stepBytes / (elementBytes + size.Bytes/max(size.Elements, 1))
	return &Elements{n: size.Elements, volatile: size.Volatile, first: size.First, source: source,
		step: max(step, 1), touched: map[string]struct{}{}}
}

// Len returns the number of elements.
func (f *Elements) Len() int { return f.n }

// Volatile returns how many of them have a deadline.
func (f *Elements) Volatile() int { return f.volatile }

// First returns a time before which none is due.
func (f *Elements) First() int64 { return f.first }

// Touch says that the element of that name is about to be changed, removed or added. It reports
// whether that happens for the first time; then the caller keeps the element if there is one that
// the walk has not passed.
func (f *Elements) Touch(name []byte) (first bool) {
	if _, again := f.touched[string(name)]; again {
		return false
	}
	f.touched[string(name)] = struct{}{}
	return true
}

// Keep keeps a copy of an element for the walk.
func (f *Elements) Keep(e Element) {
	last := len(f.kept) - 1
	if last < 0 || len(f.kept[last]) == cap(f.kept[last]) {
		f.kept = append(f.kept, make([]Element, 0, keptBlock))
		last++
	}
	n := len(e.Name)
	texts := append(append(make([]byte, 0, n+len(e.Value)), e.Name...), e.Value...)
	e.Name, e.Value = texts[:n:n], texts[n:]
	f.kept[last] = append(f.kept[last], e)
}

// Each calls fn with all elements, and pause from time to time, with about the bytes that fn got
// since. pause may return after changes of the collection; fn may do so only for an element of more
// than Large bytes. The element is valid until fn returns. dated is whether Deadlines is called
// afterwards.
func (f *Elements) Each(dated bool, fn func(e Element), pause func(bytes int)) {
	give := func(e Element) {
		if dated && e.Deadline != 0 {
			f.addDated(e)
		}
		fn(e)
	}
	for f.source != nil || len(f.kept) > 0 {
		if len(f.kept) == 0 {
			pause(f.advance(give))
			continue
		}
		block := f.kept[0]
		f.kept = f.kept[1:]
		for _, e := range block {
			give(e)
			pause(e.bytes())
		}
	}
}

// advance gives the next elements that nothing has touched, and returns their bytes. It keeps the
// large ones for later.
func (f *Elements) advance(give func(e Element)) (bytes int) {
	more := f.source.Advance(f.step, func(e Element) {
		if _, touched := f.touched[string(e.Name)]; touched {
			return
		}
		if n := e.bytes(); n <= Large {
			bytes += n
			give(e)
			return
		}
		f.Keep(e)
	})
	if !more {
		f.thaw()
	}
	return bytes
}

// bytes returns what the element counts for a pause.
func (e *Element) bytes() int { return elementBytes + len(e.Name) + len(e.Value) }

func (f *Elements) thaw() {
	f.source.Thaw()
	f.source, f.touched = nil, nil
}

// Release ends the walk before its end. It does nothing after it.
func (f *Elements) Release() {
	if f.source != nil {
		f.thaw()
	}
}

// addDated remembers the deadline of an element.
func (f *Elements) addDated(e Element) {
	last := len(f.dated) - 1
	if need := 2*binary.MaxVarintLen64 + len(e.Name); last < 0 || cap(f.dated[last])-len(f.dated[last]) < need {
		f.dated = append(f.dated, make([]byte, 0, max(need, datedBlock)))
		last++
	}
	b := binary.AppendUvarint(f.dated[last], uint64(e.Deadline))
	b = binary.AppendUvarint(b, uint64(len(e.Name)))
	f.dated[last] = append(b, e.Name...)
}

// Deadlines calls fn for each element that has a deadline. Each must have been called, with dated.
func (f *Elements) Deadlines(fn func(name []byte, deadline int64)) {
	for i, b := range f.dated {
		for f.dated[i] = nil; len(b) > 0; {
			deadline, n := binary.Uvarint(b)
			length, m := binary.Uvarint(b[n:])
			b = b[n+m:]
			fn(b[:length:length], int64(deadline))
			b = b[length:]
		}
	}
}

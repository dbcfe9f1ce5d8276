// Package linear decides whether what clients saw of an object can be explained by one order of
// their operations.
//
// An object is a key, or a few, with a Model: what one operation after the other does to it.
// Clients note each operation in the object's History: when it was called, when its reply came, and
// what that said. The object is linearizable if its operations can be put into one order that the
// model can take, in which no operation comes before another one whose reply came before the first
// was called:
//
//	client 1   |── SET a ──|
//	client 2        |────────── SET b ──── reply lost ...
//	client 3                  |─ GET: b ─|   |─ GET: a ─|   no order explains this
//
// An operation whose reply was lost may take effect at any time after its call, or never. Its end
// is open.
//
// The search is porcupine's (github.com/anishathalye/porcupine). Its time grows exponentially with
// the operations that overlap, so histories are short: a client takes another object after some
// dozens of operations, or after a few whose end is open.
package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// Operation is one operation of a client on an object.
type Operation struct {
	Client    int
	Name, Arg string
	Reply     string
	Open      bool // the reply was lost
	Call, End time.Duration
}

// String returns the operation as a line.
func (o Operation) String() string {
	what, end := o.Reply, o.End.Round(time.Microsecond).String()
	if o.Open {
		what, end = "?", "..."
	}
	return fmt.Sprintf("%13s %13s  client %-3d %s %s -> %s", o.Call.Round(time.Microsecond), end, o.Client,
		o.Name, o.Arg, what)
}

// History is what clients did with one object. Its methods may be called by several goroutines.
type History struct {
	Model Model

	mu         sync.Mutex
	operations []Operation
	open       int
	underWay   int
}

// The number of operations after which a history is Full.
const (
	most     = 40
	mostOpen = 5
)

// Full reports whether there should be no more operations. Those under way count as open: they may
// become so.
func (h *History) Full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.operations)+h.underWay >= most || h.open >= mostOpen
}

// Begin notes that a client begins an operation. One of Done, Lose and Drop must end it.
func (h *History) Begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.underWay++
}

// Done notes an operation with its reply.
func (h *History) Done(o Operation) { h.end(&o) }

// Lose notes an operation whose reply was lost.
func (h *History) Lose(o Operation) {
	o.Open, o.End, o.Reply = true, math.MaxInt64, ""
	h.end(&o)
}

// Drop notes that an operation had certainly no effect.
func (h *History) Drop() { h.end(nil) }

func (h *History) end(o *Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.underWay--
	if o == nil {
		return
	}
	if h.operations = append(h.operations, *o); o.Open {
		h.open++
	}
}

// Operations returns the operations in the order of their calls.
func (h *History) Operations() []Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(slices.Values(h.operations),
		func(a, b Operation) int { return cmp.Compare(a.Call, b.Call) })
}

// Text returns operations as lines.
func Text(operations []Operation) string {
	var b strings.Builder
	for _, o := range operations {
		fmt.Fprintln(&b, o)
	}
	return b.String()
}

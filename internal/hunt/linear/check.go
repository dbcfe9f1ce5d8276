package linear

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Result says whether a history is linearizable.
type Result = porcupine.CheckResult

// The results.
const (
	Linearizable = porcupine.Ok
	Violation    = porcupine.Illegal
	Undecided    = porcupine.Unknown // the search took too long
)

// Check searches for an order that explains the operations, for some time.
func (m Model) Check(operations []Operation, limit time.Duration) Result {
	list := make([]porcupine.Operation, len(operations))
	for i, o := range operations {
		list[i] = porcupine.Operation{ClientId: i, Input: o, Output: o, Call: int64(o.Call), Return: int64(o.End)}
	}
	return porcupine.CheckOperationsTimeout(m.checked(), list, limit)
}

// checked returns the model as porcupine wants it.
func (m Model) checked() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, _ any) (bool, any) {
			o := input.(Operation)
			next, reply := m.Step(state.(string), o.Name, o.Arg)
			return o.Open || reply == o.Reply, next
		},
	}
}

// Smallest returns a small part of a history that no order explains either: up to the first reply
// that cannot be explained, and without the GETs that do not matter. What was under way at that
// time is open in it.
func (m Model) Smallest(operations []Operation, limit time.Duration) []Operation {
	for _, end := range ends(operations) {
		if part := until(operations, end); m.Check(part, limit) == Violation {
			return m.withoutReads(part, limit)
		}
	}
	return operations
}

// ends returns when replies came.
func ends(operations []Operation) (times []time.Duration) {
	for _, o := range operations {
		if !o.Open {
			times = append(times, o.End)
		}
	}
	slices.Sort(times)
	return times
}

// until returns the operations as they were known at a time.
func until(operations []Operation, end time.Duration) (part []Operation) {
	for _, o := range operations {
		if o.Call > end {
			continue
		}
		if !o.Open && o.End > end {
			o.Open, o.Reply, o.End = true, "", 1<<63-1
		}
		part = append(part, o)
	}
	return part
}

// withoutReads leaves out reads, as long as the rest is a violation. Without a write it would be
// one that never was.
func (m Model) withoutReads(operations []Operation, limit time.Duration) []Operation {
	for i := len(operations) - 1; i >= 0; i-- {
		if rest := slices.Delete(slices.Clone(operations), i, i+1); operations[i].Name == "GET" &&
			m.Check(rest, limit) == Violation {
			operations = rest
		}
	}
	return operations
}

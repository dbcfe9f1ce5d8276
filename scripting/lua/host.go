package lua

import "unsafe"

// What hosts need beyond values and calls.

// SetCatch makes pcall answer false and what catch returns for an error value, in place of the
// value. catch may throw. nil restores Lua's own pcall.
func (L *State) SetCatch(catch func(v Value) []Value) { L.catch = catch }

// Describe returns v as tostring shows it, without metamethods: nothing of a script runs.
func (L *State) Describe(v Value) Value { return L.describe(v) }

// Held returns about how many bytes the last run came to hold, with the garbage it made since that
// was last measured.
func (L *State) Held() int { return L.held() }

// Forget drops what the State still refers to from the last run, results included: values lie in
// its stack until others take their place. O(stack).
func (L *State) Forget() {
	// The whole segment in use: size leaves the slack out.
	clear(unsafe.Slice((*Value)(L.base), L.size/valueBytes+slack))
	L.spare, L.segments = nil, nil
	L.ret, L.pending, L.tail = nil, Nil, nil
	L.seen = pointerSet{}
}

package lua

// What hosts need beyond values and calls.

// SetCatch makes pcall answer false and what catch returns for an error value, in place of the value.
// catch may throw. nil restores Lua's own pcall.
func (L *State) SetCatch(catch func(v Value) []Value) { L.catch = catch }

// Describe returns v as tostring shows it, without metamethods: nothing of a script runs.
func (L *State) Describe(v Value) Value { return L.describe(v) }

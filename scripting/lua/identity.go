package lua

import "sync/atomic"

var lastIdentity atomic.Uint32

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
		*id = lastIdentity.Add(1)
	}
	return *id
}

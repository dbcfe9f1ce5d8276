package lua

// Coroutine is a thread of Lua: a function that can pause.
type Coroutine struct {
	id uint32
}

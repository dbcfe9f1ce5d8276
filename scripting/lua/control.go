package lua

import "errors"

// Control over a run: how long it takes and how much it holds. Counting costs 1 to 2 % (scripts of the
// bench with the counters and without); 10,000 ticks take 0.03 to 4 ms, whatever mix of code and library they are,
// megabytes at a time included, but for what is one step to the library too: the conversion of a string of
// digits, 3 to 6 ns for each; the moves of table.insert and table.remove and the growth of arrays that are
// decoded, 15 ns for each element; the growth of what table.concat gathers, 0.5 ns for each byte. What a run that was refused memory holds lies up to 7 % above
// its limit, for objects whose size the runtime rounds up, and as far below as what it asked for last:
// a table that grows needs room for its old and its new self.

// SetHook makes hook run after every interval units of work, about a loop iteration or a call each.
// An error it returns ends the run: an *Error as a Lua error scripts may catch, any other one for good.
func (L *State) SetHook(interval int, hook func() error) {
	L.interval, L.hook, L.ticks = interval, hook, interval
}

// SetMemoryLimit bounds the bytes that the values of the next run may hold, 0 for no bound. What the
// globals and whatever else is reachable hold counts too once the run gets near the limit.
func (L *State) SetMemoryLimit(bytes int) {
	L.limit = bytes
	L.refresh()
}

// refresh gives the run the whole limit to use up.
func (L *State) refresh() {
	L.room = L.limit
	if L.limit == 0 {
		L.room = maxInt
	}
}

// Alloc counts n bytes a host function is about to allocate for values; it throws "not enough memory"
// when the run would exceed its limit. Call it before the allocation, and for the growth of buffers too.
func (L *State) Alloc(n int) {
	L.room -= n
	if L.room < 0 {
		L.settle(n)
	}
}

// Hold is Alloc for memory that no value refers to yet, such as a buffer, as long as that is needed
// while Lua code may run. Release ends it; an error does so too.
func (L *State) Hold(n int) {
	L.pinned += n
	L.Alloc(n)
}

// holdStack is Hold for a stack segment. Arguments on their way to it are in no frame yet, so live
// memory cannot be measured now.
func (L *State) holdStack(n int) {
	L.pinned += n
	L.room -= n
	if L.limit > 0 && L.pinned > L.limit {
		L.Throw(notEnoughMemory)
	}
}

// Release ends what Hold began.
func (L *State) Release(n int) {
	L.pinned -= n
	L.room += n
}

// Tick counts n units of work, about a loop iteration each, of a long host function. It runs the hook
// when due, which may end the script.
func (L *State) Tick(n int) {
	L.ticks -= n
	if L.ticks < 0 {
		L.tock()
	}
}

// work counts the handling of n bytes of strings. The hook waits for the next tick.
func (L *State) work(n int) { L.ticks -= n >> 8 }

// workOnKey counts the look-up of k, if it is a string.
func (L *State) workOnKey(k Value) {
	if k.IsString() {
		L.work(len(k.str()))
	}
}

// workOnDigits counts the conversion of v, if it is a string, to a number.
func (L *State) workOnDigits(v Value) {
	if v.IsString() {
		L.work(16 * len(v.str()))
	}
}

// tock runs the hook.
func (L *State) tock() {
	L.ticks = L.interval
	if L.hook == nil {
		return
	}
	err := L.hook()
	if err == nil {
		return
	}
	if lua := (*Error)(nil); errors.As(err, &lua) {
		L.Throw(lua.Value)
	}
	L.Abort(err)
}

// settle measures what the run still holds, because its allowance, n bytes just asked for included, is
// used up. What is left of the limit becomes the next allowance; too small a rest counts as none, or a
// run near its limit would do nothing but measure.
func (L *State) settle(n int) {
	if L.limit == 0 {
		L.room = maxInt
		return
	}
	if n <= L.limit {
		L.room = L.limit - L.measure() - L.pinned - n
	}
	if n > L.limit || L.room < L.limit/16 {
		L.room = 0
		L.Throw(notEnoughMemory)
	}
}

var notEnoughMemory = String("not enough memory")

// held returns about how many bytes the run has come to hold.
func (L *State) held() int {
	if L.limit == 0 {
		return maxInt - L.room
	}
	return L.limit - L.room
}

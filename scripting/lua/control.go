package lua

import "errors"

// Control over a run: how long it takes and how much it holds.
//
// Time is counted in ticks. The counters cost 1 to 2 % of a script's time. 10,000 ticks take 0.03
// to 4 ms, in code and in library functions: what handles megabytes ticks in between (see Piece and
// tickOn). Two things remain one step, because the Go runtime does them in one: clearing the memory
// of a table that grows or that sort needs, 0.1 to 0.5 ns for each byte, and comparing a string
// with a key of the same length.
//
// Memory is counted when it is allocated. Garbage counts too until the allowance is used up: then
// the live values are measured, and the rest of the limit is the next allowance. A run that was
// refused memory holds at most 7 % more than its limit, because Go rounds the sizes of objects up,
// and at least the limit less its last request: a table that grows needs room for its old and its
// new self. A run that borrows has a limit that grows.

// SetHook makes hook run after every interval units of work, about a loop iteration or a call each.
// An error it returns ends the run: an *Error as a Lua error scripts may catch, any other one for
// good.
func (L *State) SetHook(interval int, hook func() error) {
	L.interval, L.hook, L.ticks = interval, hook, interval
}

// SetMemoryLimit bounds the bytes that the values of the next run may hold, 0 for no bound. What
// the globals and everything else reachable hold counts too once the run gets near the limit.
func (L *State) SetMemoryLimit(bytes int) {
	L.limit, L.lend = bytes, nil
	L.refresh()
}

// Borrow makes the limit of the next run what it needs, of memory that it shares with others: lend
// returns how many bytes more the run may hold, between least and most, or 0. What is reachable now
// needs some, too; Borrow reports false if it gets none.
func (L *State) Borrow(lend func(least, most int) int) bool {
	L.limit, L.lend = 0, lend
	held := L.measure() + L.pinned
	L.room = L.borrow(held+leastLoan) - held
	return L.limit > 0
}

// leastLoan is what a run borrows at first, beyond what it holds already.
const leastLoan = 64 << 10

// borrow makes the limit at least so much greater that n bytes more are affordable, and about twice
// as great if it can. It returns by how much, or 0.
func (L *State) borrow(n int) (more int) {
	if L.lend != nil {
		least := n + (L.limit+n)/8
		more = L.lend(least, max(least, L.limit))
	}
	L.limit += more
	return more
}

// refresh gives the run the whole limit to use up.
func (L *State) refresh() {
	L.room = L.limit
	if L.limit == 0 {
		L.room = maxInt
	}
}

// Alloc counts n bytes a host function is about to allocate for values; it throws "not enough
// memory" when the run would exceed its limit. Call it before the allocation, and for the growth of
// buffers too.
func (L *State) Alloc(n int) {
	L.room -= n
	if L.room < 0 {
		L.settle(n)
	}
}

// Hold is Alloc for memory that no value refers to yet, such as a buffer that lives while Lua code
// may run: measuring would not find it. Release ends it; an error does so too.
func (L *State) Hold(n int) {
	L.pinned += n
	L.Alloc(n)
}

// holdStack is Hold for a stack segment. Arguments on their way to it are in no frame yet, so live
// memory cannot be measured now.
func (L *State) holdStack(n int) {
	L.pinned += n
	L.room -= n
	if over := L.pinned - L.limit; L.limit > 0 && over > 0 && L.borrow(over) == 0 {
		L.Throw(notEnoughMemory)
	}
}

// Release ends what Hold began.
func (L *State) Release(n int) {
	L.pinned -= n
	L.room += n
}

// Tick counts n units of work, about a loop iteration each, of a long host function. It runs the
// hook when due, which may end the script.
func (L *State) Tick(n int) {
	L.ticks -= n
	if L.ticks < 0 {
		L.tock()
	}
}

// tickOn is Tick(1) for turn i of a loop whose turns take less than a call of Tick: it counts many
// at a time. A nil State counts nothing.
func (L *State) tickOn(i int) {
	if i&(manyTurns-1) == manyTurns-1 {
		L.tickMany()
	}
}

// manyTurns is how many turns tickOn counts at a time.
const manyTurns = 1 << 12

// tickMany counts many turns. Not inlined: a slow path, so that tickOn is inlined into its loops.
//
//go:noinline
func (L *State) tickMany() {
	if L != nil {
		L.Tick(manyTurns)
	}
}

// ticksOfCode counts the compilation of n tokens, expressions or statements. A nil State counts
// nothing.
func (L *State) ticksOfCode(n int) {
	if L != nil {
		L.Tick(8 * n)
	}
}

// work counts the handling of n bytes of strings. It does not run the hook, so it is safe where a
// value is held in no slot; the next tick does.
func (L *State) work(n int) { L.ticks -= n >> 8 }

// workOnKey counts the look-up of k, if it is a string.
func (L *State) workOnKey(k Value) {
	if k.IsString() {
		L.work(len(k.str()))
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

// settle measures what the run still holds, because its allowance is used up by the n bytes just
// requested. The rest of the limit becomes the next allowance. A rest below a sixteenth counts as
// none: with small ones a run near its limit would do nothing but measure.
func (L *State) settle(n int) {
	if L.limit == 0 {
		L.room = maxInt
		return
	}
	for !L.affords(n) {
		if L.borrow(n) == 0 {
			L.room = 0
			L.Throw(notEnoughMemory)
		}
	}
}

// affords measures what the run holds, sets the next allowance, and reports whether it is worth
// while with n bytes more.
func (L *State) affords(n int) bool {
	if n <= L.limit {
		L.room = L.limit - L.measure() - L.pinned - n
	}
	return n <= L.limit && L.room >= L.limit/16
}

var notEnoughMemory = String("not enough memory")

// held returns about how many bytes the run has come to hold.
func (L *State) held() int {
	if L.limit == 0 {
		return maxInt - L.room
	}
	return L.limit - L.room
}

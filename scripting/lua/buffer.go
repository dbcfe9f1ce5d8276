package lua

import "unsafe"

// Buffer gathers a string whose length is not known beforehand. A library keeps one and lends its
// memory to the Buffer of each call. Memory beyond what was lent counts against the memory limit:
// append to Text, and call Grow before or Settle after it.
type Buffer struct {
	Text    []byte
	counted int // capacity that was lent or counts
	held    int // bytes that count
}

const (
	// keptBuffer is the capacity kept for the next call.
	keptBuffer = 256 << 10
	// MaxUnsettled is the most that may be appended between two calls of Settle.
	MaxUnsettled = 4 << 10
)

// Lend gives b's memory, empty, to a new buffer. A call that starts before Finish returns the
// memory gets none and allocates.
func (b *Buffer) Lend(to *Buffer) {
	to.Text, to.counted = b.Text[:0], max(cap(b.Text), 512)
	b.Text = nil
}

// giveBack returns the memory of from to b, and the memory that from counted to the limit.
func (b *Buffer) giveBack(L *State, from *Buffer) {
	if cap(from.Text) <= keptBuffer {
		b.Text = from.Text
	}
	if from.held > 0 {
		L.Release(from.held)
	}
}

// Grow makes room for n more bytes and counts it.
func (b *Buffer) Grow(L *State, n int) {
	if n += len(b.Text); n <= cap(b.Text) {
		return
	}
	n = max(n, cap(b.Text)+cap(b.Text)/4, 256)
	b.count(L, n)
	b.Text = L.Append(room(n), unsafe.String(unsafe.SliceData(b.Text), len(b.Text))) // only read, and dropped
}

// Settle counts the memory that append took for small pieces. If the text is long it makes room for
// the next ones, because append would copy megabytes without a tick.
func (b *Buffer) Settle(L *State) {
	if cap(b.Text) > b.counted || len(b.Text) > Piece {
		b.settleLong(L)
	}
}

// settleLong is the rare part of Settle, apart so that the rest is inlined.
func (b *Buffer) settleLong(L *State) {
	b.count(L, cap(b.Text))
	if len(b.Text) > Piece {
		b.Grow(L, MaxUnsettled)
	}
}

// count counts a capacity, less what was counted before. Buffers are held, not allocated: no value
// refers to them yet.
func (b *Buffer) count(L *State, capacity int) {
	if more := capacity - b.counted; more > 0 {
		b.counted = capacity
		b.held += more
		L.Hold(more)
	}
}

// Append appends s, with ticks if it is long.
func (b *Buffer) Append(L *State, s string) {
	b.Grow(L, len(s))
	b.Text = L.Append(b.Text, s)
}

// Finish returns the text as a value and gives the memory back to owner, unless it is so large that
// it becomes the value itself. b must not be used afterwards.
func (b *Buffer) Finish(L *State, owner *Buffer) Value {
	if cap(b.Text) > keptBuffer && len(b.Text) > cap(b.Text)/2 {
		b.Settle(L)
		L.work(2 * len(b.Text))
		L.pinned -= b.held
		return Bytes(b.Text)
	}
	L.work(len(b.Text))
	owner.giveBack(L, b)
	return L.CopyString(b.Text)
}

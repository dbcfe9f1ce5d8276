package journal

import (
	"sync"
	"sync/atomic"
)

// buffer is what was appended and not written yet. Offsets count the bytes that were ever appended.
type buffer struct {
	mu       sync.Mutex
	pending  []byte
	spare    []byte // for when pending is being written
	db       int    // selected at the end of pending; -1 if none is
	stamped  int64  // the time of the last annotation, in seconds
	stamping bool
	began    int64       // when the first of pending was appended; microseconds
	ripe     atomic.Bool // it has waited long enough: the event loops are to write it
	appended atomic.Int64
	written  atomic.Int64
	synced   atomic.Int64
}

const (
	maxSpare = 1 << 20  // bytes of a buffer that is kept
	maxAhead = 64 << 20 // bytes in the buffer beyond which replies wait, so that the disk keeps up

	ripeAfter = 10_000 // microseconds
)

// append takes a change in. It is called under the engine's lock.
func (j *Journal) append(db int, args [][]byte) {
	b := &j.buffer
	b.mu.Lock()
	before, now := len(b.pending), j.engine.Micros()
	if before == 0 {
		b.began = now
	} else if now-b.began > ripeAfter {
		b.ripe.Store(true)
	}
	if b.stamping {
		b.stamp(now / 1e6)
	}
	if db != b.db {
		b.db = db
		b.pending = appendSelect(b.pending, db)
	}
	b.pending = appendCommand(b.pending, args)
	b.appended.Add(int64(len(b.pending) - before))
	b.mu.Unlock()
	if before == 0 {
		j.poke()
	}
}

// stamp notes the time, once a second.
func (b *buffer) stamp(unix int64) {
	if unix > b.stamped {
		b.stamped = unix
		b.pending = appendTimestamp(b.pending, unix)
	}
}

// take hands out what is pending, to be given back with release. It returns the offset of its end.
func (b *buffer) take() (text []byte, end int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, b.pending, b.spare = b.pending, b.spare[:0], nil
	b.ripe.Store(false)
	return text, b.appended.Load()
}

// cut is take for the end of a file: the next change selects its database anew.
func (b *buffer) cut() (text []byte, end int64) {
	text, end = b.take()
	b.mu.Lock()
	b.db = -1
	b.mu.Unlock()
	return text, end
}

// release gives a buffer back that was taken and is written.
func (b *buffer) release(text []byte) {
	if cap(text) <= maxSpare {
		b.mu.Lock()
		b.spare = text[:0]
		b.mu.Unlock()
	}
}

// length returns the bytes that are not written yet.
func (b *buffer) length() int64 { return b.appended.Load() - b.written.Load() }

package journal

import "sync/atomic"

// blocks is commands in blocks, each of which ends with a whole one.
type blocks [][]byte

// buffer is what was appended and not written yet. Offsets count the bytes that were ever appended. All but
// the atomic fields is under the engine's lock.
type buffer struct {
	full     blocks // blocks
	last     []byte // the block that is being filled
	free     blocks // blocks that were written
	db       int    // selected at the end of it; -1 if none is
	stamped  int64  // the time of the last annotation, in seconds
	stamping bool
	began    int64       // when the first of it was appended; microseconds
	due      atomic.Bool // it is a block or has waited: the event loops are to write it
	appended atomic.Int64
	written  atomic.Int64
	synced   atomic.Int64
}

const (
	blockBytes = 64 << 10 // from which on a block is full: more would leave the processor's cache before it is written
	blockRoom  = blockBytes + 8<<10
	maxFree    = 16       // blocks
	maxAhead   = 64 << 20 // bytes in the buffer beyond which replies wait, so that the disk keeps up
	dueAfter   = 10_000   // microseconds
)

// append takes a change in. It is called under the engine's lock.
func (j *Journal) append(db int, args [][]byte) {
	b, now := &j.buffer, j.engine.Micros()
	first, before := len(b.last) == 0 && len(b.full) == 0, len(b.last)
	if b.stamping {
		b.stamp(now / 1e6)
	}
	if db != b.db {
		b.db = db
		b.last = appendSelect(b.last, db)
	}
	b.last = appendCommand(b.last, args)
	b.appended.Store(b.appended.Load() + int64(len(b.last)-before))
	if first {
		b.began = now
		j.wakeUp()
	}
	if len(b.last) >= blockBytes {
		b.full, b.last = append(b.full, b.last), b.block()
	}
	if (len(b.full) > 0 || now-b.began > dueAfter) && !b.due.Load() {
		b.due.Store(true)
	}
}

// stamp notes the time, once a second.
func (b *buffer) stamp(unix int64) {
	if unix > b.stamped {
		b.stamped = unix
		b.last = appendTimestamp(b.last, unix)
	}
}

// block returns an empty block.
func (b *buffer) block() []byte {
	if n := len(b.free); n > 0 {
		block := b.free[n-1]
		b.free = b.free[:n-1]
		return block
	}
	return make([]byte, 0, blockRoom)
}

// drain hands out what is there and the offset of its end, and takes back what was handed out earlier and
// is not needed any more. It is called under the engine's lock.
func (b *buffer) drain(used blocks) (t blocks, end int64) {
	for _, block := range used {
		if cap(block) <= 2*blockRoom && len(b.free) < maxFree {
			b.free = append(b.free, block[:0])
		}
	}
	t = b.full
	if len(b.last) > 0 {
		t = append(t, b.last)
		b.last = b.block()
	}
	clear(used)
	b.full = used[:0]
	b.due.Store(false)
	return t, b.appended.Load()
}

// endFile is drain for the end of a file: the next change selects its database anew.
func (b *buffer) endFile() (t blocks, end int64) {
	b.db = -1
	return b.drain(nil)
}

// length returns the bytes that are not written yet.
func (b *buffer) length() int64 { return b.appended.Load() - b.written.Load() }

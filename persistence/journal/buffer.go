package journal

import (
	"io"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// blocks is text of the journal. Each block ends with a complete command.
type blocks [][]byte

// writeTo writes the text to a file.
func (t blocks) writeTo(w io.Writer) error {
	for _, block := range t {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// buffer holds what was appended and not written yet. Offsets count all bytes ever appended. The
// engine's lock guards all fields but the atomic ones.
type buffer struct {
	full     blocks // blocks
	last     []byte // the block being filled
	free     blocks // free list: written blocks whose memory is used again
	db       int    // selected at the end; -1 for none
	stamped  int64  // the time of the last annotation, in seconds
	stamping bool
	sealed   bool   // what was appended lately belongs to the next file; tail is the text before that
	tail     blocks // up to the offset tailEnd
	tailEnd  int64
	began    int64       // when its first command was appended; microseconds
	due      atomic.Bool // it is large or old enough for an event loop to write it
	appended atomic.Int64
	written  atomic.Int64
	synced   atomic.Int64
}

const (
	blockBytes = 64 << 10 // of a full block: more would leave the processor's cache before it is written
	blockRoom  = blockBytes + 8<<10
	maxFree    = 16       // blocks
	maxAhead   = 64 << 20 // bytes in the buffer beyond which replies wait for the disk
	dueAfter   = 10_000   // microseconds
)

// append adds a change to the buffer. It is called under the engine's lock.
func (j *Journal) append(db int, args [][]byte) {
	if j.opts.Stream != nil {
		j.opts.Stream().Count()
	}
	if first := j.buffer.put(j.engine.Home().Micros(), db, args); first {
		j.wakeUp()
	}
}

// put adds a change at a time in microseconds, and reports whether it is the first since the buffer
// was drained.
func (b *buffer) put(now int64, db int, args [][]byte) (first bool) {
	first = len(b.last) == 0 && len(b.full) == 0
	before := len(b.last)
	if b.stamping {
		b.stamp(now / 1e6)
	}
	if db != b.db && db != engine.AnyDB {
		b.db = db
		b.last = appendSelect(b.last, db)
	}
	b.last = appendCommand(b.last, args)
	b.appended.Store(b.appended.Load() + int64(len(b.last)-before))
	if first {
		b.began = now
	}
	if len(b.last) >= blockBytes {
		b.full, b.last = append(b.full, b.last), b.block()
	}
	if (len(b.full) > 0 || now-b.began > dueAfter) && !b.due.Load() {
		b.due.Store(true)
	}
	return first
}

// stamp appends a timestamp annotation, at most once a second.
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

// drain takes the text for the file in use out of the buffer: all, or what came before seal. It
// returns the text, which the caller owns, and the offset of its end. used is text of an earlier
// drain that was written; its blocks go to the free list. drain is called under the engine's lock.
func (b *buffer) drain(used blocks) (t blocks, end int64) {
	for _, block := range used {
		if cap(block) <= 2*blockRoom && len(b.free) < maxFree {
			b.free = append(b.free, block[:0])
		}
	}
	if b.sealed {
		t, b.tail = b.tail, nil
		return t, b.tailEnd
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

// seal ends the text of the file in use. What is appended from now on belongs to the next file, and
// begins with a SELECT. It is called under the engine's lock, like unseal.
func (b *buffer) seal() {
	b.db = -1
	b.tail, b.tailEnd = b.drain(nil)
	b.sealed = true
}

// unseal makes all text that of the file in use. What was appended since seal is dropped unless it
// is kept.
func (b *buffer) unseal(keep bool) {
	if !keep {
		b.full, b.last, b.db = nil, b.last[:0], -1
		b.appended.Store(b.tailEnd)
	}
	b.full, b.tail, b.sealed = append(b.tail, b.full...), nil, false
}

// length returns how many bytes are not written yet.
func (b *buffer) length() int64 { return b.appended.Load() - b.written.Load() }

// memory returns the bytes that the buffer takes: the text that is not written yet, and room for
// more.
func (b *buffer) memory() int {
	n := int(b.length()) + cap(b.last) - len(b.last)
	for _, block := range b.free {
		n += cap(block)
	}
	return n
}

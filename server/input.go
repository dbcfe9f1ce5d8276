package server

import (
	"math"
	"slices"
	"sync"
	"unsafe"
)

// input is what a connection has received and its session has not executed.
//
//	full: │ command │ │ ...mand │    buf: │ executed │ unfinished command │ not parsed │ room │
//	                                                 from                 at           len    cap
//
// Most reads bring complete commands. They are executed in the event loop's own buffer, and nothing
// is kept. The rest of a read is copied here. When buf is full, only the bytes that are not parsed
// move to the next buffer. So a command costs O(bytes) in any number of reads, and its memory grows
// with the bytes that came, not with the lengths that it announces. The arguments of an unfinished
// command are bytes without slices, which the garbage collector would follow at each of its cycles:
// a second pass makes the slices when the command is complete. Those of the first pass are in one
// slice that each read reuses. The zero value is empty.
type input struct {
	request          // the unfinished command
	chunk            // the buffer that bytes are added to; its buf is nil if all is executed
	at      int      // the bytes of buf before it are parsed
	full    []chunk  // the buffers before it, with the beginning of the unfinished command
	spent   [][]byte // buffers to which only complete commands refer
	held    int      // capacity of the buffers in full and spent
	silent  bool     // nothing was added since shrink
	waiting *buffers // a batch that is not executed to its end, because the session was blocked
}

// chunk is a buffer with a piece of the unfinished command.
type chunk struct {
	buf   []byte
	from  int     // where the piece begins
	begin request // the parser's state there
}

// nothing is the input of all connections that keep none: so an idle one does without. It is only
// read.
var nothing input

var inputs = sync.Pool{New: func() any { return new(input) }}

// empty reports whether nothing is left to execute and no command has begun.
func (in *input) empty() bool { return in.buf == nil && in.waiting == nil }

// backlog returns the number of bytes that are not parsed.
func (in *input) backlog() int { return len(in.buf) - in.at }

// expected returns how many bytes the argument that is being read has, if that is known.
func (in *input) expected() int {
	if in.left == 0 || !in.sized {
		return 0
	}
	return in.size + len("\r\n")
}

// room returns memory behind what has arrived, for the rest of the argument that is being read or a
// part of it; nothing if its length is not known. received appends the bytes that were put there.
func (in *input) room() []byte {
	missing := in.expected() - in.backlog()
	if missing <= 0 {
		return nil
	}
	if len(in.buf) == cap(in.buf) {
		in.grow(min(missing, batchBytes))
	}
	room := in.buf[len(in.buf):cap(in.buf)]
	return room[:min(missing, len(room))]
}

// received appends n bytes that room has got.
func (in *input) received(n int) {
	in.silent = false
	in.buf = in.buf[:len(in.buf)+n]
}

// add appends bytes that have arrived.
func (in *input) add(data []byte) {
	in.silent = in.silent && len(data) == 0
	if len(data) > cap(in.buf)-len(in.buf) {
		in.grow(len(data))
	}
	in.buf = append(in.buf, data...)
}

// start keeps an unfinished command from another buffer, of which the first bytes are parsed.
func (in *input) start(r request, data []byte, parsed int) {
	in.request, in.at = r, parsed
	in.args = nil // the slice belongs to the other buffer
	in.chunk = chunk{buf: append(newInput(len(data), in.expected()), data...)}
}

// grow makes room for n bytes. Each byte moves a bounded number of times, because the room is at
// least as large as what moves.
func (in *input) grow(n int) {
	if live := len(in.buf) - in.from; in.waiting == nil && live+max(live, n) <= cap(in.buf) {
		in.gather(in.buf[:0])
		return
	}
	rest := in.buf[in.at:]
	room := len(rest) + max(len(rest), n)
	if in.sized {
		room = max(len(rest)+n, min(room, in.expected()))
	}
	next := append(newInput(room, in.expected()), rest...)
	in.setAside()
	if in.waiting == nil {
		in.free()
	}
	in.buf, in.from, in.at = next, 0, 0
}

// setAside keeps the piece of the unfinished command that is in buf. A piece that takes little of
// buf is copied, so that buf need not be kept for it.
func (in *input) setAside() {
	c := chunk{in.buf[:in.at], in.from, in.begin}
	piece := c.buf[c.from:]
	if in.left == 0 || len(piece) == 0 {
		in.spend(c.buf)
		return
	}
	if in.begin = in.request; len(piece) <= cap(c.buf)/2 {
		in.spend(c.buf)
		c.buf, c.from = slices.Clip(slices.Clone(piece)), 0
	}
	in.held += cap(c.buf)
	in.full = append(in.full, c)
}

// spend gives up a buffer to which the unfinished command does not refer.
func (in *input) spend(b []byte) {
	in.held += cap(b)
	in.spent = append(in.spent, b)
}

// free returns the buffers that are spent to the pool. No command may refer to them.
func (in *input) free() {
	for _, b := range in.spent {
		in.held -= cap(b)
		freeInput(b)
	}
	in.spent = nil
}

// gather moves the unfinished command and the bytes behind it to the front of another buffer, or of
// buf itself.
func (in *input) gather(to []byte) {
	in.buf = append(to, in.buf[in.from:]...)
	in.from, in.at = 0, in.at-in.from
}

// next returns the next batch: the rest of the one that waits, or one that it parses. pooled
// reports whether the batch may return to the pool, which must not keep large buffers alive.
func (in *input) next(lim limits) (t *buffers, pooled bool) {
	if t = in.waiting; t != nil {
		in.waiting, t.more = nil, in.backlog() > 0 // bytes may have arrived since it was parsed
		return t, false
	}
	pooled = in.held+cap(in.buf) <= 2*batchBytes
	if t = new(buffers); pooled {
		t = bufferPool.Get().(*buffers)
	}
	t.request = in.request
	before := in.at
	in.at += t.parse(in.buf[before:], lim)
	if in.left > 0 && len(t.commands) > 0 {
		in.complete(&t.batch, before)
	}
	if t.last >= 0 {
		in.from, in.begin = before+t.last, request{}
	}
	if in.request = t.suspend(); pooled {
		in.args = nil // the slice returns to the pool
	}
	return t, pooled
}

// complete puts the arguments that are in the pieces of the first command before position end of
// buf in front of its last ones.
func (in *input) complete(t *batch, end int) {
	args := make([][]byte, 0, in.count)
	for _, c := range append(in.full, chunk{in.buf[:end], in.from, in.begin}) {
		r := c.begin
		r.args = args
		_, _, _ = r.parse(c.buf[c.from:], limits{bulk: math.MaxInt64, authed: true}) // it passed all limits before
		args = r.args
	}
	for _, c := range in.full {
		in.spent = append(in.spent, c.buf)
	}
	args = append(args, t.commands[0]...)
	t.commands[0] = args
	in.full = nil
	if err := browser(args); err != nil {
		t.commands, t.err = t.commands[:0], err
	}
}

// release releases the memory of the commands that are executed: all that are complete.
func (in *input) release() {
	in.free()
	if in.from == len(in.buf) && in.left == 0 {
		freeInput(in.buf)
		in.chunk, in.at = chunk{}, 0
	}
}

// shrink moves an unfinished command to buffers without room, if there is much, and forgets the
// slices of its last read.
func (in *input) shrink() {
	if !in.isRoomy() {
		return
	}
	in.args, in.silent = nil, true
	in.gather(make([]byte, 0, len(in.buf)-in.from))
	for i, c := range in.full {
		in.full[i].buf = append(make([]byte, 0, len(c.buf)), c.buf...)
		in.held += cap(in.full[i].buf) - cap(c.buf)
	}
}

// isRoomy reports whether shrink would release memory.
func (in *input) isRoomy() bool {
	room := cap(in.buf) - len(in.buf) + in.announced() + cap(in.args)*int(argBytes)
	for _, c := range in.full {
		room += cap(c.buf) - len(c.buf)
	}
	return in.waiting == nil && room > maxRoom
}

// memory returns the bytes of the commands that wait, of the room behind them, and of the arguments
// of the unfinished command with the tables of arguments.
func (in *input) memory() (query, free, args int64) {
	query, free, args = int64(in.backlog()), int64(cap(in.buf)-len(in.buf)),
		int64(in.held+in.at)+int64(cap(in.args))*argBytes
	if in.waiting == nil {
		return query, free, args
	}
	query, args = query+args, 0
	for _, a := range in.waiting.commands {
		args += int64(cap(a)) * argBytes
	}
	return query, free, args
}

// announced returns how many bytes of the argument that is being read neither have arrived nor have
// room; as in Redis none if it is small, or after shrink.
func (in *input) announced() int {
	if in.silent || in.waiting != nil || in.expected() < largeArgument {
		return 0
	}
	return max(0, in.expected()-in.backlog()-(cap(in.buf)-len(in.buf)))
}

const (
	maxKept  = 1 << 20  // largest buffer for replies that is kept for another batch, in bytes
	maxInput = 4 << 20  // the same for input
	maxRoom  = 32 << 10 // largest room, in bytes, that an idle connection keeps
	minRoom  = 512      // smallest buffer

	// largeArgument is from how many bytes on an argument counts as soon as its length is known, as
	// in Redis.
	largeArgument = 32<<10 + len("\r\n")

	argBytes = int64(unsafe.Sizeof([]byte(nil))) // of an argument's slice
)

// Buffers for commands that need more than one read, as *[]byte: those of up to batchBytes, and
// larger ones. The rest of each pipeline that is longer than a read is in a small one; as garbage
// those would stay resident until the next collection.
var smallInputs, largeInputs sync.Pool

func inputPool(n int) *sync.Pool {
	if n <= batchBytes {
		return &smallInputs
	}
	return &largeInputs
}

// newInput returns an empty buffer for n bytes. One from the pool may be larger, but not out of all
// proportion to n; and hardly larger than what is expected, so that clients that send the same
// count the same. Smaller ones leave the pool.
func newInput(n, expected int) []byte {
	pool, most := inputPool(n), batchBytes+4*n
	if expected > 0 {
		most = max(batchBytes, max(n, expected)+largePart)
	}
	for {
		b, ok := pool.Get().(*[]byte)
		switch {
		case ok && cap(*b) > most:
			pool.Put(b)
			fallthrough
		case !ok:
			return make([]byte, 0, max(n, minRoom))
		case cap(*b) >= n:
			return (*b)[:0]
		}
	}
}

// freeInput returns a buffer to the pool. Nothing may refer to it.
func freeInput(b []byte) {
	if cap(b) >= minRoom && cap(b) <= maxInput {
		inputPool(cap(b)).Put(&b)
	}
}

// buffers are what a batch needs while it runs. A pool shares them among the connections of all
// loops, so that an idle connection holds none.
type buffers struct {
	batch
	out []byte // for replies
}

var bufferPool = sync.Pool{New: func() any { return &buffers{out: make([]byte, 0, 512)} }}

// largePart is how much must be missing of an argument for another read to pay, in bytes.
const largePart = 16 << 10

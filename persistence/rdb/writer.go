package rdb

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Target is the destination of a snapshot, such as an *os.File. WriteAt is called at most once, for
// a header with another version than the oldest.
type Target interface {
	io.Writer
	io.WriterAt
}

// Records encodes the body of a snapshot: everything between header and end. It does no I/O. So it
// can encode under a lock, and what Take returns can be written without the lock.
type Records struct {
	Encoder
	// Marks selects the access data of keys.
	Marks Access

	db     int      // selected; -1 for none
	blocks [][]byte // full blocks encoded while a command waited; they precede the encoder's buffer
	aside  *Records // keys encoded while a large value pauses; they follow it
}

// NewRecords returns an encoder of an empty body.
func NewRecords(compress bool) *Records {
	r := &Records{Encoder: Encoder{Compress: compress}, db: -1}
	r.full = func(block []byte) { r.blocks = append(r.blocks, block) }
	return r
}

// Aux adds an aux field. Redis skips those that it does not know.
func (r *Records) Aux(name, value string) {
	r.byte(opAux)
	r.string(bytesOf(name))
	r.string(bytesOf(value))
}

// Library adds the source of a library of functions.
func (r *Records) Library(source []byte) {
	r.byte(opFunction)
	r.version = max(r.version, functionsVersion)
	r.string(source)
}

// Sizes adds the number of keys in a database, and of those with a deadline. Readers use it as a
// hint.
func (r *Records) Sizes(db, keys, volatile int) {
	r.selectDB(db)
	r.byte(opResize)
	r.count(keys)
	r.count(volatile)
}

func (r *Records) selectDB(db int) {
	if db != r.db {
		r.db = db
		r.byte(opSelect)
		r.count(db)
	}
}

// Access selects the access data in a snapshot. Redis writes those that its eviction policy uses.
type Access uint8

// The kinds of access data.
const (
	NoMarks Access = iota
	IdleTimes
	Frequencies
)

// Record adds a key that a keyspace.Snapshot emits, at a pace or at once if pace is nil. Keys that
// are added while a large one pauses follow it. O(bytes).
func (r *Records) Record(k *keyspace.Record, pace *keyspace.Pace) {
	if r.pace != nil {
		if r.aside == nil {
			r.aside = NewRecords(r.Compress)
			r.aside.Marks, r.aside.Format = r.Marks, r.Format
		}
		r.aside.Record(k, pace)
		return
	}
	r.pace = pace
	r.record(k)
	r.pace = nil
	if r.aside != nil && r.aside.Len() > 0 {
		r.append(r.aside)
	}
}

func (r *Records) record(k *keyspace.Record) {
	r.selectDB(k.DB)
	if k.Deadline != 0 {
		r.byte(opDeadlineMs)
		r.millis(k.Deadline)
	}
	switch {
	case r.Marks == IdleTimes && k.Idle >= 0:
		r.byte(opIdle)
		r.length(uint64(k.Idle))
	case r.Marks == Frequencies && k.Freq >= 0:
		r.byte(opFreq)
		r.byte(byte(k.Freq))
	}
	if k.Elements != nil {
		r.frozen(k)
		return
	}
	t := r.Format.typeOf(k.Value)
	r.typ(t)
	r.string(bytesOf(k.Key))
	r.value(t, k.Value)
	if v, ok := withAuxDeadlines(k.Value); ok {
		eachElementDeadline(v, r.deadline, r.pace)
	}
}

// frozen encodes key and value of a record that has Elements.
func (r *Records) frozen(k *keyspace.Record) {
	t := r.Format.tableType(k.Value.Type(), k.Elements.Volatile())
	r.typ(t)
	r.string(bytesOf(k.Key))
	r.elements(t, k.Elements)
	k.Elements.Deadlines(r.deadline)
}

// append moves the content of another Records to the end.
func (r *Records) append(more *Records) {
	if len(more.blocks) > 0 {
		r.blocks = append(append(r.blocks, r.buf), more.blocks...)
		r.buf, more.blocks = nil, nil
	}
	r.buf = append(r.buf, more.buf...)
	r.db, r.version = more.db, max(r.version, more.version)
	more.buf, more.db = more.buf[:0], -1
}

// Len returns the least number of bytes that Take returns.
func (r *Records) Len() int {
	if len(r.blocks) > 0 {
		return max(1, len(r.blocks[0]))
	}
	return len(r.buf)
}

// Take returns what was encoded since the last Take, or the first part of it; then Len is not 0
// afterwards. The caller owns the result. It may pass the memory of an earlier result as reuse, for
// what is encoded next.
func (r *Records) Take(reuse []byte) []byte {
	if len(r.blocks) > 0 {
		b := r.blocks[0]
		r.blocks = r.blocks[1:]
		return b
	}
	b := r.buf
	r.buf = reuse[:0]
	return b
}

// Version returns the version of the format that the records encoded so far need.
func (r *Records) Version() int { return max(r.version, r.Format.least()) }

// Writer writes a snapshot.
type Writer struct {
	// NoChecksum leaves the checksum out.
	NoChecksum bool

	to   io.Writer
	head io.WriterAt // to write the header again; nil for NewStream
	at   int64       // offset of the snapshot in the target

	version int // of NewStream
	sum     uint64
	size    int64 // of the body
	err     error
}

// header returns the first bytes of a snapshot.
func header(version int) []byte {
	if version >= oldestValkey {
		return fmt.Appendf(nil, "%s%03d", valkeyMagic, version)
	}
	return fmt.Appendf(nil, "%s%04d", magic, version)
}

// NewWriter begins a snapshot at the current position of a target, which is the offset at.
func NewWriter(to Target, at int64) *Writer {
	w := &Writer{to: to, head: to, at: at}
	_, w.err = to.Write(header(oldest))
	return w
}

// NewStream begins a snapshot on a writer that cannot write its header again. Its version is what
// the records need before the keys. A server that does not know the type of a key refuses the
// snapshot there; to the version alone no reader looks for more.
func NewStream(to io.Writer, version int) *Writer {
	w := &Writer{to: to, version: version}
	_, w.err = to.Write(header(version))
	return w
}

// Write writes a piece of the body.
func (w *Writer) Write(body []byte) error {
	if w.err != nil {
		return w.err
	}
	if !w.NoChecksum {
		w.sum = Sum(w.sum, body)
	}
	w.size += int64(len(body))
	_, w.err = w.to.Write(body)
	return w.err
}

// Size returns the bytes of the body written so far.
func (w *Writer) Size() int64 { return w.size }

// End completes the snapshot with the given version. A snapshot of NewStream keeps its own.
func (w *Writer) End(version int) error {
	_ = w.Write([]byte{opEnd})
	if w.head == nil {
		version = w.version
	} else if w.err == nil && version != oldest {
		_, w.err = w.head.WriteAt(header(version), w.at)
	}
	if w.err != nil {
		return w.err
	}
	sum := uint64(0)
	if !w.NoChecksum {
		sum = shifted(Sum(0, header(version)), w.size) ^ w.sum
	}
	_, w.err = w.to.Write(binary.LittleEndian.AppendUint64(nil, sum))
	return w.err
}

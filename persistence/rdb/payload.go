package rdb

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

const payloadTail = 2 + 8 // version and checksum

// Payload appends the payload of a value, as DUMP replies it, and returns the extended dst.
// O(bytes).
func (e *Encoder) Payload(dst []byte, v keyspace.Value) []byte {
	if d, ok := withAuxDeadlines(v); ok {
		return e.payload(dst, func() { e.volatile(d) })
	}
	return e.payload(dst, func() { e.typed(v) })
}

// typed encodes the type of a value and the value.
func (e *Encoder) typed(v keyspace.Value) {
	t := e.Format.typeOf(v)
	e.typ(t)
	e.value(t, v)
}

// PayloadAt is Payload at a pace, for snapshots that are taken while the data change.
func (e *Encoder) PayloadAt(pace *keyspace.Pace, dst []byte, v keyspace.Value) []byte {
	e.pace = pace
	defer func() { e.pace = nil }()
	return e.Payload(dst, v)
}

// PayloadWithoutDeadlines is Payload without the deadlines of elements. Every Redis can restore it.
func (e *Encoder) PayloadWithoutDeadlines(dst []byte, v keyspace.Value) []byte {
	h, ok := v.(*hash.Hash)
	return e.payload(dst, func() {
		if ok && h.Volatile() > 0 {
			e.typ(typeHash)
			e.pairs(h)
			return
		}
		e.typed(v)
	})
}

func (e *Encoder) payload(dst []byte, body func()) []byte {
	start := len(dst)
	e.buf, e.version = dst, 0
	body()
	dst = e.buf
	e.buf = nil
	return finish(dst, start, max(e.version, e.Format.least()))
}

// finish appends the version and the checksum to a payload that begins at start.
func finish(dst []byte, start, version int) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(version))
	return binary.LittleEndian.AppendUint64(dst, Sum(0, dst[start:]))
}

// ReadablePayload reports whether the version of a payload is read, whatever its checksum.
func ReadablePayload(b []byte, read Versions) bool {
	return len(b) >= payloadTail && read.Has(payloadVersion(b))
}

func payloadVersion(b []byte) int { return int(binary.LittleEndian.Uint16(b[len(b)-payloadTail:])) }

// ValidPayload reports whether the version of a payload is read, and its checksum is valid.
func ValidPayload(b []byte, read Versions) bool {
	return ReadablePayload(b, read) && binary.LittleEndian.Uint64(b[len(b)-8:]) == Sum(0, b[:len(b)-8])
}

// ReadPayload returns the value in a valid payload. The value is suitable for keyspace.DB.Set. It
// is empty only if its type allows that. As Redis it ignores bytes after the value, and a value
// that is cut off goes on in the version and the checksum.
func ReadPayload(b []byte, o Options) (keyspace.Value, error) {
	d := &decoder{Limits: o.Limits, ks: o.Keyspace, buf: b, w: len(b), ownedFrom: wholeText, sanitize: o.Sanitize,
		sanitized: o.Sanitized, refuses: true}
	d.valkey = payloadVersion(b) >= oldestValkey
	var v keyspace.Value
	switch t := d.byte(); {
	case t == typeVolatile:
		v = d.volatile()
	case !d.valkey && !o.Versions.hasType(t):
		d.fail("a value of type %d, which is newer", t)
	default:
		v = d.value(t)
	}
	switch {
	case d.err != nil:
	case v.Type().Vanishes() && v.Len() == 0:
		d.fail("the value is empty")
	}
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

// LibrariesPayload returns the payload of libraries, as FUNCTION DUMP replies it. O(bytes).
func LibrariesPayload(sources [][]byte) []byte {
	r := NewRecords(true)
	for _, source := range sources {
		r.Library(source)
	}
	return finish(r.buf, 0, functionsVersion)
}

// The errors of Libraries.
var (
	ErrNotLibrary = errors.New("something other than a library")
	ErrLibrary    = errors.New("a truncated or damaged library")
	ErrOldLibrary = errors.New("functions as release candidates of Redis 7.0 wrote them")
)

// Libraries returns the sources of the libraries in a valid payload, up to the first error. A
// source is valid until the next iteration.
func Libraries(b []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		d := &decoder{buf: b[:len(b)-payloadTail], ownedFrom: wholeText}
		d.w = len(d.buf)
		for more := true; more && d.r < d.w; {
			switch d.byte() {
			case opFunction:
				source := d.text()
				if d.err != nil {
					yield(nil, ErrLibrary)
					return
				}
				more = yield(source, nil)
			case opFunctionOld:
				yield(nil, ErrOldLibrary)
				return
			default:
				yield(nil, ErrNotLibrary)
				return
			}
		}
	}
}

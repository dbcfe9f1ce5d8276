package rdb

import (
	"encoding/binary"

	"github.com/miniserver-go/miniserver/keyspace"
)

const payloadTail = 2 + 8 // version and checksum

// Payload appends what DUMP replies for a value, and returns it. O(bytes).
func (e *Encoder) Payload(dst []byte, v keyspace.Value) []byte {
	start := len(dst)
	e.buf, e.version = dst, 0
	e.typ(typeOf(v))
	e.value(v)
	dst = binary.LittleEndian.AppendUint16(e.buf, uint16(max(e.version, oldest)))
	e.buf = nil
	return binary.LittleEndian.AppendUint64(dst, Sum(0, dst[start:]))
}

// ValidPayload reports whether the version and the checksum of a payload of DUMP are good.
func ValidPayload(b []byte) bool {
	if len(b) < payloadTail {
		return false
	}
	tail := b[len(b)-payloadTail:]
	return binary.LittleEndian.Uint16(tail) <= Newest && binary.LittleEndian.Uint64(tail[2:]) == Sum(0, b[:len(b)-8])
}

// ReadPayload returns the value in a valid payload, as one for DB.Set; it may be empty only if its type
// lets it.
func ReadPayload(b []byte, o Options) (keyspace.Value, error) {
	d := &decoder{Limits: o.Limits, ks: o.Keyspace, buf: b[:len(b)-payloadTail], lends: wholeText}
	d.w = len(d.buf)
	v := d.value(d.byte())
	switch {
	case d.err != nil:
	case d.r < d.w:
		d.fail("%d bytes follow the value", d.w-d.r)
	case keyspace.TypeOf(v).Vanishes() && v.Len() == 0:
		d.fail("the value is empty")
	}
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

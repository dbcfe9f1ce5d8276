package stream

import (
	"math"
	"strconv"
)

// ID names an entry: a time in milliseconds, and a sequence number within it. The zero ID comes
// before that of any entry.
type ID struct{ Ms, Seq uint64 }

// MaxID is the greatest ID.
var MaxID = ID{math.MaxUint64, math.MaxUint64}

// Before reports whether id is smaller than o.
func (id ID) Before(o ID) bool { return id.Ms < o.Ms || id.Ms == o.Ms && id.Seq < o.Seq }

// IsZero reports whether id is 0-0.
func (id ID) IsZero() bool { return id == ID{} }

// Next returns the ID that follows; ok is false for MaxID.
func (id ID) Next() (next ID, ok bool) {
	switch {
	case id.Seq < math.MaxUint64:
		return ID{id.Ms, id.Seq + 1}, true
	case id.Ms < math.MaxUint64:
		return ID{id.Ms + 1, 0}, true
	}
	return ID{}, false
}

// Prev returns the ID that precedes; ok is false for the zero ID.
func (id ID) Prev() (prev ID, ok bool) {
	switch {
	case id.Seq > 0:
		return ID{id.Ms, id.Seq - 1}, true
	case id.Ms > 0:
		return ID{id.Ms - 1, math.MaxUint64}, true
	}
	return MaxID, false
}

// Append appends the ID as ms-seq to dst and returns it.
func (id ID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, id.Ms, 10)
	return strconv.AppendUint(append(dst, '-'), id.Seq, 10)
}

// String returns the ID as ms-seq.
func (id ID) String() string { return string(id.Append(nil)) }

// plus returns the ID that lies by the given distances behind id, modulo 2^64 as in Redis.
func (id ID) plus(ms, seq int64) ID { return ID{id.Ms + uint64(ms), id.Seq + uint64(seq)} }

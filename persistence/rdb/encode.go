package rdb

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// The elements of the format: numbers, strings, doubles.

// Two bits at the beginning of a length give its size, or say that an encoded string follows
// instead.
const (
	len6     = 0x00 // six bits
	len14    = 0x40 // fourteen, big endian
	len32    = 0x80 // u32 big endian follows
	len64    = 0x81
	encoded  = 0xc0
	encInt8  = 0xc0
	encInt16 = 0xc1
	encInt32 = 0xc2
	encLZF   = 0xc3
)

// Encoder encodes values into a buffer.
type Encoder struct {
	// Compress compresses strings of 21 bytes and more where that makes them shorter.
	Compress bool
	// Format says in which types.
	Format Format
	// Alone says that a value is encoded without the data that it lies among.
	Alone bool

	buf     []byte
	pack    listpack.List // scratch
	version int           // of the format that the encoded types need
	lzf     *lzf
	pace    *keyspace.Pace // at which a large value is encoded
	full    func([]byte)   // takes a full buffer when a command waits; nil if the buffer must not be split
}

func (e *Encoder) byte(b byte) { e.buf = append(e.buf, b) }

func (e *Encoder) length(n uint64) {
	switch {
	case n < 1<<6:
		e.buf = append(e.buf, byte(n))
	case n < 1<<14:
		e.buf = append(e.buf, len14|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		e.buf = binary.BigEndian.AppendUint32(append(e.buf, len32), uint32(n))
	default:
		e.buf = binary.BigEndian.AppendUint64(append(e.buf, len64), n)
	}
}

func (e *Encoder) count(n int) { e.length(uint64(n)) }

// int encodes n as a string.
func (e *Encoder) int(n int64) {
	switch {
	case n >= math.MinInt8 && n <= math.MaxInt8:
		e.buf = append(e.buf, encInt8, byte(n))
	case n >= math.MinInt16 && n <= math.MaxInt16:
		e.buf = binary.LittleEndian.AppendUint16(append(e.buf, encInt16), uint16(n))
	case n >= math.MinInt32 && n <= math.MaxInt32:
		e.buf = binary.LittleEndian.AppendUint32(append(e.buf, encInt32), uint32(n))
	default:
		var digits [20]byte
		e.raw(strconv.AppendInt(digits[:0], n, 10))
	}
}

// raw encodes a string without compression.
func (e *Encoder) raw(b []byte) {
	e.count(len(b))
	e.buf = append(e.buf, b...)
}

const (
	longestInt      = 11 // characters of a 32-bit integer
	leastToCompress = 21 // bytes below which compression is not tried
)

// string encodes a string as an integer, compressed, or as it is, whichever is shortest.
func (e *Encoder) string(b []byte) {
	if len(b) <= longestInt {
		if n, ok := smallInt(b); ok {
			e.int(n)
			return
		}
	}
	switch compress := e.Compress && len(b) >= leastToCompress && !e.pace.Hurry(); {
	case len(b) > piece && e.pace != nil:
		if !compress || !e.compressedInPieces(b) {
			e.count(len(b))
			e.pieces(b)
		}
	case !compress || !e.compressed(b):
		e.raw(b)
	}
}

// smallInt returns the 32-bit integer whose canonical text is b.
func smallInt(b []byte) (n int64, ok bool) {
	if len(b) == 0 || b[0] > '9' || b[0] < '0' && b[0] != '-' {
		return 0, false
	}
	digits := b
	if b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 10 || digits[0] == '0' && len(b) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if b[0] == '-' {
		n = -n
	}
	return n, n >= math.MinInt32 && n <= math.MaxInt32
}

// compressed encodes a string with compression if that is shorter, and reports whether it is.
func (e *Encoder) compressed(b []byte) bool {
	z := e.compressor()
	// The lengths precede the text, but one is known only after compression: leave room for five
	// bytes each.
	start := len(e.buf)
	var room [11]byte
	out, ok := z.compress(append(e.buf, room[:]...), b, len(b), nil)
	if !ok {
		e.buf = out[:start]
		return false
	}
	body := out[start+len(room):]
	e.buf = append(out[:start], encLZF)
	e.count(len(body))
	e.count(len(b))
	e.buf = append(e.buf, body...) // moves down in place
	return true
}

// compressor returns the compressor. Where all is written as a release writes it, it is as slow as
// that.
func (e *Encoder) compressor() *lzf {
	if e.lzf == nil {
		e.lzf = new(lzf)
	}
	e.lzf.hasty = !e.Format.Listpacks
	return e.lzf
}

// piece is how many bytes of a large string are encoded between two calls of yield.
const piece = 8 << 10

// pieces appends bytes, and yields after each piece.
func (e *Encoder) pieces(b []byte) {
	if e.full == nil && e.pace.Hurry() {
		e.buf = slices.Grow(e.buf, len(b))
	}
	for len(b) > 0 {
		n := min(len(b), piece)
		e.buf = append(e.buf, b[:n]...)
		b = b[n:]
		e.yield(n)
	}
}

// compressedInPieces is compressed for large strings. It yields after each piece, and gives up if a
// command waits.
func (e *Encoder) compressedInPieces(b []byte) bool {
	z := e.compressor()
	var done [][]byte
	size := 0
	last, ok := z.compress(nil, b, piece, func(out []byte) (next []byte, more bool) {
		done, size = append(done, out), size+len(out)
		return make([]byte, 0, piece+piece/8), !e.pace.Yield(piece)
	})
	if !ok {
		return false
	}
	e.buf = append(e.buf, encLZF)
	e.count(size + len(last))
	e.count(len(b))
	for _, out := range append(done, last) {
		e.pieces(out)
	}
	return true
}

func (e *Encoder) double(f float64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(f))
}

func (e *Encoder) millis(n int64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(n)) }

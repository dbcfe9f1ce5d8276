package rdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Error is the error of a damaged snapshot or payload.
type Error struct {
	Offset int64 // bytes from the beginning
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset) }

// Cut reports whether the data ended too soon, as they do if a connection breaks.
func (e *Error) Cut() bool { return e.Reason == truncated }

const (
	wholeText = 64 << 10  // longer texts get memory of their own
	blindRoom = 256 << 10 // initial memory of such a text if the source may be shorter than it
)

// decoder reads the elements of the format. What it returns aliases its buffers and is valid until
// the next read, unless owned is true.
type decoder struct {
	Limits
	ks *keyspace.Keyspace // values are views of it

	src   *source // nil if buf holds all the data
	block *block  // of the source, with buf
	buf   []byte
	r, w  int   // end of what was read in buf, and of the data
	base  int64 // offset of buf[0]
	size  int64 // of the source; -1 if unknown
	err   error

	sanitize  bool // these three: see Options
	sanitized *int64
	refuses   bool // RefuseUnknown

	foreign ModuleType // of the value of a module that was read last

	// The source is in Valkey's own versions of the format, in which type numbers from 22 on mean
	// something else.
	valkey bool

	owned     bool   // the text read last belongs to the caller
	ownedFrom int    // a decompressed text longer than this belongs to the caller
	plain     []byte // scratch: a decompressed text
	digits    [20]byte
	first     []byte // scratch: a field, while its value is read
	packed    []byte // scratch: a ziplist or intset being built
	hashes    []uint64
	seen      [few]ziplist.Entry
}

// fail latches an error.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &Error{d.base + int64(d.r), fmt.Sprintf(format, args...)}
		d.w = d.r
	}
}

// truncated is the reason of the Error for a source that ends too soon.
const truncated = "the data end in the middle"

// need makes n bytes available in the buffer, and reports whether that succeeded. n is at most the
// buffer's size.
func (d *decoder) need(n int) bool { return d.w-d.r >= n || d.fill(n) }

// fill reads blocks until n bytes are available.
func (d *decoder) fill(n int) bool {
	for d.err == nil && d.w-d.r < n {
		err := io.EOF
		if d.src != nil {
			err = d.nextBlock()
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			d.fail(truncated)
		default:
			d.err, d.w = err, d.r
		}
	}
	return d.err == nil
}

// nextBlock replaces the buffer by the next block of the source. What is left of the old one moves
// in front of it.
func (d *decoder) nextBlock() error {
	left := d.buf[d.r:d.w]
	d.block = d.src.next(d.block, left)
	at := d.src.head - len(left)
	d.base += int64(d.r - at)
	d.buf, d.r, d.w = d.block.buf, at, len(d.block.buf)
	return d.block.err
}

// sum returns the checksum of all that was read.
func (d *decoder) sum() uint64 { return Sum(d.block.sum, d.buf[d.src.head:d.r]) }

// left returns the number of bytes that the source may still have; math.MaxInt64 if that is
// unknown.
func (d *decoder) left() int64 {
	switch {
	case d.src == nil:
		return int64(d.w - d.r)
	case d.size < 0:
		return math.MaxInt64
	}
	return d.size - d.base - int64(d.r)
}

func (d *decoder) byte() byte {
	if !d.need(1) {
		return 0
	}
	d.r++
	return d.buf[d.r-1]
}

// fixed reads n bytes, at most 16. It returns zeros after an error.
func (d *decoder) fixed(n int) []byte {
	if !d.need(n) {
		return zeros[:n]
	}
	d.r += n
	return d.buf[d.r-n : d.r]
}

var zeros [16]byte

func (d *decoder) double() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.fixed(8)))
}
func (d *decoder) millis() int64 { return int64(binary.LittleEndian.Uint64(d.fixed(8))) }

// lengthOr reads a length, or if enc is not 0 the first byte of an encoded string.
func (d *decoder) lengthOr() (n uint64, enc byte) {
	b := d.byte()
	switch b & 0xc0 {
	case len6:
		return uint64(b), 0
	case len14:
		return uint64(b&0x3f)<<8 | uint64(d.byte()), 0
	case encoded:
		return 0, b
	}
	switch b {
	case len32:
		return uint64(binary.BigEndian.Uint32(d.fixed(4))), 0
	case len64:
		return binary.BigEndian.Uint64(d.fixed(8)), 0
	}
	d.fail("a length begins with the byte %#x", b)
	return 0, 0
}

// length reads a length. Redis takes the number of a string's encoding for one.
func (d *decoder) length() uint64 {
	n, enc := d.lengthOr()
	return n | uint64(enc&^encoded)
}

// count reads a number of elements. It fails if fewer bytes are left, since each element takes a
// byte at least.
func (d *decoder) count() int {
	n := d.length()
	if n > uint64(d.left()) {
		d.fail("%d elements are announced, and fewer bytes are left", n)
		return 0
	}
	return int(n)
}

// text reads a string.
func (d *decoder) text() []byte {
	n, enc := d.lengthOr()
	switch enc {
	case 0:
		return d.read(n)
	case encLZF:
		return d.compressed()
	}
	v, ok := d.encodedInt(enc)
	if !ok {
		d.fail("a string of unknown encoding %#x", enc)
	}
	d.owned = false
	return strconv.AppendInt(d.digits[:0], v, 10)
}

// encodedInt reads the rest of a string that is encoded as an integer. ok is false for other
// encodings.
func (d *decoder) encodedInt(enc byte) (n int64, ok bool) {
	switch enc {
	case encInt8:
		return int64(int8(d.byte())), true
	case encInt16:
		return int64(int16(binary.LittleEndian.Uint16(d.fixed(2)))), true
	case encInt32:
		return int64(int32(binary.LittleEndian.Uint32(d.fixed(4)))), true
	}
	return 0, false
}

// read reads n bytes.
func (d *decoder) read(n uint64) []byte {
	if n > uint64(d.left()) {
		d.fail(truncated)
	}
	if d.err != nil {
		return nil
	}
	if d.owned = n > wholeText; d.owned {
		return d.readLarge(int(n))
	}
	if !d.need(int(n)) {
		return nil
	}
	d.r += int(n)
	return d.buf[d.r-int(n) : d.r : d.r]
}

// readLarge reads n bytes into memory of their own. If the source may have fewer, the memory grows
// with what is read.
func (d *decoder) readLarge(n int) []byte {
	room := n
	if d.left() == math.MaxInt64 {
		room = min(n, blindRoom)
	}
	b := make([]byte, 0, room)
	for len(b) < n && d.err == nil {
		if !d.need(1) {
			return nil
		}
		k := min(n-len(b), d.w-d.r)
		b = append(b, d.buf[d.r:d.r+k]...)
		d.r += k
	}
	if d.err != nil {
		return nil
	}
	return b
}

// compressed reads a compressed string.
func (d *decoder) compressed() []byte {
	size, n := d.length(), d.length()
	if n > size*(lzfLongest/3) || n > math.MaxInt32 {
		d.fail("%d compressed bytes cannot make %d", size, n)
	}
	b := d.read(size)
	if d.err != nil {
		return nil
	}
	dst := d.plain[:0]
	if d.owned = n > uint64(d.ownedFrom); d.owned {
		dst = nil
	}
	out, ok := decompress(dst, b, int(n))
	if !ok && n > 0 { // Redis, whose sign for damage is 0 bytes, takes no text for what it should be
		d.fail("a compressed string is damaged")
		return nil
	}
	if !d.owned {
		d.plain = out
	}
	return out
}

// own returns the text read last in memory that belongs to the caller.
func (d *decoder) own(b []byte) []byte {
	if d.owned {
		return b
	}
	return append(make([]byte, 0, len(b)), b...)
}

// skipText skips a string, and takes no memory for it.
func (d *decoder) skipText() {
	n, enc := d.lengthOr()
	switch enc {
	case 0:
	case encLZF:
		n = d.length()
		d.length() // of the text
	default:
		if _, ok := d.encodedInt(enc); !ok {
			d.fail("a string of unknown encoding %#x", enc)
		}
	}
	d.discard(n)
}

// discard skips n bytes.
func (d *decoder) discard(n uint64) {
	if n > uint64(d.left()) {
		d.fail(truncated)
	}
	for n > 0 && d.need(1) {
		k := min(n, uint64(d.w-d.r))
		d.r += int(k)
		n -= k
	}
}

// scoreText reads a score as text, as the first type of sorted sets has it.
func (d *decoder) scoreText() float64 {
	switch n := d.byte(); n {
	case 253:
		d.fail("a score is not a number")
	case 254:
		return math.Inf(1)
	case 255:
		return math.Inf(-1)
	default:
		f, err := strconv.ParseFloat(string(d.read(uint64(n))), 64)
		if err != nil || math.IsNaN(f) {
			d.fail("a score is not a number")
		}
		return f
	}
	return 0
}

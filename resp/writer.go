package resp

import (
	"math"
	"strconv"
)

// Writer appends replies to one byte buffer, in protocol version 2 or 3.
// The zero Writer is not usable; call NewWriter. It is not safe for concurrent use.
//
// Every method copies its argument and costs O(bytes written). Only growth of the
// buffer allocates, and Reset keeps the buffer.
//
// The buffer is one piece of memory, and a reply may be far larger than the data that it shows. So
// a Writer can have a limit. What would pass it is dropped, and so is everything after it: the
// Writer is full, and its bytes are no reply any more. Positions remain valid. A caller that writes
// as many elements as a client asks for looks at Full.
type Writer struct {
	buf   []byte
	limit int // of len(buf), give or take a header; full if the writer is full
	resp3 bool
	all17 bool // doubles have 17 digits
}

// full is the limit of a full Writer: nothing fits below it.
const full = -1

// deferredHeader is the length of the header that Defer writes: that of an aggregate of 0 to 9
// elements.
const deferredHeader = len("*0\r\n")

// NewWriter returns an empty Writer for protocol version proto, 2 or 3.
func NewWriter(proto int) *Writer { return &Writer{limit: math.MaxInt, resp3: proto >= 3} }

// Proto returns the protocol version, 2 or 3.
func (w *Writer) Proto() int {
	if w.resp3 {
		return 3
	}
	return 2
}

// SetProto changes the protocol version for later calls.
func (w *Writer) SetProto(proto int) { w.resp3 = proto >= 3 }

// SetAll17 lets Double write 17 significant digits for each double, as Redis up to 7.0 does, see
// Format17.
func (w *Writer) SetAll17(on bool) { w.all17 = on }

// Bytes returns the bytes written since Reset. The slice is valid until the Writer's next call.
func (w *Writer) Bytes() []byte { return w.buf }

// Len returns the number of bytes written since Reset.
func (w *Writer) Len() int { return len(w.buf) }

// SetLimit sets the number of bytes that the buffer may hold. A full Writer stays full until
// Restart.
func (w *Writer) SetLimit(n int) {
	if w.limit != full {
		w.limit = max(0, n)
	}
}

// Full reports whether bytes were dropped, because they would have passed the limit.
func (w *Writer) Full() bool { return w.limit == full }

// Room returns how many more bytes fit.
func (w *Writer) Room() int { return max(0, w.limit-len(w.buf)) }

// Fill makes the Writer full, as if bytes had passed the limit.
func (w *Writer) Fill() { w.limit = full }

// Restart is Reset with a new limit, also for a full Writer.
func (w *Writer) Restart(limit int) { w.buf, w.limit = w.buf[:0], limit }

// fits reports whether n more bytes may be written. If not, the Writer is full.
func (w *Writer) fits(n int) bool {
	if len(w.buf)+n <= w.limit {
		return true
	}
	w.limit = full
	return false
}

// Reset discards the bytes written and keeps the buffer, its limit and the protocol version.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// Swap returns the bytes written, which then belong to the caller, and continues with an empty
// buffer in the memory of buf. So a caller can send one buffer while the other fills.
func (w *Writer) Swap(buf []byte) []byte {
	full := w.buf
	w.buf = buf[:0]
	return full
}

// Truncate removes all but the first n bytes. n is an earlier result of Len.
func (w *Writer) Truncate(n int) { w.buf = w.buf[:n] }

// Raw appends bytes that are already in the protocol.
func (w *Writer) Raw(b []byte) {
	if w.fits(len(b)) {
		w.buf = append(w.buf, b...)
	}
}

// raw is Raw for a string.
func (w *Writer) raw(s string) {
	if w.fits(len(s)) {
		w.buf = append(w.buf, s...)
	}
}

// Status writes a simple string such as OK. CR and LF become spaces, as in errors.
func (w *Writer) Status(s string) { w.line('+', s) }

// Error writes an error. Its text begins with a code, as in "ERR syntax error". CR and LF
// become spaces, so that a client's text in an error cannot forge a reply.
func (w *Writer) Error(err error) { w.line('-', err.Error()) }

// Int writes an integer.
func (w *Writer) Int(n int64) { w.header(':', n) }

// Uint writes an integer without sign. Few clients read one above all of int64.
func (w *Writer) Uint(n uint64) {
	if n > math.MaxInt64 {
		w.line(':', strconv.FormatUint(n, 10))
		return
	}
	w.Int(int64(n))
}

// Bulk writes a string of arbitrary bytes. A nil b is the empty string; for nil write Null.
func (w *Writer) Bulk(b []byte) {
	if w.fits(len(b)) {
		w.buf = appendHeader(w.buf, '$', int64(len(b)))
		w.buf = append(w.buf, b...)
		w.crlf()
	}
}

// openHeader is the header of a bulk string while it is written. It has room for the usual lengths.
const openHeader = "$???\r\n"

// OpenBulk begins a bulk string in the Writer's own memory, so that a long one is not copied: the
// caller appends to dst, and passes what it gets to CloseBulk before it writes anything else. Or it
// does not: then nothing was written. Of more than most bytes in dst the Writer would be full.
func (w *Writer) OpenBulk() (dst []byte, most int) {
	dst = append(w.buf, openHeader...)
	return dst, len(dst) + min(w.Room(), math.MaxInt-len(dst))
}

// CloseBulk writes the bulk string that OpenBulk began. If its length is not of three digits, its
// bytes are moved once.
func (w *Writer) CloseBulk(dst []byte) {
	at := len(w.buf)
	from := at + len(openHeader)
	n := len(dst) - from
	if !w.fits(n) {
		return
	}
	var room [24]byte
	head := appendHeader(room[:0], '$', int64(n))
	if more := len(head) - len(openHeader); more > 0 {
		dst = append(dst, room[:more]...)
	}
	copy(dst[at+len(head):], dst[from:from+n])
	copy(dst[at:], head)
	w.buf = dst[:at+len(head)+n]
	w.crlf()
}

// BulkString is Bulk for a string.
func (w *Writer) BulkString(s string) {
	if w.fits(len(s)) {
		w.buf = appendHeader(w.buf, '$', int64(len(s)))
		w.buf = append(w.buf, s...)
		w.crlf()
	}
}

// Command writes a request: an array of bulk strings.
func (w *Writer) Command(args ...string) {
	w.Array(len(args))
	for _, arg := range args {
		w.BulkString(arg)
	}
}

// Null writes nil: a null bulk string in RESP2, null in RESP3.
func (w *Writer) Null() {
	if w.resp3 {
		w.raw("_\r\n")
		return
	}
	w.raw("$-1\r\n")
}

// NullArray writes nil in place of an array: a null array in RESP2, null in RESP3.
func (w *Writer) NullArray() {
	if w.resp3 {
		w.raw("_\r\n")
		return
	}
	w.raw("*-1\r\n")
}

// Array opens an array; the caller writes its n elements next.
func (w *Writer) Array(n int) { w.header('*', int64(n)) }

// Map opens a map of n pairs; the caller writes key, value, key, value next.
// RESP2 gets an array of 2n elements.
func (w *Writer) Map(n int) {
	kind, n := w.shape('%', n)
	w.header(kind, int64(n))
}

// Set opens a set of n members. RESP2 gets an array.
func (w *Writer) Set(n int) {
	kind, n := w.shape('~', n)
	w.header(kind, int64(n))
}

// Push opens an out-of-band message of n elements. RESP2 gets an array.
func (w *Writer) Push(n int) {
	kind, n := w.shape('>', n)
	w.header(kind, int64(n))
}

// Bool writes a boolean. RESP2 gets the integer 1 or 0.
func (w *Writer) Bool(b bool) {
	switch {
	case w.resp3 && b:
		w.raw("#t\r\n")
	case w.resp3:
		w.raw("#f\r\n")
	case b:
		w.raw(":1\r\n")
	default:
		w.raw(":0\r\n")
	}
}

// Double writes a double, see FormatDouble. RESP2 gets a bulk string.
func (w *Writer) Double(f float64) {
	if !w.resp3 {
		w.BulkDouble(f)
		return
	}
	if w.fits(0) {
		w.buf = append(w.buf, ',')
		w.buf = w.format(w.buf, f)
		w.crlf()
	}
}

// BulkDouble writes a double as a bulk string in both protocol versions.
func (w *Writer) BulkDouble(f float64) {
	var digits [32]byte
	w.Bulk(w.format(digits[:0], f))
}

// format appends a double as Double writes it.
func (w *Writer) format(dst []byte, f float64) []byte {
	if w.all17 {
		return Format17(dst, f)
	}
	return FormatDouble(dst, f)
}

// HumanDouble writes a double without exponent and without trailing zeros, see FormatHuman.
// RESP2 gets a bulk string. GEOPOS uses it up to Redis 7.4.
func (w *Writer) HumanDouble(f float64) {
	var digits [400]byte
	w.DecimalText(FormatHuman(digits[:0], f))
}

// DecimalText writes a double given as decimal digits. RESP2 gets a bulk string.
func (w *Writer) DecimalText(text []byte) {
	if !w.resp3 {
		w.Bulk(text)
		return
	}
	if w.fits(len(text)) {
		w.buf = append(w.buf, ',')
		w.buf = append(w.buf, text...)
		w.crlf()
	}
}

// BigNumber writes an integer of any size given as decimal digits. RESP2 gets a bulk string.
func (w *Writer) BigNumber(s string) {
	if !w.resp3 {
		w.BulkString(s)
		return
	}
	w.line('(', s)
}

// Verbatim writes text with a format hint of three letters, "txt" or "mkd".
// RESP2 gets a bulk string without the hint.
func (w *Writer) Verbatim(ext string, s []byte) {
	if !w.resp3 {
		w.Bulk(s)
		return
	}
	if w.fits(len(s)) {
		w.buf = appendHeader(w.buf, '=', int64(len(s)+4))
		w.buf = append(w.buf, ext[:3]...)
		w.buf = append(w.buf, ':')
		w.buf = append(w.buf, s...)
		w.crlf()
	}
}

// Defer opens an aggregate whose length is not known until its elements are written.
// It returns the position to pass to SetArray, SetMap or SetSet afterwards, or to Truncate
// to cancel the aggregate. Deferred aggregates nest: the inner one is set first.
func (w *Writer) Defer() int {
	at := len(w.buf)
	w.raw("*?\r\n")
	return at
}

// SetArray makes the deferred aggregate at this position an array of n elements.
// Up to nine elements cost O(1); with more, their bytes are moved once.
func (w *Writer) SetArray(at, n int) { w.set(at, '*', n) }

// SetMap makes the deferred aggregate a map of n pairs. RESP2 gets an array of 2n elements.
func (w *Writer) SetMap(at, n int) {
	kind, n := w.shape('%', n)
	w.set(at, kind, n)
}

// SetSet makes the deferred aggregate a set of n members. RESP2 gets an array.
func (w *Writer) SetSet(at, n int) {
	kind, n := w.shape('~', n)
	w.set(at, kind, n)
}

// set writes the header of a deferred aggregate, and moves the bytes after it if the header needs
// more.
func (w *Writer) set(at int, kind byte, n int) {
	if w.Full() {
		return
	}
	var room [24]byte
	head := appendHeader(room[:0], kind, int64(n))
	if more := len(head) - deferredHeader; more > 0 {
		end := len(w.buf)
		w.buf = append(w.buf, room[:more]...)
		copy(w.buf[at+len(head):], w.buf[at+deferredHeader:end])
	}
	copy(w.buf[at:], head)
}

// shape returns the type byte and the number of elements for an aggregate of RESP3.
func (w *Writer) shape(kind byte, n int) (byte, int) {
	switch {
	case w.resp3:
		return kind, n
	case kind == '%':
		return '*', 2 * n
	default:
		return '*', n
	}
}

// header writes a line with a number.
func (w *Writer) header(kind byte, n int64) {
	if w.fits(0) {
		w.buf = appendHeader(w.buf, kind, n)
	}
}

// line writes a line with a text, in which CR and LF become spaces.
func (w *Writer) line(kind byte, text string) {
	if !w.fits(len(text)) {
		return
	}
	w.buf = append(w.buf, kind)
	w.buf = append(w.buf, text...)
	for i, c := range w.buf[len(w.buf)-len(text):] {
		if c == '\r' || c == '\n' {
			w.buf[len(w.buf)-len(text)+i] = ' '
		}
	}
	w.crlf()
}

func (w *Writer) crlf() { w.buf = append(w.buf, '\r', '\n') }

// appendHeader appends a type byte, a number and the line's end. Numbers of one digit, the most
// frequent, are a single append.
func appendHeader(dst []byte, kind byte, n int64) []byte {
	if uint64(n) < 10 {
		return append(dst, kind, '0'+byte(n), '\r', '\n')
	}
	dst = append(dst, kind)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, '\r', '\n')
}

// WireBytes returns the length of a command in the protocol.
func WireBytes(args [][]byte) (n int64) {
	if len(args) == 0 {
		return 0
	}
	head := func(number int) int64 { return int64(len(strconv.Itoa(number)) + len("*\r\n")) }
	n = head(len(args))
	for _, arg := range args {
		n += head(len(arg)) + int64(len(arg)+len("\r\n"))
	}
	return n
}

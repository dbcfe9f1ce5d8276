package timeseries

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/resp"
)

// replyValue replies with the value of a sample. RESP2 gets a status with the text that the module
// makes of it.
func replyValue(w *resp.Writer, v float64) {
	if w.Proto() >= 3 {
		w.Double(v)
		return
	}
	var text [32]byte
	b := appendValue(text[:0], v)
	w.Status(unsafe.String(unsafe.SliceData(b), len(b)))
}

// mostPlain is the first number that is written with an exponent.
const mostPlain = 1e16

// appendValue appends the shortest text that is read as v again, with an exponent unless it is at
// least 1 and has up to 16 digits before the point, or 17 that all count.
func appendValue(dst []byte, v float64) []byte {
	size := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	case size < mostPlain && v == math.Trunc(v) && (v != 0 || !math.Signbit(v)):
		return strconv.AppendInt(dst, int64(v), 10)
	case size >= 1 && size < mostPlain || v == 0:
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, v, 'E', -1, 64)
	if size >= mostPlain && size < 10*mostPlain && bytes.IndexByte(dst[from:], 'E') >= len("1.2345678901234567") {
		return strconv.AppendInt(dst[:from], int64(v), 10)
	}
	return trimExponent(dst, from)
}

// trimExponent removes the plus and the zeros at the beginning of an exponent.
func trimExponent(dst []byte, from int) []byte {
	at := from
	for dst[at] != 'E' {
		at++
	}
	at++
	keep := at
	if dst[at] == '-' {
		keep++
	}
	digits := at + 1
	for dst[digits] == '0' {
		digits++
	}
	return append(dst[:keep], dst[digits:]...)
}

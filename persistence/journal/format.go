package journal

import (
	"io"
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// The commands of a journal are RESP arrays of bulk strings. SELECT sets the database of those that
// follow. A line that begins with # is an annotation: "#TS:1628217470" is the time of the commands
// after it.

// appendCommand appends a command.
func appendCommand(b []byte, args [][]byte) []byte {
	b = appendLength(b, '*', len(args))
	for _, arg := range args {
		b = appendLength(b, '$', len(arg))
		b = append(b, arg...)
		b = append(b, '\r', '\n')
	}
	return b
}

// appendLength appends a mark and a length as a line. Most lengths have one or two digits, which
// are written directly.
func appendLength(b []byte, mark byte, n int) []byte {
	switch {
	case n < 10:
		return append(b, mark, '0'+byte(n), '\r', '\n')
	case n < 100:
		return append(b, mark, '0'+byte(n/10), '0'+byte(n%10), '\r', '\n')
	}
	b = strconv.AppendInt(append(b, mark), int64(n), 10)
	return append(b, '\r', '\n')
}

// appendWords appends a command with strings as arguments.
func appendWords(b []byte, words ...string) []byte {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return appendCommand(b, args)
}

func appendSelect(b []byte, db int) []byte { return appendWords(b, "SELECT", strconv.Itoa(db)) }

func appendTimestamp(b []byte, unix int64) []byte {
	b = append(b, "#TS:"...)
	b = strconv.AppendInt(b, unix, 10)
	return append(b, '\r', '\n')
}

// newScanner returns a scanner of src, which begins at an offset of a file.
func newScanner(src io.Reader, offset int64) *resp.Scanner {
	s := resp.NewScanner(src, offset)
	s.Between = "#"
	return s
}

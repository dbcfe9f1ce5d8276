package engine

import (
	"bytes"
	"strconv"
)

// IsWord reports whether arg is the given upper-case word in any case.
func IsWord(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		ch := arg[i]
		if 'a' <= ch && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}

// CText returns b up to its first zero byte, where C's printf ends it in Redis' error texts.
func CText(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// Decimal returns n as text.
func Decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// clip cuts an argument for an error text: to at most most bytes, and before a zero byte, where Redis' own
// text ends.
func clip(b []byte, most int) string {
	return CText(b[:min(len(b), most)])
}

// wireBytes returns the length of a command in the protocol.
func wireBytes(args [][]byte) (n int64) {
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

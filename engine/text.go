package engine

import "strconv"

// Decimal returns n as text.
func Decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

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

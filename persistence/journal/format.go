package journal

import "strconv"

// The commands of a journal are RESP arrays of bulk strings. SELECT tells the database of those that
// follow. A line that begins with # is an annotation: "#TS:1628217470" the time of what follows.

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

// appendLength appends the line of a length. Most have a digit or two.
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

// appendWords appends a command whose arguments are texts.
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

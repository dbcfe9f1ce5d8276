package journal

import "strconv"

// The commands of a journal are RESP arrays of bulk strings. SELECT tells the database of those that
// follow. A line that begins with # is an annotation: "#TS:1628217470" the time of what follows.

// appendCommand appends a command.
func appendCommand(b []byte, args [][]byte) []byte {
	b = append(b, '*')
	b = strconv.AppendInt(b, int64(len(args)), 10)
	b = append(b, '\r', '\n')
	for _, arg := range args {
		b = append(b, '$')
		b = strconv.AppendInt(b, int64(len(arg)), 10)
		b = append(b, '\r', '\n')
		b = append(b, arg...)
		b = append(b, '\r', '\n')
	}
	return b
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

package server

import "bytes"

// splitWords splits a line into words with redis-cli's quoting: "..." with the escapes \n \r \t \b \a
// \xHH, and '...' with \' only. A word without quotes and escapes aliases the line. ok is false if a
// quote is not closed, or is followed by anything but a blank.
func splitWords(line []byte, words [][]byte) (_ [][]byte, ok bool) {
	for {
		line = bytes.TrimLeft(line, " \t\n\v\f\r")
		if len(line) == 0 {
			return words, true
		}
		var word []byte
		if word, line, ok = cutWord(line); !ok {
			return words, false
		}
		words = append(words, word)
	}
}

// isBlank reports whether C's isspace is true of ch.
func isBlank(ch byte) bool { return ch == ' ' || '\t' <= ch && ch <= '\r' }

// endsWord reports whether ch ends a word: all blanks but \v and \f.
func endsWord(ch byte) bool { return isBlank(ch) && ch != '\v' && ch != '\f' }

// cutWord takes the first word off a line that does not begin with a blank.
func cutWord(line []byte) (word, rest []byte, ok bool) {
	for i, ch := range line {
		switch {
		case endsWord(ch):
			return line[:i:i], line[i:], true
		case ch == '"' || ch == '\'':
			word, n, ok := cutQuoted(line[i:], bytes.Clone(line[:i]))
			rest := line[i+n:]
			return word, rest, ok && (len(rest) == 0 || isBlank(rest[0]))
		}
	}
	return line[:len(line):len(line)], nil, true
}

// cutQuoted appends what stands between the quotes at the start of s to word, and returns the length
// it took, quotes included.
func cutQuoted(s, word []byte) (_ []byte, n int, ok bool) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		ch, left := s[i], s[i+1:]
		switch {
		case ch == quote:
			return word, i + 1, true
		case ch == '\\' && quote == '"' && len(left) > 2 && left[0] == 'x' && isHex(left[1]) && isHex(left[2]):
			word = append(word, hex(left[1])<<4|hex(left[2]))
			i += 3
		case ch == '\\' && quote == '"' && len(left) > 0:
			word = append(word, unescape(left[0]))
			i++
		case ch == '\\' && len(left) > 0 && left[0] == '\'':
			word = append(word, '\'')
			i++
		default:
			word = append(word, ch)
		}
	}
	return word, len(s), false
}

// unescape returns the byte that a letter stands for after a backslash.
func unescape(letter byte) byte {
	if i := bytes.IndexByte([]byte("nrtba"), letter); i >= 0 {
		return "\n\r\t\b\a"[i]
	}
	return letter
}

func isHex(ch byte) bool { return '0' <= ch && ch <= '9' || 'a' <= ch|0x20 && ch|0x20 <= 'f' }

func hex(ch byte) byte {
	if ch <= '9' {
		return ch - '0'
	}
	return ch | 0x20 - 'a' + 10
}

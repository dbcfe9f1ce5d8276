package resp

import "bytes"

// Words appends the words of a line to words, with the quoting that redis-cli, inline commands and
// redis.conf share: "..." with the escapes \n \r \t \b \a \xHH, as Quote writes them, and '...'
// with \' only. A word without quotes aliases the line. ok is false if a quote is not closed, or is
// followed by anything but a blank.
func Words(line []byte, words [][]byte) (_ [][]byte, ok bool) { return cutWords(line, words, false) }

// JoinedWords is Words as Valkey 9.1 reads a line: what follows a closing quote belongs to the
// word.
func JoinedWords(line []byte, words [][]byte) (_ [][]byte, ok bool) {
	return cutWords(line, words, true)
}

func cutWords(line []byte, words [][]byte, joins bool) (_ [][]byte, ok bool) {
	for {
		line = bytes.TrimLeft(line, " \t\n\v\f\r")
		if len(line) == 0 {
			return words, true
		}
		var word []byte
		if word, line, ok = cutWord(line, joins); !ok {
			return words, false
		}
		words = append(words, word)
	}
}

// isBlank reports whether C's isspace is true of ch.
func isBlank(ch byte) bool { return ch == ' ' || '\t' <= ch && ch <= '\r' }

// endsWord reports whether ch ends a word: a blank other than \v and \f.
func endsWord(ch byte) bool { return isBlank(ch) && ch != '\v' && ch != '\f' }

// cutWord returns the first word of a line that does not begin with a blank, and the rest.
func cutWord(line []byte, joins bool) (word, rest []byte, ok bool) {
	for i, ch := range line {
		switch {
		case endsWord(ch):
			return line[:i:i], line[i:], true
		case ch == '"' || ch == '\'':
			return cutQuotedWord(line[i:], bytes.Clone(line[:i]), joins)
		}
	}
	return line[:len(line):len(line)], nil, true
}

// cutQuotedWord is cutWord for the rest of a word from a quote on; it is appended to what is before
// the quote.
func cutQuotedWord(line, word []byte, joins bool) (_, rest []byte, ok bool) {
	word, n, ok := cutQuoted(line, word)
	rest = line[n:]
	if !ok || !joins {
		return word, rest, ok && (len(rest) == 0 || isBlank(rest[0]))
	}
	more, rest, ok := cutWord(rest, joins)
	return append(word, more...), rest, ok
}

// cutQuoted appends the content of the quoted text at the start of s to word, and returns its
// length with the quotes.
func cutQuoted(s, word []byte) (_ []byte, n int, ok bool) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		ch, left := s[i], s[i+1:]
		switch {
		case ch == quote:
			return word, i + 1, true
		case ch == '\\' && quote == '"' && len(left) > 0:
			escaped, taken := unescape(left)
			word = append(word, escaped)
			i += taken
		case ch == '\\' && len(left) > 0 && left[0] == '\'':
			word = append(word, '\'')
			i++
		default:
			word = append(word, ch)
		}
	}
	return word, len(s), false
}

// unescape returns the byte of the escape sequence whose letters s begins with, and their number.
func unescape(s []byte) (ch byte, n int) {
	if len(s) > 2 && s[0] == 'x' {
		high, ok1 := hexDigit(s[1])
		low, ok2 := hexDigit(s[2])
		if ok1 && ok2 {
			return byte(high<<4 | low), 3
		}
	}
	if i := bytes.IndexByte([]byte("nrtba"), s[0]); i >= 0 {
		return "\n\r\t\b\a"[i], 1
	}
	return s[0], 1
}

func hexDigit(c byte) (uint64, bool) {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10, true
	}
	return 0, false
}

package server

import (
	"bytes"
	"fmt"

	"github.com/tidwall/redcon"

	"github.com/miniserver-go/miniserver/resp"
)

// Limits of the wire, as Redis 7.0 has them.
const (
	maxInline      = 64 << 10  // bytes of an inline command, and of a header line
	maxMultibulk   = 1<<31 - 1 // arguments
	maxPending     = 1 << 30   // bytes of one unfinished command
	unauthedArgs   = 10        // arguments before AUTH
	unauthedBulk   = 16 << 10  // bytes of an argument before AUTH
	protocolPrefix = "ERR Protocol error: "
)

// batch is the complete commands cut off a connection's buffer. Arguments alias the buffer; the
// slices are reused from batch to batch.
type batch struct {
	commands [][][]byte
	ends     []int // where each command ends in the buffer
}

// limits are what a frame is measured against.
type limits struct {
	bulk   int64 // bytes of an argument
	authed bool
}

// cut takes complete commands off the front of buf and returns what is left: the beginning of an
// unfinished command. need is the length that rest must reach before another cut can take more, as
// far as it is known. failure is the protocol error that ends the connection after the commands
// before it, in Redis' words, or "". Empty commands are left out, as Redis ignores them.
func (b *batch) cut(buf []byte, lim limits) (rest []byte, need int, failure string) {
	b.commands, b.ends = b.commands[:0], b.ends[:0]
	total := len(buf)
	for len(buf) > 0 {
		at := len(b.commands)
		args := b.next(at)
		n := 0
		if buf[0] == '*' {
			complete, got, _, left, err := redcon.ReadNextCommand(buf, args)
			if complete && err == nil && (lim.authed || len(got) <= unauthedArgs) {
				args, n = got, len(buf)-len(left)
			} else {
				n, need, failure = inspect(buf, lim)
				args = args[:0]
			}
		} else {
			args, n, failure = inline(buf, args)
		}
		if n == 0 || failure != "" {
			return buf, need, failure
		}
		buf = buf[n:]
		if len(args) > 0 {
			b.commands = append(b.commands, args)
			b.ends = append(b.ends, total-len(buf))
		}
	}
	return nil, 0, ""
}

// next returns the slice for the arguments of command number i.
func (b *batch) next(i int) [][]byte {
	if i < cap(b.commands) {
		return b.commands[:i+1][i][:0]
	}
	return make([][]byte, 0, 8)
}

// inspect walks a frame that could not be read as a whole: it returns the length of a frame without
// arguments, or the length that the buffer must reach, or the protocol error.
func inspect(buf []byte, lim limits) (n, need int, failure string) {
	count, at, failure := header(buf, 1, "multibulk length", "mbulk count string", maxMultibulk)
	switch {
	case failure != "" || at == 0:
		return 0, 0, failure
	case count <= 0:
		return at, 0, ""
	case !lim.authed && count > unauthedArgs:
		return 0, 0, protocolPrefix + "unauthenticated multibulk length"
	}
	for range count {
		if at >= len(buf) {
			return 0, 0, ""
		}
		if buf[at] != '$' {
			return 0, 0, fmt.Sprintf("%sexpected '$', got '%c'", protocolPrefix, buf[at])
		}
		size, next, failure := header(buf, at+1, "bulk length", "bulk count string", lim.bulk)
		switch {
		case failure != "" || next == 0:
			return 0, 0, failure
		case size < 0:
			return 0, 0, protocolPrefix + "invalid bulk length"
		case !lim.authed && size > unauthedBulk:
			return 0, 0, protocolPrefix + "unauthenticated bulk length"
		}
		if at = next + int(size) + 2; at > len(buf) {
			return 0, at, ""
		}
	}
	return 0, 0, protocolPrefix + "invalid bulk length"
}

// header reads a length line from position at and returns it with the position after the line, 0 if
// the line is not complete.
func header(buf []byte, at int, what, long string, most int64) (n int64, next int, failure string) {
	end := bytes.IndexByte(buf[at:], '\r')
	if end < 0 {
		if len(buf)-at > maxInline {
			return 0, 0, protocolPrefix + "too big " + long
		}
		return 0, 0, ""
	}
	if len(buf) < at+end+2 {
		return 0, 0, ""
	}
	n, ok := resp.ParseInt(buf[at : at+end])
	if !ok || n > most {
		return 0, 0, protocolPrefix + "invalid " + what
	}
	return n, at + end + 2, ""
}

// inline reads a command typed as a line of words, the way one does with telnet. n is 0 if the line
// is not complete.
func inline(buf []byte, args [][]byte) (_ [][]byte, n int, failure string) {
	end := bytes.IndexByte(buf, '\n')
	if end < 0 {
		if len(buf) > maxInline {
			return args, 0, protocolPrefix + "too big inline request"
		}
		return args, 0, ""
	}
	line := bytes.TrimSuffix(buf[:end], []byte{'\r'})
	args, ok := splitWords(line, args)
	if !ok {
		return args, 0, protocolPrefix + "unbalanced quotes in request"
	}
	return args, end + 1, ""
}

// splitWords splits a line into words with redis-cli's quoting: "..." with escapes \n \r \t \b \a
// \xHH, and '...' with \' only. ok is false if a quote is not closed or is followed by a letter.
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

func isBlank(ch byte) bool { return ch == ' ' || '\t' <= ch && ch <= '\r' }

// cutWord takes the first word off a line that does not begin with a blank.
func cutWord(line []byte) (word, rest []byte, ok bool) {
	word = []byte{}
	for i := 0; i < len(line); i++ {
		ch := line[i]
		switch {
		case isBlank(ch) || ch == 0:
			return word, line[i:], true
		case ch == '"' || ch == '\'':
			var n int
			if word, n, ok = cutQuoted(line[i:], word); !ok {
				return word, nil, false
			}
			i += n
			return word, line[i:], i == len(line) || isBlank(line[i])
		default:
			word = append(word, ch)
		}
	}
	return word, nil, true
}

// cutQuoted appends what stands between the quotes at the start of s to word and returns the length
// it took, quotes included.
func cutQuoted(s, word []byte) (_ []byte, n int, ok bool) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == quote:
			return word, i + 1, true
		case ch == '\\' && quote == '"' && i+1 < len(s):
			if i+3 < len(s) && s[i+1] == 'x' && isHex(s[i+2]) && isHex(s[i+3]) {
				word = append(word, hex(s[i+2])<<4|hex(s[i+3]))
				i += 3
				continue
			}
			i++
			word = append(word, unescape(s[i]))
		case ch == '\\' && i+1 < len(s) && s[i+1] == '\'':
			i++
			word = append(word, '\'')
		default:
			word = append(word, ch)
		}
	}
	return word, 0, false
}

func unescape(ch byte) byte {
	switch ch {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return ch
}

func isHex(ch byte) bool {
	return '0' <= ch && ch <= '9' || 'a' <= ch|0x20 && ch|0x20 <= 'f'
}

func hex(ch byte) byte {
	if ch <= '9' {
		return ch - '0'
	}
	return ch | 0x20 - 'a' + 10
}

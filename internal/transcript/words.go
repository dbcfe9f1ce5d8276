package transcript

import (
	"errors"
	"strconv"
	"strings"
)

var errQuotes = errors.New("unbalanced quotes")

// words splits a command line into arguments as redis-cli does.
func words(line string) ([]string, error) {
	var args []string
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return args, nil
		}
		arg, rest, err := word(line)
		if err != nil {
			return nil, err
		}
		args, line = append(args, arg), rest
	}
}

// word returns the first argument of a line that does not begin with a space, and the rest.
func word(line string) (arg, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			return b.String(), line[i:], nil
		case '"', '\'':
			n, err := quoted(&b, line[i:])
			if err != nil {
				return "", "", err
			}
			i += n
			if i < len(line) && line[i] != ' ' && line[i] != '\t' {
				return "", "", errQuotes
			}
			i--
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", nil
}

// quoted writes the content of the quoted string at the start of s, and returns its length.
func quoted(b *strings.Builder, s string) (int, error) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return i + 1, nil
		case c == '\\' && quote == '"':
			i += escape(b, s[i+1:])
		case c == '\\' && strings.HasPrefix(s[i+1:], "'"):
			b.WriteByte('\'')
			i++
		default:
			b.WriteByte(c)
		}
	}
	return 0, errQuotes
}

// escape writes the byte of the escape sequence whose letters s begins with, and returns their
// number.
func escape(b *strings.Builder, s string) int {
	if s == "" {
		return 0
	}
	if s[0] == 'x' && len(s) >= 3 {
		if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
			b.WriteByte(byte(n))
			return 3
		}
	}
	if at := strings.IndexByte("nrtba", s[0]); at >= 0 {
		b.WriteByte("\n\r\t\b\a"[at])
		return 1
	}
	b.WriteByte(s[0])
	return 1
}

package server

import (
	"bytes"
	"fmt"

	"github.com/tidwall/redcon"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Redis' limits of the protocol.
const (
	maxLine      = 64 << 10  // bytes of an inline command, and of a line with a length
	maxArgs      = 1<<31 - 1 // arguments of a command
	unauthedArgs = 10        // the same before AUTH
	unauthedBulk = 16 << 10  // bytes of an argument before AUTH
)

// Protocol errors, in Redis' words. Each ends the connection.
const (
	errArgs         = engine.Error("ERR Protocol error: invalid multibulk length")
	errArgsLine     = engine.Error("ERR Protocol error: too big mbulk count string")
	errArgsUnauthed = engine.Error("ERR Protocol error: unauthenticated multibulk length")
	errDollar       = "ERR Protocol error: expected '$', got '%c'"
	errBulk         = engine.Error("ERR Protocol error: invalid bulk length")
	errBulkLine     = engine.Error("ERR Protocol error: too big bulk count string")
	errBulkUnauthed = engine.Error("ERR Protocol error: unauthenticated bulk length")
	errInline       = engine.Error("ERR Protocol error: too big inline request")
	errQuotes       = engine.Error("ERR Protocol error: unbalanced quotes in request")
	// errBrowser ends a connection without a reply: a web page made a browser send an HTTP request here.
	errBrowser = engine.Error("HTTP")
)

// batch is the complete commands of a connection's buffer. Arguments alias the buffer; the slices are
// reused from batch to batch.
type batch struct {
	commands [][][]byte
	ends     []int // offset in the buffer of each command's end
}

// limits are the limits of a command.
type limits struct {
	bulk   int64 // bytes of an argument
	authed bool
}

// parse parses the complete commands at the front of buf and returns the rest: the beginning of an unfinished
// command. need is the length that rest must reach before parsing again can succeed, 0 if unknown. err is the protocol
// error that ends the connection after the commands before it, or nil. Empty commands are skipped, as in Redis.
func (b *batch) parse(buf []byte, lim limits) (rest []byte, need int, err error) {
	b.commands, b.ends = b.commands[:0], b.ends[:0]
	for at := 0; at < len(buf); {
		args, n := b.next(), 0
		if buf[at] == '*' {
			if args, n = fast(buf[at:], args, lim); n == 0 {
				args, n, need, err = multibulk(buf[at:], args, lim)
			}
		} else {
			args, n, err = inline(buf[at:], args)
		}
		if n == 0 || err != nil {
			return buf[at:], need, err
		}
		at += n
		if len(args) > 0 {
			b.commands = append(b.commands, args)
			b.ends = append(b.ends, at)
		}
	}
	return nil, 0, nil
}

// next returns the slice for the arguments of the next command.
func (b *batch) next() [][]byte {
	if i := len(b.commands); i < cap(b.commands) {
		return b.commands[:i+1][i][:0]
	}
	return make([][]byte, 0, 8)
}

// fast parses a complete command at the front of buf with redcon's reader. Its length is 0 if multibulk must decide:
// the command is not complete, exceeds a limit, or is written in a way that redcon accepts and Redis does not,
// such as a length of 03.
func fast(buf []byte, args [][]byte, lim limits) (_ [][]byte, n int) {
	complete, got, _, rest, err := redcon.ReadNextCommand(buf, args)
	n = len(buf) - len(rest)
	if !complete || err != nil || !lim.authed || int64(n) > lim.bulk || n != written(got) {
		return args[:0], 0
	}
	return got, n
}

// written returns the length of a command as clients write it.
func written(args [][]byte) int {
	n := len("*\r\n") + digits(len(args))
	for _, arg := range args {
		n += len("$\r\n\r\n") + digits(len(arg)) + len(arg)
	}
	return n
}

func digits(n int) (d int) {
	for d = 1; n >= 10; n /= 10 {
		d++
	}
	return d
}

// multibulk parses a command at the front of buf: *2 $3 get $1 k. It returns its arguments and its length, which is 0
// if the command is not complete; need is then the length that buf must reach, 0 if unknown.
func multibulk(buf []byte, args [][]byte, lim limits) (_ [][]byte, n, need int, err error) {
	count, at, err := length(buf, 1, maxArgs, errArgs, errArgsLine)
	switch {
	case err != nil || at == 0:
		return args, 0, 0, err
	case count > unauthedArgs && !lim.authed:
		return args, 0, 0, errArgsUnauthed
	}
	for range count {
		if at >= len(buf) {
			return args[:0], 0, 0, nil
		}
		if buf[at] != '$' {
			return args[:0], 0, 0, noDollar(buf[at:])
		}
		size, start, err := length(buf, at+1, lim.bulk, errBulk, errBulkLine)
		switch {
		case err != nil || start == 0:
			return args[:0], 0, 0, err
		case size < 0:
			return args[:0], 0, 0, errBulk
		case size > unauthedBulk && !lim.authed:
			return args[:0], 0, 0, errBulkUnauthed
		}
		end := start + int(size)
		if at = end + 2; at > len(buf) {
			return args[:0], 0, at, nil
		}
		args = append(args, buf[start:end:end])
	}
	return args, at, 0, nil
}

// noDollar returns the error for an argument that does not begin with a dollar sign; nil until its line is complete.
func noDollar(buf []byte) error {
	switch end := lineEnd(buf, '\r'); {
	case end < 0 && len(buf) > maxLine:
		return errBulkLine
	case end < 0 || len(buf) < end+2:
		return nil
	}
	return fmt.Errorf(errDollar, buf[0])
}

// length parses the number between position at and the end of the line. It returns the number and the position after
// the line, which is 0 if the line is not complete.
func length(buf []byte, at int, most int64, wrong, tooLong error) (n int64, next int, err error) {
	i := at
	for i < len(buf) && buf[i]-'0' < 10 && i-at < 10 {
		n = n*10 + int64(buf[i]-'0')
		i++
	}
	if i > at && i+1 < len(buf) && buf[i] == '\r' && n <= most && (buf[at] != '0' || i == at+1) {
		return n, i + 2, nil
	}
	return oddLength(buf, at, most, wrong, tooLong)
}

// oddLength is length for lines that are not complete or not a plain number within its limit.
func oddLength(buf []byte, at int, most int64, wrong, tooLong error) (n int64, next int, err error) {
	end := lineEnd(buf[at:], '\r')
	switch {
	case end < 0 && len(buf)-at > maxLine:
		return 0, 0, tooLong
	case end < 0 || len(buf) < at+end+2:
		return 0, 0, nil
	}
	n, ok := resp.ParseInt(buf[at : at+end])
	if !ok || n > most {
		return 0, 0, wrong
	}
	return n, at + end + 2, nil
}

// lineEnd returns the position of mark in buf, or -1. Redis searches with strchr, which stops at a zero byte.
func lineEnd(buf []byte, mark byte) int {
	end := bytes.IndexByte(buf, mark)
	if end > 0 && bytes.IndexByte(buf[:end], 0) >= 0 {
		return -1
	}
	return end
}

// inline parses a command that is a line of words, as typed in telnet. Its length n is 0 if the line is not complete.
func inline(buf []byte, args [][]byte) (_ [][]byte, n int, err error) {
	end := lineEnd(buf, '\n')
	if end < 0 {
		if len(buf) > maxLine {
			return args, 0, errInline
		}
		return args, 0, nil
	}
	args, ok := resp.Words(bytes.TrimSuffix(buf[:end], []byte{'\r'}), args)
	switch {
	case !ok:
		return args, 0, errQuotes
	case len(args) > 0 && (bytes.EqualFold(args[0], []byte("post")) || bytes.EqualFold(args[0], []byte("host:"))):
		return args, 0, errBrowser
	}
	return args, end + 1, nil
}

package journal

import (
	"bytes"
	"fmt"
	"io"

	"github.com/miniserver-go/miniserver/resp"
)

// Flaw is the error of a damaged file of commands.
type Flaw struct {
	Offset    int64  // of the damaged command
	Truncated bool   // the file ends within the command
	Reason    string // what is wrong with it otherwise
}

func (f *Flaw) Error() string {
	if f.Truncated {
		return fmt.Sprintf("the file ends in the middle of the command at byte %d", f.Offset)
	}
	return fmt.Sprintf("%s, in the command at byte %d", f.Reason, f.Offset)
}

// scanner parses the commands of a file. What it returns aliases its buffer.
type scanner struct {
	src  io.Reader
	buf  []byte // read; parsed up to at
	at   int
	base int64 // offset of buf in the file
	err  error // of src
	args [][]byte
	list []command
}

// command is a parsed command or annotation.
type command struct {
	args  [][]byte // nil for an annotation
	note  []byte   // the annotation
	start int64    // offset in the file
	end   int64
}

const (
	window     = 1 << 20 // bytes read at once
	atOnce     = 512     // commands parsed at once
	maxArgs    = 1 << 28
	maxArg     = 1 << 40
	maxNumber  = 64 // bytes of a line with a number
	maxComment = 1024
)

func newScanner(src io.Reader, offset int64) *scanner {
	return &scanner{src: src, base: offset}
}

// next returns some commands, at least one, which are valid until the next call. The error is io.EOF at the end of the
// file, and a *Flaw where the file is damaged.
func (s *scanner) next() ([]command, error) {
	s.list, s.args = s.list[:0], s.args[:0]
	for {
		for len(s.list) < atOnce && s.at < len(s.buf) {
			c, n, reason := s.parse(s.buf[s.at:])
			start := s.base + int64(s.at)
			switch {
			case reason != "" && len(s.list) > 0:
				return s.list, nil // the next call returns the flaw
			case reason != "":
				return nil, &Flaw{Offset: start, Reason: reason}
			}
			if n == 0 {
				break
			}
			c.start, c.end = start, start+int64(n)
			s.at += n
			s.list = append(s.list, c)
		}
		if len(s.list) > 0 {
			return s.list, nil
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more of the file. At its end it returns io.EOF, or a *Flaw if an incomplete command is left.
func (s *scanner) fill() error {
	if s.err != nil {
		if s.err == io.EOF && s.at < len(s.buf) {
			return &Flaw{Offset: s.base + int64(s.at), Truncated: true}
		}
		return s.err
	}
	left := copy(s.buf, s.buf[s.at:])
	s.base += int64(s.at)
	s.at = 0
	if size := max(window, 2*left); cap(s.buf) < size {
		s.buf = append(make([]byte, 0, size), s.buf[:left]...)
	}
	n, err := io.ReadFull(s.src, s.buf[left:cap(s.buf)])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	s.buf, s.err = s.buf[:left+n], err
	return nil
}

// parse returns the command at the beginning of b and its length; 0 if it is incomplete, or damaged for the reason
// returned.
func (s *scanner) parse(b []byte) (c command, n int, reason string) {
	if b[0] == '#' {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 && len(b) > maxComment {
			return c, 0, "an annotation without end"
		}
		c.note = bytes.TrimRight(b[:end], "\r\n")
		return c, end, ""
	}
	argc, n, reason := number(b, '*', 1, maxArgs)
	if n == 0 {
		return c, 0, reason
	}
	first := len(s.args)
	for range argc {
		size, k, reason := number(b[n:], '$', 0, maxArg)
		if k == 0 {
			s.args = s.args[:first]
			return c, 0, reason
		}
		n += k
		if len(b)-n < int(size)+2 {
			s.args = s.args[:first]
			return c, 0, ""
		}
		s.args = append(s.args, b[n:n+int(size):n+int(size)])
		if n += int(size) + 2; b[n-2] != '\r' || b[n-1] != '\n' {
			return c, 0, "an argument that is longer than it says"
		}
	}
	c.args = s.args[first:len(s.args):len(s.args)]
	return c, n, ""
}

// number parses a line of a mark and a number. n is its length; 0 if it is incomplete or damaged.
func number(b []byte, mark byte, least, most int64) (v int64, n int, reason string) {
	if len(b) == 0 {
		return 0, 0, ""
	}
	if b[0] != mark {
		return 0, 0, fmt.Sprintf("%q where %q should be", b[0], mark)
	}
	end := bytes.IndexByte(b[:min(len(b), maxNumber)], '\n')
	switch {
	case end < 0 && len(b) >= maxNumber:
		return 0, 0, "a number without end"
	case end < 0:
		return 0, 0, ""
	}
	v, ok := resp.ParseInt(bytes.TrimSuffix(b[1:end], []byte{'\r'}))
	if !ok || v < least || v > most || b[end-1] != '\r' {
		return 0, 0, fmt.Sprintf("%q is no number that can stand there", b[1:end])
	}
	return v, end + 1, ""
}

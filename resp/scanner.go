package resp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Scanner reads commands that are arrays of bulk strings, as journals and masters have them, from a
// source that need not be trusted: its memory grows with the bytes that arrive, not with the
// lengths that they announce. What it returns aliases its buffer.
//
// Commands of clients come in more forms, with limits and errors of their own. Package server
// parses these.
type Scanner struct {
	// Between has the first bytes of the lines that may stand between commands: "#" for the
	// annotations of a journal.
	Between string
	// MaxArg is the length in bytes that an argument may have.
	MaxArg int64

	src  io.Reader
	buf  []byte // read; commands up to at are parsed
	at   int
	part part  // of the command at at
	base int64 // offset of buf in the source
	err  error // of src
	args [][]byte
	list []Command
}

// part is what is parsed of a command that may be incomplete. So a command that arrives in many
// pieces is parsed once. Positions count from its beginning.
type part struct {
	left int64 // arguments that are missing
	end  int   // what is parsed; 0 for nothing
	need int   // the length without which there is nothing more to parse
	args []span
}

// span is an argument in the text of a command.
type span struct{ from, to int }

// Command is a command, or a line between commands.
type Command struct {
	Args  [][]byte // nil for a line
	Line  []byte   // the line without its end
	Text  []byte   // all of it
	Start int64    // offset in the source
	End   int64
}

// Flaw is the error of a source that is damaged.
type Flaw struct {
	Offset    int64  // of the damaged command
	Truncated bool   // the source ends within the command
	Reason    string // what is wrong with it otherwise
}

func (f *Flaw) Error() string {
	if f.Truncated {
		return fmt.Sprintf("the file ends in the middle of the command at byte %d", f.Offset)
	}
	return fmt.Sprintf("%s, in the command at byte %d", f.Reason, f.Offset)
}

const (
	scanWindow  = 1 << 20 // bytes of a new buffer
	scanAtOnce  = 512     // commands parsed at once
	scanArgs    = 1 << 28 // arguments of a command
	scanNumber  = 64      // bytes of a line with a number
	scanBetween = 1024    // bytes of a line between commands
)

// NewScanner returns a Scanner of src, which begins at an offset of something longer.
func NewScanner(src io.Reader, offset int64) *Scanner {
	return &Scanner{src: src, base: offset, MaxArg: 1 << 40}
}

// Next returns some commands, at least one, which are valid until the next call. It waits for one,
// and does not wait for more. The error is io.EOF at the end of the source, a *Flaw where the
// source is damaged, or that of the source.
func (s *Scanner) Next() ([]Command, error) {
	for {
		if list, err := s.Ready(); len(list) > 0 || err != nil {
			return list, err
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// Add adds a piece of the source, for a Scanner that has no other.
func (s *Scanner) Add(piece []byte) {
	s.makeRoom()
	s.buf = append(s.buf, piece...)
}

// Ready returns commands that are complete, which are valid until the next call of a method; none
// if more must be added. The error is a *Flaw.
func (s *Scanner) Ready() ([]Command, error) {
	s.list, s.args = s.list[:0], s.args[:0]
	flaw := s.scan()
	return s.list, flaw
}

// scan parses complete commands in the buffer. It returns a flaw only if no command precedes it;
// otherwise the next call does.
func (s *Scanner) scan() error {
	for len(s.list) < scanAtOnce && s.at < len(s.buf) && len(s.buf)-s.at >= s.part.need {
		start := s.base + int64(s.at)
		c, n, reason := s.parse(s.buf[s.at:])
		switch {
		case reason != "" && len(s.list) == 0:
			return &Flaw{Offset: start, Reason: reason}
		case n == 0 || reason != "":
			return nil
		}
		c.Start, c.End, c.Text = start, start+int64(n), s.buf[s.at:s.at+n]
		s.at, s.part = s.at+n, part{args: s.part.args[:0]}
		s.list = append(s.list, c)
	}
	return nil
}

// fill reads more of the source. At its end it returns io.EOF, or a *Flaw if an incomplete command
// is left.
func (s *Scanner) fill() error {
	if s.err != nil {
		if s.err == io.EOF && s.at < len(s.buf) {
			return &Flaw{Offset: s.base + int64(s.at), Truncated: true}
		}
		return s.err
	}
	s.makeRoom()
	var n int
	n, s.err = io.ReadAtLeast(s.src, s.buf[len(s.buf):cap(s.buf)], 1)
	s.buf = s.buf[:len(s.buf)+n]
	return nil
}

// makeRoom moves what is not parsed to the front of the buffer, or to a new one if the buffer is
// too small, or far too large.
func (s *Scanner) makeRoom() {
	if s.at == 0 && len(s.buf) < cap(s.buf) {
		return
	}
	rest := s.buf[s.at:]
	if size := max(scanWindow, 2*len(rest)); cap(s.buf) < size || cap(s.buf) > 4*size {
		s.buf = make([]byte, 0, size)
	}
	s.buf = append(s.buf[:0], rest...)
	s.base += int64(s.at)
	s.at = 0
}

// parse returns the command at the beginning of b and its length; 0 if it is incomplete, or damaged
// for the reason returned. It goes on where it stopped before.
func (s *Scanner) parse(b []byte) (c Command, n int, reason string) {
	p := &s.part
	if p.end == 0 {
		if strings.IndexByte(s.Between, b[0]) >= 0 {
			return between(b)
		}
		p.left, p.end, reason = scanLength(b, '*', 1, scanArgs)
	}
	for done := p.end > 0; done && p.left > 0; {
		done, reason = p.arg(b, s.MaxArg)
	}
	if p.end == 0 || p.left > 0 {
		return c, 0, reason
	}
	first := len(s.args)
	for _, at := range p.args {
		s.args = append(s.args, b[at.from:at.to:at.to])
	}
	c.Args = s.args[first:len(s.args):len(s.args)]
	return c, p.end, ""
}

// between parses a line between commands.
func between(b []byte) (c Command, n int, reason string) {
	end := bytes.IndexByte(b, '\n') + 1
	if end == 0 && len(b) > scanBetween {
		return c, 0, "a line without end"
	}
	c.Line = bytes.TrimRight(b[:end], "\r\n")
	return c, end, ""
}

// arg parses the next argument of the command at the beginning of b. done is false if it is
// incomplete or damaged.
func (p *part) arg(b []byte, most int64) (done bool, reason string) {
	size, n, reason := scanLength(b[p.end:], '$', 0, most)
	if n == 0 {
		return false, reason
	}
	from := p.end + n
	to := from + int(size)
	end := to + len("\r\n")
	if end > len(b) {
		p.need = end
		return false, ""
	}
	if b[to] != '\r' || b[to+1] != '\n' {
		return false, "an argument that is longer than it says"
	}
	p.args = append(p.args, span{from, to})
	p.left, p.end = p.left-1, end
	return true, ""
}

// scanLength parses a line of a mark and a number. n is its length; 0 if it is incomplete or
// damaged.
func scanLength(b []byte, mark byte, least, most int64) (v int64, n int, reason string) {
	if len(b) == 0 {
		return 0, 0, ""
	}
	if b[0] != mark {
		return 0, 0, fmt.Sprintf("%q where %q should be", b[0], mark)
	}
	end := bytes.IndexByte(b[:min(len(b), scanNumber)], '\n')
	switch {
	case end < 0 && len(b) >= scanNumber:
		return 0, 0, "a number without end"
	case end < 0:
		return 0, 0, ""
	}
	v, ok := ParseInt(bytes.TrimSuffix(b[1:end], []byte{'\r'}))
	if !ok || v < least || v > most || b[end-1] != '\r' {
		return 0, 0, fmt.Sprintf("%q is no number that can stand there", b[1:end])
	}
	return v, end + 1, ""
}

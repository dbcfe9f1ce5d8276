package psync

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// snapshot reads a snapshot and not a byte behind it. A master that knows the length tells it
// before. One that does not announces 40 random bytes, which it repeats behind the snapshot:
//
//	$<length>\r\n snapshot        $EOF:<mark>\r\n snapshot <mark>
type snapshot struct {
	in    *bufio.Reader
	left  int64  // bytes; negative if unknown
	mark  []byte // the end, if the length is unknown
	clear int    // buffered bytes that are known to belong to the snapshot
	ended bool
}

const markBytes = 40

// Snapshot returns the snapshot that a full synchronization begins with, and its length, which is
// -1 if the master does not know it. The reader must be read to its end before Next. It fails with
// io.ErrUnexpectedEOF if the snapshot is cut. The error is a *Refusal if the master gives up.
func (l *Link) Snapshot() (size int64, r io.Reader, err error) {
	if l.snapshot == nil {
		return 0, nil, fmt.Errorf("%w: no snapshot follows", ErrProtocol)
	}
	line, err := l.line()
	if err != nil {
		return 0, nil, err
	}
	if err = l.snapshot.begin(line); err != nil {
		return 0, nil, err
	}
	return l.snapshot.left, l.snapshot, nil
}

// begin parses the line before the snapshot.
func (s *snapshot) begin(line string) error {
	text, ok := strings.CutPrefix(line, "$")
	mark, isMark := strings.CutPrefix(text, "EOF:")
	size, isSize := resp.ParseInt([]byte(text))
	switch {
	case line[0] == '-':
		return &Refusal{errAborted, line[1:]}
	case ok && isMark && len(mark) == markBytes:
		s.left, s.mark = -1, []byte(mark)
	case ok && isSize && size >= 0:
		s.left, s.ended = size, size == 0
	default:
		return fmt.Errorf("%w: %.80q where the length of a snapshot should be", ErrProtocol, line)
	}
	return nil
}

// Read implements io.Reader.
func (s *snapshot) Read(p []byte) (n int, err error) {
	switch {
	case s.ended:
		return 0, io.EOF
	case s.mark != nil:
		n, err = s.readMarked(p)
	default:
		n, err = s.in.Read(p[:min(int64(len(p)), s.left)])
		s.left -= int64(n)
		s.ended = s.left == 0
	}
	if err == io.EOF && !s.ended {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// readMarked reads up to the mark.
func (s *snapshot) readMarked(p []byte) (n int, err error) {
	if s.clear == 0 {
		if s.clear, err = s.search(); err != nil {
			return 0, err
		}
	}
	if s.clear == 0 {
		s.ended = true
		_, err = s.in.Discard(markBytes)
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	n, err = s.in.Read(p[:min(len(p), s.clear)])
	s.clear -= n
	return n, err
}

// search returns how many bytes in the buffer precede the mark, or anything that may be the
// beginning of one.
func (s *snapshot) search() (int, error) {
	if _, err := s.in.Peek(markBytes); err != nil {
		return 0, err
	}
	b, _ := s.in.Peek(s.in.Buffered())
	if n := bytes.Index(b, s.mark); n >= 0 {
		return n, nil
	}
	return len(b) - markBytes + 1, nil
}

package resp

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"math"
	"strconv"
	"unsafe"
)

// Limits bound what a Reader accepts, so that a broken peer cannot make it allocate at will.
type Limits struct {
	Depth    int // levels of nesting
	Elements int // values in one reply, nested ones included
	Bytes    int // length of one string
	Line     int // length of one line, such as an error; Bytes if 0
}

// DefaultLimits are the limits of a new Reader: the protocol's own limit for a string, and
// more elements and depth than servers send.
var DefaultLimits = Limits{Depth: 128, Elements: 64 << 20, Bytes: 512 << 20}

// Errors of malformed replies.
var (
	ErrKind   = errors.New("resp: unknown type byte")
	ErrNumber = errors.New("resp: malformed number")
	ErrLine   = errors.New("resp: line does not end with CRLF")
	ErrLimit  = errors.New("resp: reply exceeds the limits")
)

// Reader reads replies of both protocol versions from a stream.
// It reads ahead, so nothing else may read from that stream.
type Reader struct {
	Limits Limits
	Count  func(bytes int) error // is told before memory is taken for a reply, and may refuse it; nil for no counting
	src    *bufio.Reader
	left   int // further values that this reply may have
}

// NewReader returns a Reader of r with DefaultLimits.
func NewReader(r io.Reader) *Reader {
	return &Reader{Limits: DefaultLimits, src: bufio.NewReaderSize(r, 16<<10)}
}

// Buffered returns the number of bytes read ahead and not yet consumed by Read.
func (r *Reader) Buffered() int { return r.src.Buffered() }

// Read returns the next reply, which owns its memory. The error is io.EOF if the stream
// ended before a reply and io.ErrUnexpectedEOF if it ended within one. After an error
// the Reader cannot be used any more.
func (r *Reader) Read() (Value, error) {
	if _, err := r.src.Peek(1); err != nil {
		return Value{}, err
	}
	r.left = r.Limits.Elements
	v, err := r.value(0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}

func (r *Reader) value(depth int) (Value, error) {
	if r.left--; r.left < 0 || depth > r.Limits.Depth {
		return Value{}, ErrLimit
	}
	kind, err := r.src.ReadByte()
	if err != nil {
		return Value{}, err
	}
	line, err := r.line()
	if err == nil {
		err = r.count(valueBytes + len(line))
	}
	if err != nil {
		return Value{}, err
	}
	v := Value{Kind: Kind(kind)}
	switch v.Kind {
	case Status, Error, BigNumber:
		v.Text = string(line)
	case Double:
		v.Text = string(line)
		if _, ok := ParseFloat(line); !ok {
			err = ErrNumber
		}
	case Integer:
		if v.Int, err = number(line); err != nil && isUnsigned(line) {
			v, err = Value{Kind: BigNumber, Text: string(line)}, nil
		}
	case Boolean:
		v.Int, err = truth(line)
	case Null:
		v.Nil = true
	case Bulk, Verbatim:
		return r.text(v, line)
	case Array, Map, Set, Push:
		return r.elements(v, line, depth)
	case '|':
		return r.attributed(line, depth)
	default:
		err = ErrKind
	}
	return v, err
}

// text reads a string whose length is in line.
func (r *Reader) text(v Value, line []byte) (Value, error) {
	n, err := r.length(line, r.Limits.Bytes)
	if err != nil || n < 0 {
		v.Nil = true
		return v, err
	}
	body, err := r.bytes(n)
	if err != nil {
		return v, err
	}
	if v.Kind == Verbatim {
		if n < 4 || body[3] != ':' {
			return v, ErrLine
		}
		v.Format, body = string(body[:3]), body[4:]
	}
	v.Text = string(body)
	return v, r.crlf()
}

// bytes reads n bytes. The buffer grows with the bytes that arrive, so that an announced length
// alone costs no memory.
func (r *Reader) bytes(n int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(n, step))
	for len(body) < n {
		at := len(body)
		more := min(n-at, max(step, at))
		if err := r.count(more); err != nil {
			return nil, err
		}
		body = append(body, make([]byte, more)...)
		if _, err := io.ReadFull(r.src, body[at:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// elements reads the elements of an aggregate whose count is in line.
func (r *Reader) elements(v Value, line []byte, depth int) (Value, error) {
	n, err := r.length(line, r.left)
	if err != nil || n < 0 {
		v.Nil = true
		return v, err
	}
	if v.Kind == Map {
		n *= 2
	}
	v.Elems = make([]Value, 0, min(n, 1024))
	for range n {
		elem, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Elems = append(v.Elems, elem)
	}
	return v, nil
}

// attributed reads the attributes whose count is in line, and the value after them.
func (r *Reader) attributed(line []byte, depth int) (Value, error) {
	attributes, err := r.elements(Value{Kind: Map}, line, depth)
	if err != nil {
		return Value{}, err
	}
	v, err := r.value(depth + 1)
	v.Attributes = append(attributes.Elems, v.Attributes...)
	return v, err
}

// length reads a count of at most limit. The absent value's -1 is the only negative one.
func (r *Reader) length(line []byte, limit int) (int, error) {
	n, err := number(line)
	switch {
	case err != nil:
		return 0, err
	case n < -1:
		return 0, ErrNumber
	case n > int64(limit):
		return 0, ErrLimit
	}
	return int(n), nil
}

// line reads up to CRLF and returns the bytes before it, valid until the next read.
func (r *Reader) line() ([]byte, error) {
	line, err := r.src.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = r.longLine(line)
	}
	if err != nil {
		return nil, err
	}
	if len(line) < 2 || line[len(line)-2] != '\r' {
		return nil, ErrLine
	}
	return line[:len(line)-2], nil
}

// longLine reads the rest of a line that does not fit the buffer.
func (r *Reader) longLine(start []byte) ([]byte, error) {
	line := append([]byte(nil), start...)
	for {
		more, err := r.src.ReadSlice('\n')
		line = append(line, more...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > cmp.Or(r.Limits.Line, r.Limits.Bytes) {
			return nil, ErrLimit
		}
	}
}

// valueBytes is what a value takes beside its text.
const valueBytes = int(unsafe.Sizeof(Value{}))

func (r *Reader) count(bytes int) error {
	if r.Count == nil {
		return nil
	}
	return r.Count(bytes)
}

func (r *Reader) crlf() error {
	var end [2]byte
	if _, err := io.ReadFull(r.src, end[:]); err != nil {
		return err
	}
	if end != [2]byte{'\r', '\n'} {
		return ErrLine
	}
	return nil
}

func number(line []byte) (int64, error) {
	n, ok := ParseInt(line)
	if !ok {
		return 0, ErrNumber
	}
	return n, nil
}

// isUnsigned reports whether a line is an integer that only Writer.Uint writes.
func isUnsigned(line []byte) bool {
	n, err := strconv.ParseUint(string(line), 10, 64)
	return err == nil && n > math.MaxInt64
}

func truth(line []byte) (int64, error) {
	switch string(line) {
	case "t":
		return 1, nil
	case "f":
		return 0, nil
	}
	return 0, ErrNumber
}

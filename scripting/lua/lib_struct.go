package lua

import (
	"encoding/binary"
	"math"
	"strings"
)

// structLib is the struct library: values to and from binary strings.
type structLib struct{ buffer buffer }

// OpenStruct installs the struct library, as Redis ships it, as the global struct.
func OpenStruct(L *State) *Table {
	lib := &structLib{}
	return newLibrary(L, "struct", []entry{
		{"pack", lib.pack},
		{"size", structSize},
		{"unpack", structUnpack},
	})
}

// A layout walks through a format: options with their sizes, byte order and
// alignment. It throws what is wrong with it.
//
//	"<!4 b i3 c0 s"   little-endian, align to at most 4, then a signed byte,
//	                  3 bytes, a counted and a zero-terminated string
type layout struct {
	c      *Call
	format string // what follows
	big    bool
	align  int

	option byte // the option read last,
	size   int  // its bytes; 0 for c0, s and controls,
	gap    int  // and the padding before it
}

const (
	maxIntegerSize = 32
	maxAlign       = 8
	maxSize        = math.MaxInt32
)

// newLayout starts with the first argument, which ends at its first zero byte as in C.
func newLayout(c *Call) layout {
	format := c.CheckString(1)
	if end := strings.IndexByte(format, 0); end >= 0 {
		format = format[:end]
	}
	return layout{c: c, format: format, align: 1}
}

// next reads the next option, to be placed at offset. It reports false at the end.
func (l *layout) next(offset int) bool {
	if l.format == "" {
		return false
	}
	l.option, l.format = l.format[0], l.format[1:]
	l.size = l.sizeOf(l.option)
	l.gap = 0
	if l.size != 0 && l.option != 'c' && l.align > 1 {
		size := min(l.size, l.align)
		l.gap = (size - offset&(size-1)) & (size - 1)
	}
	return true
}

func (l *layout) sizeOf(option byte) int {
	switch option {
	case 'B', 'b', 'x':
		return 1
	case 'H', 'h':
		return 2
	case 'f':
		return 4
	case 'L', 'l', 'T', 'd':
		return 8
	case 'c':
		return l.number(1)
	case 'i', 'I':
		size := l.number(4)
		if size > maxIntegerSize {
			l.c.L.Errorf("integral size %d is larger than limit of %d", size, maxIntegerSize)
		}
		return size
	}
	return 0
}

// number reads digits, or returns fallback if there are none.
func (l *layout) number(fallback int) int {
	i, n := 0, 0
	for ; i < len(l.format) && l.format[i]-'0' < 10; i++ {
		digit := int(l.format[i] - '0')
		if n > (maxSize-digit)/10 {
			l.c.L.Errorf("integral size overflow")
		}
		n = n*10 + digit
	}
	if i == 0 {
		return fallback
	}
	l.format = l.format[i:]
	return n
}

// control obeys an option that stands for no data.
func (l *layout) control() {
	switch l.option {
	case ' ':
	case '>':
		l.big = true
	case '<':
		l.big = false
	case '!':
		l.align = l.number(maxAlign)
		if l.align <= 0 || l.align&(l.align-1) != 0 {
			l.c.L.Errorf("alignment %d is not a power of 2", l.align)
		}
	default:
		l.c.ArgError(1, "invalid format option '"+string([]byte{l.option})+"'")
	}
}

// struct.pack(format, ...)
func (lib *structLib) pack(L *State, c *Call) {
	l := newLayout(c)
	b := lib.buffer.take()
	arg := 2
	for l.next(len(b.text)) {
		b.text = appendRepeat(b.text, 0, l.gap)
		switch l.option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			b.text = l.appendInteger(b.text, truncateInteger(c.packNumber(arg)))
		case 'f':
			bits := math.Float32bits(float32(c.packNumber(arg)))
			b.text = l.appendInteger(b.text, uint64(bits))
		case 'd':
			b.text = l.appendInteger(b.text, math.Float64bits(c.packNumber(arg)))
		case 'c', 's':
			l.appendString(L, &b, arg)
		case 'x':
			b.text = append(b.text, 0)
			continue
		default:
			l.control()
			continue
		}
		arg++
		L.Tick(1)
	}
	c.Return1(b.finish(L, &lib.buffer))
}

// packNumber is CheckNumber, but a missing argument is nil: struct.pack marks
// the end of its arguments with one.
func (c *Call) packNumber(arg int) float64 {
	if arg > c.NArgs() {
		c.ArgError(arg, "number expected, got nil")
	}
	return c.CheckNumber(arg)
}

// truncateInteger converts as C does: what is negative through the signed
// type, everything else through the unsigned one.
func truncateInteger(f float64) uint64 {
	if f < 0 {
		return uint64(truncateInt64(f))
	}
	return truncateUint64(f)
}

// appendInteger appends n in the option's size; beyond 8 bytes there are zeros.
func (l *layout) appendInteger(dst []byte, n uint64) []byte {
	size := min(l.size, 8)
	if l.big {
		dst = appendRepeat(dst, 0, l.size-size)
		end := len(dst) + size
		return binary.BigEndian.AppendUint64(dst, n<<(64-8*size))[:end]
	}
	end := len(dst) + size
	dst = binary.LittleEndian.AppendUint64(dst, n)[:end]
	return appendRepeat(dst, 0, l.size-size)
}

func (l *layout) appendString(L *State, b *buffer, arg int) {
	if arg > l.c.NArgs() {
		l.c.ArgError(arg, "string expected, got nil")
	}
	s := l.c.CheckString(arg)
	size := l.size
	if size == 0 {
		size = len(s)
	}
	if len(s) < size {
		l.c.ArgError(arg+1, "string too short")
	}
	b.appendWhole(L, s[:size])
	if l.option == 's' {
		b.text = append(b.text, 0)
	}
}

// struct.unpack(format, s [, position])
func structUnpack(L *State, c *Call) {
	l := newLayout(c)
	data := c.CheckString(2)
	position := int(c.OptInteger(3, 1))
	if position == 0 {
		c.ArgError(3, "offset must be 1 or greater")
	}
	position--
	out := L.ret[:0]
	for l.next(position) {
		position += l.gap
		l.within(data, position)
		c.checkStack(len(out)+2, "too many results")
		L.Tick(1)
		switch l.option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			out = append(out, Number(l.integer(data[position:position+l.size])))
		case 'f':
			bits := uint32(l.word(data[position : position+4]))
			out = append(out, Number64(float64(math.Float32frombits(bits))))
		case 'd':
			out = append(out, Number64(math.Float64frombits(l.word(data[position:position+8]))))
		case 'c':
			if l.size == 0 {
				out = l.countedSize(out)
				l.within(data, position)
			}
			out = append(out, L.substring(data, position, position+l.size))
		case 's':
			end := strings.IndexByte(data[position:], 0)
			if end < 0 {
				L.Errorf("unfinished string in data")
			}
			out = append(out, L.substring(data, position, position+end))
			l.size = end + 1
		case 'x':
		default:
			l.control()
		}
		position += l.size
	}
	c.returnAll(append(out, Int(position+1)))
}

// within refuses an item that reaches beyond the data.
func (l *layout) within(data string, position int) {
	if l.size < 0 || l.size > len(data) || position < 0 || position > len(data)-l.size {
		l.c.ArgError(2, "data string too short")
	}
}

// countedSize takes the last result away as the size of a c0.
func (l *layout) countedSize(out []Value) []Value {
	n := len(out) - 1
	if n < 0 {
		l.c.L.Errorf("format 'c0' needs a previous size")
	}
	size, ok := out[n].ToNumber()
	if !ok {
		l.c.L.Errorf("format 'c0' needs a previous size")
	}
	l.size = int(truncateUint64(size))
	return out[:n]
}

// word reads an unsigned integer of any size, of which the 8 lowest bytes count.
func (l *layout) word(data string) uint64 {
	n := uint64(0)
	if l.big {
		for i := 0; i < len(data); i++ {
			n = n<<8 | uint64(data[i])
		}
		return n
	}
	for i := len(data) - 1; i >= 0; i-- {
		n = n<<8 | uint64(data[i])
	}
	return n
}

// integer reads an integer; small letters stand for signed ones.
func (l *layout) integer(data string) float64 {
	n := l.word(data)
	if l.option < 'a' {
		return float64(n)
	}
	// As in C on amd64 the shift counts modulo 64 for sizes beyond 8.
	if mask := ^uint64(0) << (uint(l.size*8-1) & 63); n&mask != 0 {
		n |= mask
	}
	return float64(int64(n))
}

// struct.size(format)
func structSize(_ *State, c *Call) {
	l := newLayout(c)
	size := 0
	for l.next(size) {
		size += l.gap + l.size
		switch {
		case l.option == 's':
			c.ArgError(1, "option 's' has no fixed size")
		case l.option == 'c' && l.size == 0:
			c.ArgError(1, "option 'c0' has no fixed size")
		}
		if !isAlnum(l.option) {
			l.control()
		}
	}
	c.Return1(Int(size))
}

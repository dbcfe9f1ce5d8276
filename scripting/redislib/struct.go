package redislib

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// structLib is the struct library: values to and from binary strings.
type structLib struct {
	buffer lua.Buffer
	space  [maxPlanned]byte
}

// OpenStruct installs the struct library, as Redis ships it, as the global struct.
func OpenStruct(L *lua.State) *lua.Table {
	lib := &structLib{}
	t := library(
		lua.NewFunction("pack", lib.pack),
		lua.NewFunction("size", structSize),
		lua.NewFunction("unpack", structUnpack),
	)
	L.Globals.SetString(nil, "struct", t.Value())
	return t
}

// A layout walks through a format: options with their sizes, byte order and
// alignment. It throws what is wrong with it.
//
//	"<!4 b i3 c0 s"   little-endian, align to at most 4, then a signed byte,
//	                  3 bytes, a counted and a zero-terminated string
type layout struct {
	c     *lua.Call
	text  string // what follows
	big   bool
	align int
	field field // the option read last

	known []field // the whole, where this place of a script has read the format before
	plan  []item  // the same, if it is of the common kind
	at    int     // how many of them were read
	learn *format // remembers what is read, nil for not
}

// A field is one option.
type field struct {
	size   int // its bytes; 0 for c0, s and controls
	align  int // its address is a multiple of this
	option byte
	big    bool
}

// A format is what a place in a script learned from the first format it read: most read no other.
// The options that stand for no data are left out.
type format struct {
	text   string
	fields []field
	plan   []item // of a format that packItems and unpackItems understand, else nil
}

const (
	maxIntegerSize = 32
	maxAlign       = 8
	maxSize        = math.MaxInt32
	maxLearned     = 64 // bytes of a format that is remembered
)

// start begins with the first argument, which ends at its first zero byte as in C. The call site
// may know the format already, in Site.Cache; with learn it remembers the first one it reads.
func (l *layout) start(c *lua.Call, learn bool) {
	l.c, l.align = c, 1
	text := c.CheckString(1)
	at := c.Site()
	if at != nil {
		if f, ok := at.Cache.(*format); ok && f.text == text {
			l.known, l.plan = f.fields, f.plan
			return
		}
	}
	if learn && at != nil && at.Cache == nil && len(text) <= maxLearned {
		l.learn = &format{text: text, fields: make([]field, 0, len(text))}
	}
	l.text, _, _ = strings.Cut(text, "\x00")
}

// next returns the next option, nil at the end.
func (l *layout) next() *field {
	if l.at < len(l.known) {
		l.at++
		return &l.known[l.at-1]
	}
	if l.text == "" {
		if l.learn != nil {
			l.learn.plan = planOf(l.learn.fields)
			l.c.Site().Cache = l.learn
		}
		return nil
	}
	f := &l.field
	f.option, l.text = l.text[0], l.text[1:]
	f.size = l.sizeOf(f.option)
	f.big, f.align = l.big, 1
	if f.size != 0 && f.option != 'c' && l.align > 1 {
		f.align = min(f.size, l.align)
	}
	if l.learn != nil && number.IsAlnum(f.option) {
		l.learn.fields = append(l.learn.fields, *f)
	}
	return f
}

// gap returns the padding before a field at offset.
func (f *field) gap(offset int) int {
	return (f.align - offset&(f.align-1)) & (f.align - 1)
}

// sizeOf returns the size of an option, and reads the digits that belong to it.
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
	for ; i < len(l.text) && l.text[i]-'0' < 10; i++ {
		digit := int(l.text[i] - '0')
		if n > (maxSize-digit)/10 {
			l.c.L.Errorf("integral size overflow")
		}
		n = n*10 + digit
	}
	if i == 0 {
		return fallback
	}
	l.text = l.text[i:]
	return n
}

// control obeys an option without data. Of a known format there are none: its fields carry their
// effect.
func (l *layout) control(f *field) {
	if f != &l.field {
		return
	}
	l.c.L.Tick(1)
	switch f.option {
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
		l.c.ArgError(1, "invalid format option '"+string([]byte{f.option})+"'")
	}
}

// struct.pack(format, ...)
func (lib *structLib) pack(L *lua.State, c *lua.Call) {
	var l layout
	l.start(c, true)
	if text := packItems(c, l.plan, &lib.space); text != nil {
		L.Tick(len(l.plan))
		c.Return1(L.CopyString(text))
		return
	}
	var b lua.Buffer
	lib.buffer.Lend(&b)
	arg := 2
	for f := l.next(); f != nil; f = l.next() {
		if gap := f.gap(len(b.Text)); gap > 0 {
			b.Text = append(b.Text, make([]byte, gap)...)
		}
		switch f.option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			b.Text = f.appendInteger(b.Text, truncateInteger(packNumber(c, arg)))
		case 'f':
			bits := math.Float32bits(float32(packNumber(c, arg)))
			b.Text = f.appendInteger(b.Text, uint64(bits))
		case 'd':
			b.Text = f.appendInteger(b.Text, math.Float64bits(packNumber(c, arg)))
		case 'c', 's':
			f.appendString(c, &b, arg)
		case 'x':
			b.Text = append(b.Text, 0)
			b.Settle(L)
			L.Tick(1)
			continue
		default:
			l.control(f)
			continue
		}
		arg++
		L.Tick(1)
	}
	c.Return1(b.Finish(L, &lib.buffer))
}

// packNumber is CheckNumber, but a missing argument is nil: struct.pack marks
// the end of its arguments with one.
func packNumber(c *lua.Call, arg int) float64 {
	if f, ok := c.Arg(arg).AsNumber(); ok {
		return f
	}
	return packOther(c, arg)
}

// packOther is packNumber for arguments that are no numbers, apart so that packNumber is inlined.
func packOther(c *lua.Call, arg int) float64 {
	if arg > c.NArgs() {
		c.ArgError(arg, "number expected, got nil")
	}
	return c.CheckNumber(arg)
}

// truncateInteger converts as C does: what is negative through the signed
// type, everything else through the unsigned one.
func truncateInteger(f float64) uint64 {
	if f < 0 {
		return uint64(number.ToInt64(f))
	}
	return number.ToUint64(f)
}

// appendInteger appends n in the field's size; beyond 8 bytes there are zeros.
func (f *field) appendInteger(dst []byte, n uint64) []byte {
	size := min(f.size, 8)
	if f.big {
		dst = append(dst, make([]byte, f.size-size)...)
		end := len(dst) + size
		return binary.BigEndian.AppendUint64(dst, n<<(64-8*size))[:end]
	}
	end := len(dst) + size
	dst = binary.LittleEndian.AppendUint64(dst, n)[:end]
	return append(dst, make([]byte, f.size-size)...)
}

func (f *field) appendString(c *lua.Call, b *lua.Buffer, arg int) {
	if arg > c.NArgs() {
		c.ArgError(arg, "string expected, got nil")
	}
	s := c.CheckString(arg)
	size := f.size
	if size == 0 {
		size = len(s)
	}
	if len(s) < size {
		c.ArgError(arg+1, "string too short")
	}
	b.Append(c.L, s[:size])
	if f.option == 's' {
		b.Text = append(b.Text, 0)
	}
}

// struct.unpack(format, s [, position])
func structUnpack(L *lua.State, c *lua.Call) {
	var l layout
	l.start(c, true)
	data := c.CheckString(2)
	position := int(c.OptInteger(3, 1))
	if position == 0 {
		c.ArgError(3, "offset must be 1 or greater")
	}
	position--
	if out := unpackItems(l.plan, data, position, c.Results()); out != nil {
		L.Tick(len(l.plan))
		c.ReturnAll(out)
		return
	}
	out := c.Results()
	for f := l.next(); f != nil; f = l.next() {
		position += f.gap(position)
		size := f.size
		if position|size < 0 || position > len(data)-size {
			tooShort(c)
		}
		if len(out) > lua.MaxResults/2 {
			c.CheckStack(len(out)+2, "too many results")
		}
		L.Tick(1)
		switch f.option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			out = append(out, lua.Number(f.integer(data[position:position+size])))
		case 'f':
			bits := uint32(f.word(data[position : position+4]))
			out = append(out, lua.Number64(float64(math.Float32frombits(bits))))
		case 'd':
			out = append(out, lua.Number64(math.Float64frombits(f.word(data[position:position+8]))))
		case 'c':
			if size == 0 {
				out, size = countedSize(c, out)
				if size < 0 || position > len(data)-size {
					tooShort(c)
				}
			}
			out = append(out, L.Substring(data, position, position+size))
		case 's':
			end := L.IndexByte(data[position:], 0)
			if end < 0 {
				L.Errorf("unfinished string in data")
			}
			out = append(out, L.Substring(data, position, position+end))
			size = end + 1
		case 'x':
		default:
			l.control(f)
		}
		position += size
	}
	c.ReturnAll(append(out, lua.Int(position+1)))
}

// tooShort refuses an item that reaches beyond the data.
func tooShort(c *lua.Call) { c.ArgError(2, "data string too short") }

// countedSize takes the last result away as the size of a c0.
func countedSize(c *lua.Call, out []lua.Value) ([]lua.Value, int) {
	n := len(out) - 1
	if n < 0 {
		c.L.Errorf("format 'c0' needs a previous size")
	}
	size, ok := c.L.ToNumber(out[n])
	if !ok {
		c.L.Errorf("format 'c0' needs a previous size")
	}
	return out[:n], int(number.ToUint64(size))
}

// word reads an unsigned integer of any size, of which the 8 lowest bytes count.
func (f *field) word(data string) uint64 {
	n := uint64(0)
	if len(data) == 8 {
		if f.big {
			return binary.BigEndian.Uint64([]byte(data))
		}
		return binary.LittleEndian.Uint64([]byte(data))
	}
	if f.big {
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
func (f *field) integer(data string) float64 {
	n := f.word(data)
	if f.option < 'a' {
		return float64(n)
	}
	// As in C on amd64 the shift counts modulo 64 for sizes beyond 8.
	if mask := ^uint64(0) << (uint(f.size*8-1) & 63); n&mask != 0 {
		n |= mask
	}
	return float64(int64(n))
}

// struct.size(format)
func structSize(_ *lua.State, c *lua.Call) {
	var l layout
	l.start(c, false) // options unknown pass here
	size := 0
	for f := l.next(); f != nil; f = l.next() {
		size += f.gap(size) + f.size
		c.L.Tick(1)
		switch {
		case f.option == 's':
			c.ArgError(1, "option 's' has no fixed size")
		case f.option == 'c' && f.size == 0:
			c.ArgError(1, "option 'c0' has no fixed size")
		}
		if !number.IsAlnum(f.option) {
			l.control(f)
		}
	}
	c.Return1(lua.Int(size))
}

package timeseries

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Compressed, a sample after the first is a code for its time and one for its value, each with the
// lowest bit first. The time is the difference between its distance to the time before, and the
// distance before that:
//
//	0               no difference
//	01   + 5 bits   011 + 8 bits   0111 + 11 bits   01111 + 15 bits   011111 + 32 bits, signed
//	111111 + 64 bits
//
// written here with the lowest bit on the right. The value is what differs in its bits from those
// of the value before:
//
//	0               nothing
//	01 + n bits     they lie in the window of n bits that was written last
//	11 + 5 bits of leading zeros + 6 bits of n-1 + n bits: a window of its own

// timeCode is how a difference in time begins, and how many bits of it follow.
type timeCode struct {
	tag           uint64
	tagBits, bits uint
}

// timeCodes are the codes by the bits that a difference needs.
var timeCodes = [...]timeCode{
	{0b01, 2, 5}, {0b011, 3, 8}, {0b0111, 4, 11}, {0b01111, 5, 15}, {0b011111, 6, 32}, {0b111111, 6, 64},
}

const (
	leadingBits = 5
	windowBits  = 6
	maxLeading  = 1<<leadingBits - 1
	noWindow    = 32 // leading and trailing zeros before the first window
	mostBits    = 6 + 64 + 2 + leadingBits + windowBits + 64
)

// word returns the 64 bits of data from a byte on. Behind its end they are 0.
func word(data []byte, at int) uint64 {
	if at+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[at:])
	}
	var last [8]byte
	copy(last[:], data[at:])
	return binary.LittleEndian.Uint64(last[:])
}

// get returns n bits, 1 to 64, from bit i on.
func get(data []byte, i, n uint) uint64 {
	at, shift := int(i>>3), i&7
	v := word(data, at) >> shift
	if shift+n > 64 && at+8 < len(data) {
		v |= uint64(data[at+8]) << (64 - shift)
	}
	return v & (math.MaxUint64 >> (64 - n))
}

// put appends the lowest n bits of v, 1 to 64, to a chunk that has memory for them.
func (c *chunk) put(v uint64, n uint) {
	v &= math.MaxUint64 >> (64 - n)
	at, shift := int(c.bits>>3), uint(c.bits&7)
	if at+9 <= len(c.data) {
		binary.LittleEndian.PutUint64(c.data[at:], binary.LittleEndian.Uint64(c.data[at:])|v<<shift)
		if shift+n > 64 {
			c.data[at+8] |= byte(v >> (64 - shift))
		}
	} else {
		c.putLast(v, at, shift)
	}
	c.bits += uint32(n)
}

// putLast is put for the last bytes of the memory of a chunk.
func (c *chunk) putLast(v uint64, at int, shift uint) {
	high := v >> (64 - shift)
	for v <<= shift; v != 0; v >>= 8 {
		c.data[at] |= byte(v)
		at++
	}
	if high != 0 {
		c.data[len(c.data)-1] |= byte(high)
	}
}

// compress appends a sample that is not older than the last one. The chunk has memory for it. It
// reports false, and adds nothing, if the chunk is full.
func (c *chunk) compress(x Sample) bool {
	delta := x.Time - c.last.Time
	time := timeCodeOf(int64(delta - c.delta))
	value := c.windowOf(math.Float64bits(x.Value) ^ math.Float64bits(c.last.Value))
	if uint64(time.tagBits+time.bits+value.bits()) > uint64(c.size)*8-uint64(c.bits) {
		return false
	}
	c.put(time.tag, time.tagBits)
	if time.bits > 0 {
		c.put(delta-c.delta, time.bits)
	}
	c.putValue(value)
	c.last, c.delta = x, delta
	c.count++
	return true
}

// timeCodeOf returns the code of a difference in time.
func timeCodeOf(change int64) timeCode {
	if change == 0 {
		return timeCode{0, 1, 0}
	}
	i := 0
	for low := change >> (timeCodes[i].bits - 1); low != 0 && low != -1; low = change >> (timeCodes[i].bits - 1) {
		i++
	}
	return timeCodes[i]
}

// window is the code of a value.
type window struct {
	differs           uint64
	leading, trailing uint8 // zeros around the n bits
	n                 uint8
	own               bool // it is not the one that was written last
}

// windowOf returns the code of a value that differs so from the last one.
func (c *chunk) windowOf(differs uint64) window {
	if differs == 0 {
		return window{}
	}
	leading, trailing := min(bits.LeadingZeros64(differs), maxLeading), bits.TrailingZeros64(differs)
	n, last := 64-leading-trailing, 64-int(c.leading)-int(c.trailing)
	if leading >= int(c.leading) && trailing >= int(c.trailing) && leadingBits+windowBits+n > last {
		return window{differs, c.leading, c.trailing, uint8(last), false}
	}
	return window{differs, uint8(leading), uint8(trailing), uint8(n), true}
}

// bits returns how many bits a window takes.
func (w window) bits() uint {
	switch {
	case w.n == 0:
		return 1
	case w.own:
		return 2 + leadingBits + windowBits + uint(w.n)
	}
	return 2 + uint(w.n)
}

// putValue appends the code of a value.
func (c *chunk) putValue(w window) {
	switch {
	case w.n == 0:
		c.put(0, 1)
		return
	case w.own:
		c.put(0b11|uint64(w.leading)<<2|uint64(w.n-1)<<(2+leadingBits), 2+leadingBits+windowBits)
		c.leading, c.trailing = w.leading, w.trailing
	default:
		c.put(0b01, 2)
	}
	c.put(w.differs>>w.trailing, uint(w.n))
}

// decoder reads the samples of a compressed chunk.
type decoder struct {
	data              []byte
	at, end           uint   // bits
	left              uint32 // samples
	started           bool
	time, delta       uint64
	value             uint64
	leading, trailing uint
}

// decode returns a decoder before the first sample.
func (c *chunk) decode() decoder {
	return decoder{data: c.data, end: uint(c.bits), left: c.count, time: c.first.Time,
		value: math.Float64bits(c.first.Value), leading: noWindow, trailing: noWindow}
}

// next decodes up to len(dst) samples, and returns how many.
func (d *decoder) next(dst []Sample) int {
	n := min(len(dst), int(d.left))
	if n == 0 {
		return 0
	}
	d.left -= uint32(n)
	dst = dst[:n]
	if !d.started {
		d.started = true
		dst[0] = Sample{d.time, math.Float64frombits(d.value)}
		dst = dst[1:]
	}
	for i := range dst {
		d.readTime()
		d.readValue()
		dst[i] = Sample{d.time, math.Float64frombits(d.value)}
	}
	return n
}

// readTime decodes the time of the next sample.
func (d *decoder) readTime() {
	ahead := get(d.data, min(d.at, d.end), 64)
	switch tag := uint(bits.TrailingZeros64(^ahead)); {
	case tag == 0:
		d.at++
	case tag < 6:
		code := timeCodes[tag-1]
		value := ahead >> code.tagBits << (64 - code.bits)
		d.delta += uint64(int64(value) >> (64 - code.bits))
		d.at += code.tagBits + code.bits
	default:
		d.delta += get(d.data, min(d.at+6, d.end), 64)
		d.at += 6 + 64
	}
	d.time += d.delta
}

// readValue decodes the value of the next sample.
func (d *decoder) readValue() {
	ahead := get(d.data, min(d.at, d.end), 2+leadingBits+windowBits)
	switch {
	case ahead&1 == 0:
		d.at++
		return
	case ahead&2 == 0:
		d.at += 2
	default:
		d.at += 2 + leadingBits + windowBits
		d.leading = uint(ahead >> 2 & maxLeading)
		n := uint(ahead>>(2+leadingBits)) + 1
		d.trailing = 64 - d.leading - n
	}
	n := 64 - d.leading - d.trailing
	d.value ^= get(d.data, min(d.at, d.end), n) << d.trailing
	d.at += n
}

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

// timeBits are the bits of timeCodes but for the last one: a byte for each, behind one for the code
// without any.
const timeBits uint = 5<<8 | 8<<16 | 11<<24 | 15<<32 | 32<<40

const (
	leadingBits = 5
	windowBits  = 6
	maxLeading  = 1<<leadingBits - 1
	noWindow    = 32 // leading and trailing zeros before the first window
	mostBits    = 6 + 64 + 2 + leadingBits + windowBits + 64
)

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
	data    []byte
	end     uint   // bits
	left    uint32 // samples
	started bool
	cursor
}

// cursor is where a decoder is, and what codes refer to.
type cursor struct {
	at                uint // bits
	time, delta       uint64
	value             uint64
	leading, trailing uint // the window of the last value
}

// decode returns a decoder before the first sample.
func (c *chunk) decode() decoder {
	return decoder{data: c.data, end: uint(c.bits), left: c.count, cursor: cursor{time: c.first.Time,
		value: math.Float64bits(c.first.Value), leading: noWindow, trailing: noWindow}}
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
	done := 0
	for d.cursor, done = d.read(d.data, dst); done < len(dst); {
		dst = dst[done:]
		done = d.readEnd(dst)
	}
	return n
}

// skip decodes up to n samples.
func (d *decoder) skip(n int) {
	var skipped [batchSize]Sample
	for n > 0 && d.left > 0 {
		n -= d.next(skipped[:min(n, batchSize)])
	}
}

// readEnd is read for the last bytes of data, which it sees with zeros behind them.
func (d *decoder) readEnd(dst []Sample) (done int) {
	var end [2 * ahead]byte
	from := min(d.at/8, uint(len(d.data)))
	copy(end[:], d.data[from:])
	c := d.cursor
	c.at -= 8 * from
	c, done = c.read(end[:], dst)
	c.at += 8 * from
	d.cursor = c
	return done
}

// ahead is how many bytes read needs before it to decode a sample.
const ahead = mostBits/8 + 1 + 16

// read decodes samples of data into dst as long as there are so many bytes ahead. It returns where
// it is then, and how many samples that were. Data that are damaged give samples of no meaning.
//
// A sample depends on the one before by the bit where it begins, so what counts is how soon that is
// known. One word has the code of the time, unless it is the longest one, and how that of the value
// begins. Nothing is called, so that all is in registers.
func (c cursor) read(data []byte, dst []Sample) (_ cursor, done int) {
	at, time, delta, value, leading, trailing := c.at, c.time, c.delta, c.value, c.leading, c.trailing
	for done < len(dst) && int(at/8)+ahead <= len(data) {
		word := bitsAt(data, at)
		switch {
		case word&1 == 0:
			at++
			word >>= 1
		case word&2 == 0:
			delta += signed(word>>2, 5)
			at += 7
			word >>= 7
		case word&4 == 0:
			delta += signed(word>>3, 8)
			at += 11
			word >>= 11
		default:
			if tag := uint(bits.TrailingZeros64(^word)); tag < 6 {
				n := timeBits >> (8 * tag) & 63
				delta += signed(word>>(tag+1), n)
				at += tag + 1 + n
				word >>= tag + 1 + n
			} else {
				delta += bitsAt(data, at+6) | bitsBehind(data, at+6)
				at += 6 + 64
				word = bitsAt(data, at)
			}
		}
		time += delta
		if word&1 == 0 {
			at++
		} else {
			at += 2
			if word&2 != 0 {
				at += leadingBits + windowBits
				leading = uint(word >> 2 & maxLeading)
				trailing = 63 - leading - uint(word>>(2+leadingBits)&(1<<windowBits-1))
			}
			differs := bitsAt(data, at)
			if leading+trailing < 64-57 {
				differs |= bitsBehind(data, at)
			}
			value ^= differs << ((leading + trailing) & 63) >> (leading & 63)
			at += 64 - leading - trailing
		}
		dst[done] = Sample{time, math.Float64frombits(value)}
		done++
	}
	return cursor{at, time, delta, value, leading, trailing}, done
}

// signed returns the lowest n bits of v as a signed number, 1 to 64.
func signed(v uint64, n uint) uint64 { return uint64(int64(v<<((64-n)&63)) >> ((64 - n) & 63)) }

// bitsAt returns 57 bits of data or more from a bit on.
func bitsAt(data []byte, at uint) uint64 {
	return binary.LittleEndian.Uint64(data[at/8:]) >> (at % 8)
}

// bitsBehind returns what bitsAt lacks of 64 bits, in their places.
func bitsBehind(data []byte, at uint) uint64 {
	return uint64(data[at/8+8]) << 1 << (63 - at%8)
}

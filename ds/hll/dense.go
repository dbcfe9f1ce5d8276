package hll

import "encoding/binary"

// Dense sketches: registers of six bits. Eight of them are six bytes, a group.

const (
	registerMax = 1<<6 - 1
	groupBytes  = 6
	groupCount  = 8
)

// raiseDense raises a register of a dense sketch to a rank and reports whether it was lower.
func (s Sketch) raiseDense(register int, rank uint8) bool {
	at, shift := headerSize+register*6>>3, register*6&7
	pair := uint16(s[at])
	if shift > 2 { // the register goes on in the next byte
		pair |= uint16(s[at+1]) << 8
	}
	if uint8(pair>>shift)&registerMax >= rank {
		return false
	}
	pair = pair&^(registerMax<<shift) | uint16(rank)<<shift
	s[at] = byte(pair)
	if shift > 2 {
		s[at+1] = byte(pair >> 8)
	}
	return true
}

// group returns the six bytes at b[0] as a number, the first register lowest.
func group(b []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
}

func setGroup(b []byte, g uint64) {
	binary.LittleEndian.PutUint32(b, uint32(g))
	binary.LittleEndian.PutUint16(b[4:], uint16(g>>32))
}

// countDense adds the registers of a dense sketch to a histogram.
func (s Sketch) countDense(h *histogram) {
	var odd histogram // neighbours are often equal, and an increment of the same counter would wait for the last one
	for b := s[headerSize:]; len(b) >= groupBytes; b = b[groupBytes:] {
		g := group(b)
		h[g&registerMax]++
		odd[g>>6&registerMax]++
		h[g>>12&registerMax]++
		odd[g>>18&registerMax]++
		h[g>>24&registerMax]++
		odd[g>>30&registerMax]++
		h[g>>36&registerMax]++
		odd[g>>42&registerMax]++
	}
	h.add(&odd)
}

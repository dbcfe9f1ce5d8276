package command

import (
	"encoding/binary"
	"math/bits"
)

// index finds commands by their names without regard to case, in a few nanoseconds. It is a hash
// table with open addressing, never more than half full, of the names that fit into two words.
// Those that do not are found in a map.
type index struct {
	slots []*Command // its length is a power of two
	used  int
}

// shortName is a name of 1 to 16 bytes in lower case: the bytes at its start and at its end, which
// overlap in most names, and its length, which tells "aaa" from "aaaa".
type shortName struct {
	start, end uint64
	length     int
}

// shortNameOf returns a name as a shortName, with length 0 if it is not that short.
func shortNameOf(name []byte) shortName {
	n := len(name)
	switch {
	case n > 16 || n == 0:
		return shortName{}
	case n >= 8:
		return shortName{lower(binary.LittleEndian.Uint64(name)), lower(binary.LittleEndian.Uint64(name[n-8:])), n}
	case n >= 4:
		return shortName{lower(uint64(binary.LittleEndian.Uint32(name)) |
			uint64(binary.LittleEndian.Uint32(name[n-4:]))<<32), 0, n}
	}
	return shortName{lower(uint64(name[0]) | uint64(name[n/2])<<8 | uint64(name[n-1])<<16), 0, n}
}

// lower turns the capital letters among eight bytes into small ones. No sum carries into the next
// byte.
func lower(x uint64) uint64 {
	const each = 0x0101010101010101
	low := x & (0x7f * each)
	fromA, afterZ := low+(0x80-'A')*each, low+(0x7f-'Z')*each // their high bits say which bytes are
	return x | (fromA&^afterZ&^x&(0x80*each))>>2
}

// slot returns where to look for the name first, in a table of size slots.
func (s shortName) slot(size int) int {
	high, low := bits.Mul64(s.start^0x9e3779b97f4a7c15, s.end^0xe7037ed1a0b428db^uint64(s.length)<<32)
	return int(high^low) & (size - 1)
}

// newIndex returns an index with room for the commands that most servers have.
func newIndex() index { return index{slots: make([]*Command, 1024)} }

// add adds a command by its short name.
func (x *index) add(c *Command) {
	if x.used++; 2*x.used > len(x.slots) {
		before := x.slots
		*x = index{slots: make([]*Command, 2*len(before)), used: 1}
		for _, other := range before {
			if other != nil {
				x.add(other)
			}
		}
	}
	at := c.short.slot(len(x.slots))
	for x.slots[at] != nil {
		at = (at + 1) & (len(x.slots) - 1)
	}
	x.slots[at] = c
}

// find returns the command with a short name, nil if there is none.
func (x *index) find(name shortName) *Command {
	for at := name.slot(len(x.slots)); ; at++ {
		c := x.slots[at&(len(x.slots)-1)]
		if c == nil || c.short == name {
			return c
		}
	}
}

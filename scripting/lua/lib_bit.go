package lua

import "math/bits"

// OpenBit installs the bit library as the global bit: operations on 32-bit
// integers, whose results are signed.
func OpenBit(L *State) *Table {
	return newLibrary(L, "bit", []entry{
		{"arshift", bitArshift},
		{"band", bitBand},
		{"bnot", bitNot},
		{"bor", bitBor},
		{"bswap", bitSwap},
		{"bxor", bitBxor},
		{"lshift", bitLshift},
		{"rol", bitRol},
		{"ror", bitRor},
		{"rshift", bitRshift},
		{"tobit", bitTobit},
		{"tohex", bitTohex},
	})
}

// checkBits returns number argument i as 32 bits.
func (c *Call) checkBits(i int) uint32 { return toBit(c.CheckNumber(i)) }

func (c *Call) returnBits(n uint32) { c.Return1(Number(float64(int32(n)))) }

// bit.tobit(x)
func bitTobit(_ *State, c *Call) { c.returnBits(c.checkBits(1)) }

// bit.bnot(x)
func bitNot(_ *State, c *Call) { c.returnBits(^c.checkBits(1)) }

// bit.bswap(x)
func bitSwap(_ *State, c *Call) { c.returnBits(bits.ReverseBytes32(c.checkBits(1))) }

// bit.band(x, ...)
func bitBand(_ *State, c *Call) {
	n := c.checkBits(1)
	for i := 2; i <= c.NArgs(); i++ {
		n &= c.checkBits(i)
	}
	c.returnBits(n)
}

// bit.bor(x, ...)
func bitBor(_ *State, c *Call) {
	n := c.checkBits(1)
	for i := 2; i <= c.NArgs(); i++ {
		n |= c.checkBits(i)
	}
	c.returnBits(n)
}

// bit.bxor(x, ...)
func bitBxor(_ *State, c *Call) {
	n := c.checkBits(1)
	for i := 2; i <= c.NArgs(); i++ {
		n ^= c.checkBits(i)
	}
	c.returnBits(n)
}

// bit.lshift(x, n); of n only the lower five bits count, here and below.
func bitLshift(_ *State, c *Call) { c.returnBits(c.checkBits(1) << (c.checkBits(2) & 31)) }

// bit.rshift(x, n)
func bitRshift(_ *State, c *Call) { c.returnBits(c.checkBits(1) >> (c.checkBits(2) & 31)) }

// bit.arshift(x, n)
func bitArshift(_ *State, c *Call) {
	c.returnBits(uint32(int32(c.checkBits(1)) >> (c.checkBits(2) & 31)))
}

// bit.rol(x, n)
func bitRol(_ *State, c *Call) {
	c.returnBits(bits.RotateLeft32(c.checkBits(1), int(c.checkBits(2)&31)))
}

// bit.ror(x, n)
func bitRor(_ *State, c *Call) {
	c.returnBits(bits.RotateLeft32(c.checkBits(1), -int(c.checkBits(2)&31)))
}

// bit.tohex(x [, n]): n digits, in capitals if n is negative.
func bitTohex(L *State, c *Call) {
	n, digits := c.checkBits(1), int32(8)
	if c.NArgs() > 1 {
		digits = int32(c.checkBits(2))
	}
	var space [8]byte
	c.Return1(L.textValue(appendHex(space[:0], n, digits)))
}

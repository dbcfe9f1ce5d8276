package redislib

import (
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// OpenBit installs the bit library as the global bit: operations on 32-bit
// integers, whose results are signed.
func OpenBit(L *lua.State) *lua.Table {
	t := library(
		lua.NewFunction("arshift", bitArshift),
		lua.NewFunction("band", bitBand),
		lua.NewFunction("bnot", bitNot),
		lua.NewFunction("bor", bitBor),
		lua.NewFunction("bswap", bitSwap),
		lua.NewFunction("bxor", bitBxor),
		lua.NewFunction("lshift", bitLshift),
		lua.NewFunction("rol", bitRol),
		lua.NewFunction("ror", bitRor),
		lua.NewFunction("rshift", bitRshift),
		lua.NewFunction("tobit", bitTobit),
		lua.NewFunction("tohex", bitTohex),
	)
	L.Globals.SetString(nil, "bit", t.Value())
	return t
}

// checkBits returns number argument i as 32 bits.
func checkBits(c *lua.Call, i int) uint32 { return toBit(c.CheckNumber(i)) }

func returnBits(c *lua.Call, n uint32) { c.Return1(lua.Number(float64(int32(n)))) }

// bit.tobit(x)
func bitTobit(_ *lua.State, c *lua.Call) { returnBits(c, checkBits(c, 1)) }

// bit.bnot(x)
func bitNot(_ *lua.State, c *lua.Call) { returnBits(c, ^checkBits(c, 1)) }

// bit.bswap(x)
func bitSwap(_ *lua.State, c *lua.Call) { returnBits(c, bits.ReverseBytes32(checkBits(c, 1))) }

// bit.band(x, ...)
func bitBand(_ *lua.State, c *lua.Call) {
	n := checkBits(c, 1)
	for i := 2; i <= c.NArgs(); i++ {
		n &= checkBits(c, i)
	}
	returnBits(c, n)
}

// bit.bor(x, ...)
func bitBor(_ *lua.State, c *lua.Call) {
	n := checkBits(c, 1)
	for i := 2; i <= c.NArgs(); i++ {
		n |= checkBits(c, i)
	}
	returnBits(c, n)
}

// bit.bxor(x, ...)
func bitBxor(_ *lua.State, c *lua.Call) {
	n := checkBits(c, 1)
	for i := 2; i <= c.NArgs(); i++ {
		n ^= checkBits(c, i)
	}
	returnBits(c, n)
}

// bit.lshift(x, n); of n only the lower five bits count, here and below.
func bitLshift(_ *lua.State, c *lua.Call) { returnBits(c, checkBits(c, 1)<<(checkBits(c, 2)&31)) }

// bit.rshift(x, n)
func bitRshift(_ *lua.State, c *lua.Call) { returnBits(c, checkBits(c, 1)>>(checkBits(c, 2)&31)) }

// bit.arshift(x, n)
func bitArshift(_ *lua.State, c *lua.Call) {
	returnBits(c, uint32(int32(checkBits(c, 1))>>(checkBits(c, 2)&31)))
}

// bit.rol(x, n)
func bitRol(_ *lua.State, c *lua.Call) {
	returnBits(c, bits.RotateLeft32(checkBits(c, 1), int(checkBits(c, 2)&31)))
}

// bit.ror(x, n)
func bitRor(_ *lua.State, c *lua.Call) {
	returnBits(c, bits.RotateLeft32(checkBits(c, 1), -int(checkBits(c, 2)&31)))
}

// bit.tohex(x [, n]): n digits, in capitals if n is negative.
func bitTohex(L *lua.State, c *lua.Call) {
	n, digits := checkBits(c, 1), int32(8)
	if c.NArgs() > 1 {
		digits = int32(checkBits(c, 2))
	}
	var space [8]byte
	c.Return1(L.CopyString(appendHex(space[:0], n, digits)))
}

// toBit reduces f to 32 bits as the bit library does: rounded to the nearest
// integer (ties to even), modulo 2^32. Adding 2^52 + 2^51 leaves the integer
// in the low bits of the sum; what is larger than that is not exact in C either.
func toBit(f float64) uint32 {
	return uint32(math.Float64bits(f + (1<<52 + 1<<51)))
}

// hexDigits are the digits of bit.tohex.
const (
	lowerHex = "0123456789abcdef"
	upperHex = "0123456789ABCDEF"
)

// appendHex appends the lowest digits hexadecimal digits of n, in capitals if
// digits is negative; at most 8.
func appendHex(dst []byte, n uint32, digits int32) []byte {
	alphabet := lowerHex
	if digits < 0 {
		digits, alphabet = -digits, upperHex
	}
	if digits < 0 || digits > 8 {
		digits = 8
	}
	for shift := (digits - 1) * 4; shift >= 0; shift -= 4 {
		dst = append(dst, alphabet[n>>shift&15])
	}
	return dst
}

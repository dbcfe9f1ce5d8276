package resp

import (
	"math"
	"math/bits"
	"strconv"
)

// Digits of doubles by Grisu2, from Florian Loitsch, "Printing Floating-Point Numbers Quickly and
// Accurately with Integers", 2010. Redis has used it since 7.2. All numbers between the two
// midpoints around a double read back as that double. Grisu2 multiplies the double and the
// midpoints by a power of ten, in 64 bits, so that the product's whole part has up to ten digits.
// Then it takes digits of the upper midpoint until the rest is below the distance of the midpoints,
// and decrements the last digit while that comes closer to the double.
//
// Rounding errors narrow the interval, so about one double in a thousand gets a digit too many, or
// a last digit that is not the nearest: 6.64e83 becomes 6.640000000000001e+83. Programs see these
// digits, so the choice of the power and each comparison are those of Redis.

const (
	hiddenBit  = 1 << 52
	bias       = 1023 + 52
	firstPower = -348
	powerStep  = 8
)

// FormatShortest appends f with the fewest digits that read back as f, nearly always. There is no
// exponent if at most seven zeros follow the digits, if at most six digits follow the point, or if
// the exponent would be between -3 and 3. inf and nan may have a sign. At most 25 bytes.
func FormatShortest(dst []byte, f float64) []byte {
	if math.Signbit(f) {
		dst = append(dst, '-')
	}
	switch f = math.Abs(f); {
	case f == 0:
		return append(dst, '0')
	case math.IsInf(f, 0):
		return append(dst, "inf"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	}
	digits, exp := shortest(math.Float64bits(f))
	return appendDecimal(dst, digits, exp)
}

// appendDecimal appends digits * 10^exp.
func appendDecimal(dst []byte, digits uint64, exp int) []byte {
	var room [20]byte
	text := strconv.AppendUint(room[:0], digits, 10)
	point := len(text) + exp
	switch {
	case exp >= powerStep || exp < 0 && exp <= -7 && (point <= -3 || point >= 5):
		return appendScientific(dst, text, point-1)
	case exp >= 0:
		dst = append(dst, text...)
		return append(dst, "0000000"[:exp]...)
	case point > 0:
		dst = append(dst, text[:point]...)
		dst = append(dst, '.')
		return append(dst, text[point:]...)
	}
	dst = append(dst, "0.00000"[:2-point]...)
	return append(dst, text...)
}

// appendScientific appends digits with the point behind the first one, and the exponent without
// leading zeros.
func appendScientific(dst, digits []byte, exp int) []byte {
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	if exp < 0 {
		return strconv.AppendInt(append(dst, 'e'), int64(exp), 10)
	}
	return strconv.AppendInt(append(dst, "e+"...), int64(exp), 10)
}

// shortest returns the digits of a positive finite double, as digits * 10^exp.
func shortest(double uint64) (digits uint64, exp int) {
	fraction, binary := double&(hiddenBit-1), int(double>>52)
	if binary == 0 {
		binary = 1
	} else {
		fraction |= hiddenBit
	}
	shift := bits.LeadingZeros64(fraction)
	binary -= bias + shift
	upper, lower := (fraction<<1+1)<<(shift-1), (fraction<<1-1)<<(shift-1)
	if fraction == hiddenBit { // doubles below are half as far away
		lower = (fraction<<2 - 1) << (shift - 2)
	}
	power, exp := powerFor(binary)
	s := scaled{double: times(fraction<<shift, power), upper: times(upper, power) - 1, lower: times(lower, power) + 1,
		shift: uint(-binary - powerExponent(exp) - 64)}
	digits, more := s.digits()
	return digits, more - exp
}

// powerFor returns the power of ten for a number with that binary exponent, as a fraction of 64
// bits and the exponent to ten. The whole part of the product has 4 to 32 bits. Two powers may fit;
// the guess decides.
func powerFor(binary int) (fraction uint64, exp int) {
	guess := int(-float64(binary+len(powers)) * 0.30102999566398114)
	for i := (guess - firstPower) / powerStep; ; {
		exp = firstPower + i*powerStep
		switch e := binary + powerExponent(exp) + 64; {
		case e < -60:
			i++
		case e > -32:
			i--
		default:
			return powers[i], exp
		}
	}
}

// powerExponent returns the binary exponent of 10^exp if its fraction has 64 bits: 217706/65536 is
// log2(10).
func powerExponent(exp int) int { return exp*217706>>16 - 63 }

// times returns the upper half of a product, rounded.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high + low>>63
}

// scaled is a double and its two midpoints, times a power of ten. They have shift bits after the
// point.
type scaled struct {
	double, upper, lower uint64
	shift                uint
}

// digits returns the digits of the double, times 10^exp.
func (s *scaled) digits() (digits uint64, exp int) {
	one := uint64(1) << s.shift
	whole, rest := s.upper>>s.shift, s.upper&(one-1)
	off, width := s.upper-s.double, s.upper-s.lower
	if rest <= width {
		return s.whole(whole, rest, off, width)
	}
	for rest >= width {
		rest, width, off = rest*10, width*10, off*10
		whole = whole*10 + rest>>s.shift
		rest &= one - 1
		exp--
	}
	return closer(whole, rest, one, off, width), exp
}

// whole is digits for a double of which digits of the whole part suffice. It drops as many of them
// as it may.
func (s *scaled) whole(digits, rest, off, width uint64) (uint64, int) {
	exp := 0
	for unit := uint64(1) << s.shift; ; exp++ {
		fewer := digits / 10
		more := rest + (digits-fewer*10)*unit
		if more > width {
			return closer(digits, rest, unit, off, width), exp
		}
		digits, rest, unit = fewer, more, unit*10
	}
}

// closer decrements digits while that comes closer to the double, which is off below the upper
// midpoint. digits are rest below it, and unit is the value of one.
func closer(digits, rest, unit, off, width uint64) uint64 {
	for rest < off && width-rest >= unit && (rest+unit < off || off-rest > rest+unit-off) {
		digits--
		rest += unit
	}
	return digits
}

// powers are the fractions of 10^-348, 10^-340 ... 10^340, rounded to 64 bits.
var powers = [...]uint64{
	0xfa8fd5a0081c0288, 0xbaaee17fa23ebf76, 0x8b16fb203055ac76, 0xcf42894a5dce35ea, 0x9a6bb0aa55653b2d,
	0xe61acf033d1a45df, 0xab70fe17c79ac6ca, 0xff77b1fcbebcdc4f, 0xbe5691ef416bd60c, 0x8dd01fad907ffc3c,
	0xd3515c2831559a83, 0x9d71ac8fada6c9b5, 0xea9c227723ee8bcb, 0xaecc49914078536d, 0x823c12795db6ce57,
	0xc21094364dfb5637, 0x9096ea6f3848984f, 0xd77485cb25823ac7, 0xa086cfcd97bf97f4, 0xef340a98172aace5,
	0xb23867fb2a35b28e, 0x84c8d4dfd2c63f3b, 0xc5dd44271ad3cdba, 0x936b9fcebb25c996, 0xdbac6c247d62a584,
	0xa3ab66580d5fdaf6, 0xf3e2f893dec3f126, 0xb5b5ada8aaff80b8, 0x87625f056c7c4a8b, 0xc9bcff6034c13053,
	0x964e858c91ba2655, 0xdff9772470297ebd, 0xa6dfbd9fb8e5b88f, 0xf8a95fcf88747d94, 0xb94470938fa89bcf,
	0x8a08f0f8bf0f156b, 0xcdb02555653131b6, 0x993fe2c6d07b7fac, 0xe45c10c42a2b3b06, 0xaa242499697392d3,
	0xfd87b5f28300ca0e, 0xbce5086492111aeb, 0x8cbccc096f5088cc, 0xd1b71758e219652c, 0x9c40000000000000,
	0xe8d4a51000000000, 0xad78ebc5ac620000, 0x813f3978f8940984, 0xc097ce7bc90715b3, 0x8f7e32ce7bea5c70,
	0xd5d238a4abe98068, 0x9f4f2726179a2245, 0xed63a231d4c4fb27, 0xb0de65388cc8ada8, 0x83c7088e1aab65db,
	0xc45d1df942711d9a, 0x924d692ca61be758, 0xda01ee641a708dea, 0xa26da3999aef774a, 0xf209787bb47d6b85,
	0xb454e4a179dd1877, 0x865b86925b9bc5c2, 0xc83553c5c8965d3d, 0x952ab45cfa97a0b3, 0xde469fbd99a05fe3,
	0xa59bc234db398c25, 0xf6c69a72a3989f5c, 0xb7dcbf5354e9bece, 0x88fcf317f22241e2, 0xcc20ce9bd35c78a5,
	0x98165af37b2153df, 0xe2a0b5dc971f303a, 0xa8d9d1535ce3b396, 0xfb9b7cd9a4a7443c, 0xbb764c4ca7a44410,
	0x8bab8eefb6409c1a, 0xd01fef10a657842c, 0x9b10a4e5e9913129, 0xe7109bfba19c0c9d, 0xac2820d9623bf429,
	0x80444b5e7aa7cf85, 0xbf21e44003acdd2d, 0x8e679c2f5e44ff8f, 0xd433179d9c8cb841, 0x9e19db92b4e31ba9,
	0xeb96bf6ebadf77d9, 0xaf87023b9bf0ee6b,
}

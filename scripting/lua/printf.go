package lua

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// directive is one conversion of a printf format: %[flags][width][.precision]verb.
type directive struct {
	minus, plus, space, sharp, zero bool
	width                           int
	precision                       int // -1: not given
	verb                            byte
}

const (
	errRepeatedFlags = "invalid format (repeated flags)"
	errLongWidth     = "invalid format (width or precision too long)"
)

// appendInt appends n in decimal digits.
func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// parseDirective reads the directive whose first byte after the percent sign
// is format[i]. It returns the index behind the verb and "" or what is wrong.
// A format that ends too early gives the verb 0.
func parseDirective(format string, i int) (d directive, next int, problem string) {
	start := i
	for i < len(format) && d.flag(format[i]) {
		i++
	}
	if i-start > 5 {
		return d, i, errRepeatedFlags
	}
	d.width, i = twoDigits(format, i)
	d.precision = -1
	if i < len(format) && format[i] == '.' {
		d.precision, i = twoDigits(format, i+1)
	}
	if i < len(format) {
		d.verb = format[i]
	}
	if d.verb-'0' < 10 {
		return d, i, errLongWidth
	}
	return d, i + 1, ""
}

func (d *directive) flag(c byte) bool {
	switch c {
	case '-':
		d.minus = true
	case '+':
		d.plus = true
	case ' ':
		d.space = true
	case '#':
		d.sharp = true
	case '0':
		d.zero = true
	default:
		return false
	}
	return true
}

// twoDigits reads at most two decimal digits.
func twoDigits(s string, i int) (n, next int) {
	for end := i + 2; i < end && i < len(s) && s[i]-'0' < 10; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, i
}

// pad appends text, brought to the directive's width with blanks.
func (d *directive) pad(dst []byte, text []byte) []byte {
	if !d.minus {
		dst = appendRepeat(dst, ' ', d.width-len(text))
	}
	dst = append(dst, text...)
	if d.minus {
		dst = appendRepeat(dst, ' ', d.width-len(text))
	}
	return dst
}

func appendRepeat(dst []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, c)
	}
	return dst
}

// number appends sign or prefix and digits, brought to the directive's width
// with blanks or, if zeros is set, with zeros behind the prefix.
func (d *directive) number(dst []byte, prefix string, digits []byte, zeros bool) []byte {
	missing := d.width - len(prefix) - len(digits)
	zeros = zeros && !d.minus
	if !d.minus && !zeros {
		dst = appendRepeat(dst, ' ', missing)
	}
	dst = append(dst, prefix...)
	if zeros {
		dst = appendRepeat(dst, '0', missing)
	}
	dst = append(dst, digits...)
	if d.minus {
		dst = appendRepeat(dst, ' ', missing)
	}
	return dst
}

func (d *directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

// signed appends n as %d.
func (d *directive) signed(dst []byte, n int64) []byte {
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	return d.integer(dst, d.sign(n < 0), magnitude, 10)
}

// unsigned appends n as %u, %o, %x or %X.
func (d *directive) unsigned(dst []byte, n uint64) []byte {
	switch d.verb {
	case 'x', 'X':
		prefix := ""
		if d.sharp && n != 0 {
			prefix = "0" + string(d.verb)
		}
		return d.integer(dst, prefix, n, 16)
	case 'o':
		return d.integer(dst, "", n, 8)
	}
	return d.integer(dst, "", n, 10)
}

func (d *directive) integer(dst []byte, prefix string, n uint64, base int) []byte {
	var space [128]byte
	text := appendDigits(space[:0], n, base, d.precision)
	if d.verb == 'X' {
		upperCase(text)
	}
	if base == 8 && d.sharp && (len(text) == 0 || text[0] != '0') {
		text = appendDigits(space[:0], n, base, len(text)+1)
	}
	return d.number(dst, prefix, text, d.zero && d.precision < 0)
}

// appendDigits appends n with at least precision digits; a zero with the
// precision 0 has none.
func appendDigits(dst []byte, n uint64, base, precision int) []byte {
	if n == 0 && precision == 0 {
		return dst
	}
	var space [24]byte
	digits := strconv.AppendUint(space[:0], n, base)
	dst = appendRepeat(dst, '0', precision-len(digits))
	return append(dst, digits...)
}

func upperCase(text []byte) {
	for i, c := range text {
		if c-'a' < 26 {
			text[i] = c - 0x20
		}
	}
}

// float appends f as %e, %E, %f, %g or %G.
func (d *directive) float(dst []byte, f float64) []byte {
	prefix, finite := d.sign(math.Signbit(f)), true
	var space [512]byte
	digits := space[:0]
	if math.IsNaN(f) || math.IsInf(f, 0) {
		finite = false
		digits = number.AppendNonFinite(digits, math.Copysign(f, 1))
	} else {
		digits = d.finite(digits, math.Abs(f))
	}
	if d.verb == 'E' || d.verb == 'G' {
		upperCase(digits)
	}
	return d.number(dst, prefix, digits, d.zero && finite)
}

func (d *directive) finite(dst []byte, f float64) []byte {
	precision := d.precision
	if precision < 0 {
		precision = 6
	}
	layout := d.verb | 0x20
	if layout == 'g' && d.sharp {
		layout, precision = sharpG(f, max(precision, 1))
	}
	dst = strconv.AppendFloat(dst, f, layout, precision, 64)
	if d.sharp && precision == 0 {
		dst = insertPoint(dst)
	}
	return dst
}

// sharpG returns the layout and the number of decimals by which %#g shows f
// with all its digits, trailing zeros included.
func sharpG(f float64, precision int) (layout byte, decimals int) {
	var space [128]byte
	text := strconv.AppendFloat(space[:0], f, 'e', precision-1, 64)
	end := len(text)
	for text[end-1] != 'e' {
		end--
	}
	exponent, _ := strconv.Atoi(string(text[end:]))
	if exponent < -4 || exponent >= precision {
		return 'e', precision - 1
	}
	return 'f', precision - 1 - exponent
}

// insertPoint adds the point that the # flag keeps: behind the digits, before
// an exponent.
func insertPoint(text []byte) []byte {
	i := len(text)
	for j, c := range text {
		if c == 'e' {
			i = j
		}
	}
	text = append(text, 0)
	copy(text[i+1:], text[i:])
	text[i] = '.'
	return text
}

// char appends the byte c as %c. As in C the result is cut at a zero byte.
func (d *directive) char(dst []byte, c byte) []byte {
	if c != 0 {
		return d.pad(dst, []byte{c})
	}
	if d.minus {
		return dst
	}
	return appendRepeat(dst, ' ', d.width-1)
}

// text appends s as %s, which ends at its first zero byte.
func (d *directive) text(dst []byte, s string) []byte {
	n := len(s)
	if d.precision >= 0 && d.precision < n {
		n = d.precision
	}
	for i := 0; i < n; i++ {
		if s[i] == 0 {
			n = i
		}
	}
	if !d.minus {
		dst = appendRepeat(dst, ' ', d.width-n)
	}
	dst = append(dst, s[:n]...)
	if d.minus {
		dst = appendRepeat(dst, ' ', d.width-n)
	}
	return dst
}

// appendQuoted appends s as %q does between its double quotes, readable by Lua.
func appendQuoted(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			dst = append(dst, '\\', c)
		case '\r':
			dst = append(dst, `\r`...)
		case 0:
			dst = append(dst, `\000`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

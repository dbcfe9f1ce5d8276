package json

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// Format is how a text is laid out, as the options of JSON.GET say. The zero value puts nothing
// between the parts.
type Format struct {
	Indent  string // before each element and member, once for each level
	Newline string // before them, and before what closes a container
	Space   string // behind the colon of a member
	Most    int    // Append stops when there are more bytes than that; 0 for no bound
}

// AppendText appends a value as JSON, as serde_json writes it.
func AppendText(dst []byte, v Value) []byte { return v.d.compact(dst, v.b, math.MaxInt) }

// compact appends the packed value at the beginning of b. It stops when there are more than most
// bytes.
func (d *Doc) compact(dst, b []byte, most int) []byte {
	switch tag := b[0]; tag {
	case tagArray:
		dst = d.compactChildren(append(dst, '['), bodyOf(b), false, most)
		return append(dst, ']')
	case tagObject:
		dst = d.compactChildren(append(dst, '{'), bodyOf(b), true, most)
		return append(dst, '}')
	case tagFarArray, tagFarObject:
		return d.compactPages(dst, d.tree.boxes[place(b)], most)
	default:
		return appendScalar(dst, Value{d, b})
	}
}

// compactChildren appends packed children.
func (d *Doc) compactChildren(dst, b []byte, object bool, most int) []byte {
	for len(b) > 0 && len(dst) <= most {
		if object {
			name, n := nameOf(b)
			dst, b = append(AppendString(dst, d.table().text(name)), ':'), b[n:]
		}
		dst = d.compact(dst, b, most)
		if b = b[sizeOf(b):]; len(b) > 0 {
			dst = append(dst, ',')
		}
	}
	return dst
}

// compactPages appends a large container.
func (d *Doc) compactPages(dst []byte, x *box, most int) []byte {
	opening, closing := byte('['), byte(']')
	if x.object {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	for i, p := range x.pages {
		if i > 0 {
			dst = append(dst, ',')
		}
		if len(dst) > most {
			return dst
		}
		dst = d.compactChildren(dst, d.tree.cells[p.cell].bytes(), x.object, most)
	}
	return append(dst, closing)
}

// Append appends a value that lies so many levels deep.
func (f *Format) Append(dst []byte, v Value, level int) []byte {
	switch {
	case f.Indent == "" && f.Newline == "" && f.Space == "":
		return v.d.compact(dst, v.b, cmp.Or(f.Most, math.MaxInt))
	case v.Kind() == Array:
		return append(f.children(append(dst, '['), v, level), ']')
	case v.Kind() == Object:
		return append(f.children(append(dst, '{'), v, level), '}')
	}
	return appendScalar(dst, v)
}

func appendScalar(dst []byte, v Value) []byte {
	switch tag := v.b[0]; {
	case tag >= tagShort:
		return AppendString(dst, v.b[1:1+tag-tagShort])
	case tag >= tagDecimal16 && tag < tagsEnd:
		return appendPoint(dst, v.b)
	}
	switch v.b[0] {
	case tagNull:
		return append(dst, "null"...)
	case tagFalse:
		return append(dst, "false"...)
	case tagTrue:
		return append(dst, "true"...)
	case tagFloat32, tagDouble:
		return AppendNumber(dst, v.Float())
	case tagText8, tagText16, tagFarText:
		return AppendString(dst, v.Text())
	}
	return appendInteger(dst, v)
}

func appendInteger(dst []byte, v Value) []byte {
	if n, ok := v.Int(); ok {
		return strconv.AppendInt(dst, n, 10)
	}
	return strconv.AppendUint(dst, v.Uint(), 10)
}

// appendPoint appends a packed decimal.
func appendPoint(dst, b []byte) []byte {
	n, scale := decimalOf(b)
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	power := int64(powers[scale])
	dst = append(strconv.AppendInt(dst, n/power, 10), '.')
	for n %= power; scale > 0; scale-- {
		power /= 10
		dst = append(dst, '0'+byte(n/power))
		n %= power
	}
	return dst
}

// children appends the children of a container.
func (f *Format) children(dst []byte, v Value, level int) []byte {
	c := v.Children()
	if !c.Next() {
		return dst
	}
	for {
		dst = f.Line(dst, level+1)
		if c.object {
			dst = append(AppendString(dst, c.Name()), ':')
			dst = append(dst, f.Space...)
		}
		dst = f.Append(dst, c.Value(), level+1)
		if !c.Next() {
			return f.Line(dst, level)
		}
		if f.Most > 0 && len(dst) > f.Most {
			return dst
		}
		dst = append(dst, ',')
	}
}

// Line begins a line that lies so many levels deep.
func (f *Format) Line(dst []byte, level int) []byte {
	dst = append(dst, f.Newline...)
	if f.Indent != "" {
		for range level {
			dst = append(dst, f.Indent...)
		}
	}
	return dst
}

// escape returns the letter behind the backslash with which a byte is written: u for an escape of
// digits, 0 for none.
func escape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	if c < ' ' {
		return 'u'
	}
	return 0
}

// AppendString appends a text in quotation marks. Only what must be is escaped.
func AppendString(dst, t []byte) []byte {
	dst = append(dst, '"')
	for {
		n := plain(t)
		dst = append(dst, t[:n]...)
		if n == len(t) {
			return append(dst, '"')
		}
		c := t[n]
		e := escape(c)
		if dst = append(dst, '\\', e); e == 'u' {
			dst = append(dst, '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		}
		t = t[n+1:]
	}
}

// plain returns how many bytes there are at the beginning of t that stand for themselves within
// quotation marks. It looks at eight of them at a time.
func plain(t []byte) (n int) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; n+8 <= len(t); n += 8 {
		w := binary.LittleEndian.Uint64(t[n:])
		quote, slash := w^ones*'"', w^ones*'\\'
		// A byte of x has its high bit set in (x-y)&^x if it is below y, or if one below it was.
		if special := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & high; special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for ; n < len(t); n++ {
		if c := t[n]; c < ' ' || c == '"' || c == '\\' {
			return n
		}
	}
	return n
}

// AppendNumber appends a finite number in the fewest digits that read back as f: a decimal with a
// point from 1e-5 to below 1e16, else with an exponent.
func AppendNumber(dst []byte, f float64) []byte {
	from := len(dst)
	if size := math.Abs(f); size == 0 || size >= 1e-5 && size < 1e16 {
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
		if bytes.IndexByte(dst[from:], '.') >= 0 {
			return dst
		}
		return append(dst, ".0"...)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes the sign of the exponent and two digits at least: 1e+20, 1e-07.
	to := from + bytes.IndexByte(dst[from:], 'e') + 1
	digits := to + 1
	if dst[to] == '-' {
		to++
	}
	for dst[digits] == '0' {
		digits++
	}
	return append(dst[:to], dst[digits:]...)
}

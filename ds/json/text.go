package json

import (
	"bytes"
	"math"
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
func AppendText(dst []byte, v Value) []byte { return new(Format).Append(dst, v, 0) }

// Append appends a value that lies so many levels deep.
func (f *Format) Append(dst []byte, v Value, level int) []byte {
	switch v.b[0] {
	case tagNull:
		return append(dst, "null"...)
	case tagFalse:
		return append(dst, "false"...)
	case tagTrue:
		return append(dst, "true"...)
	case tagFloat32, tagDouble:
		return AppendNumber(dst, v.Float())
	case tagArray, tagFarArray:
		return append(f.children(append(dst, '['), v, level), ']')
	case tagObject, tagFarObject:
		return append(f.children(append(dst, '{'), v, level), '}')
	}
	switch tag := v.b[0]; {
	case tag >= tagDecimal16 && tag < tagsEnd:
		return appendPoint(dst, v.b)
	case v.Kind() == String:
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
	from := 0
	for i, c := range t {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		e := escape(c)
		dst = append(append(dst, t[from:i]...), '\\', e)
		if e == 'u' {
			dst = append(dst, '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		}
		from = i + 1
	}
	return append(append(dst, t[from:]...), '"')
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

package ziplist

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// model is the naive form of a list: each entry's text and the width of its
// prevlen. It follows the same rules one entry at a time and is written out
// from scratch, so that lists can be compared byte for byte.
type model []modelEntry

type modelEntry struct {
	text  string
	width int
}

func (m model) size(i int) int { return m[i].width + len(plainEncode(m[i].text)) }

// prevlen of entry i.
func (m model) prevlen(i int) int {
	if i == 0 {
		return 0
	}
	return m.size(i - 1)
}

func narrowest(n int) int {
	if n < 254 {
		return 1
	}
	return 5
}

// follow sets the width of entry i after its predecessor was inserted or
// deleted, and passes the change on.
func (m model) follow(i, width int) {
	if i == len(m) || m[i].width == width {
		return
	}
	m[i].width = width
	for i++; i < len(m) && narrowest(m.prevlen(i)) > m[i].width; i++ {
		m[i].width = 5
	}
}

func (m model) insert(i int, text string) model {
	m = slices.Insert(m, i, modelEntry{text: text})
	m[i].width = narrowest(m.prevlen(i))
	if i+1 < len(m) {
		width := narrowest(m.size(i))
		if m[i+1].width == 5 && m.size(i) < 4 {
			width = 5
		}
		m.follow(i+1, width)
	}
	return m
}

func (m model) delete(i, n int) model {
	n = min(n, len(m)-i)
	if n <= 0 {
		return m
	}
	m = slices.Delete(m, i, i+n)
	if i < len(m) {
		m.follow(i, narrowest(m.prevlen(i)))
	}
	return m
}

func (m model) replace(i int, text string) model {
	if len(plainEncode(text)) == len(plainEncode(m[i].text)) {
		m[i].text = text
		return m
	}
	return m.delete(i, 1).insert(i, text)
}

func (m model) bytes() []byte {
	b, tail := make([]byte, 10), 10
	for i, e := range m {
		tail = len(b)
		if e.width == 1 {
			b = append(b, byte(m.prevlen(i)))
		} else {
			b = append(b, 254)
			b = binary.LittleEndian.AppendUint32(b, uint32(m.prevlen(i)))
		}
		b = append(b, plainEncode(e.text)...)
	}
	b = append(b, 255)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], uint32(tail))
	binary.LittleEndian.PutUint16(b[8:], uint16(min(len(m), 65535)))
	return b
}

// plainEncode is encoding and data of text, by way of the standard library.
func plainEncode(text string) []byte {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		var b []byte
		switch {
		case len(text) <= 63:
			b = []byte{byte(len(text))}
		case len(text) <= 16383:
			b = binary.BigEndian.AppendUint16(nil, 0x4000|uint16(len(text)))
		default:
			b = binary.BigEndian.AppendUint32([]byte{0x80}, uint32(len(text)))
		}
		return append(b, text...)
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	switch {
	case n >= 0 && n <= 12:
		return []byte{byte(0xF1 + n)}
	case n >= -1<<7 && n < 1<<7:
		return append([]byte{0xFE}, b[:1]...)
	case n >= -1<<15 && n < 1<<15:
		return append([]byte{0xC0}, b[:2]...)
	case n >= -1<<23 && n < 1<<23:
		return append([]byte{0xF0}, b[:3]...)
	case n >= -1<<31 && n < 1<<31:
		return append([]byte{0xD0}, b[:4]...)
	}
	return append([]byte{0xE0}, b...)
}

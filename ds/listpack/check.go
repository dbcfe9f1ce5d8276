package listpack

import (
	"encoding/binary"
	"fmt"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. It never panics, whatever the bytes, and lists that pass are safe for all methods. O(n).
func (l List) Check() error {
	if len(l) < headerSize+1 || uint64(binary.LittleEndian.Uint32(l)) != uint64(len(l)) || l[l.End()] != end {
		return fmt.Errorf("listpack: %d bytes without a header or an end that fit", len(l))
	}
	n := 0
	for pos := First; pos < l.End(); n++ {
		next, ok := l.checkElement(pos)
		if !ok {
			return fmt.Errorf("listpack: damaged element %d at %d", n, pos)
		}
		pos = next
	}
	if said := int(binary.LittleEndian.Uint16(l[4:])); said != n && said != uncounted {
		return fmt.Errorf("listpack: says %d elements and has %d", said, n)
	}
	return nil
}

// checkElement returns the position behind the element at pos if that is whole.
func (l List) checkElement(pos int) (next int, ok bool) {
	room := l.End() - pos
	if l[pos] > codeInt64 || codeBytes(l[pos]) > room {
		return 0, false
	}
	head, size, _ := l.shape(pos)
	n := head + size
	if n+backlenBytes(n) > room {
		return 0, false
	}
	var buf [5]byte
	back := appendBacklen(buf[:0], n)
	at := pos + n
	return at + len(back), string(l[at:at+len(back)]) == string(back)
}

// codeBytes returns the length of the code that begins with c.
func codeBytes(c byte) int {
	switch {
	case c < 0xc0:
		return 1
	case c < 0xf0:
		return 2
	case c == codeString32:
		return 5
	}
	return 1
}

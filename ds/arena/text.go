package arena

import "unsafe"

// A text in a cell is its length and its bytes. The length takes one byte up to 254, beyond that a
// byte of 255 and four more.

const (
	longText = 255
	longHead = 5
)

// TextSize returns how many bytes a text of n bytes takes: at least two, so that the address of an
// empty one is in its cell.
func TextSize(n int) int {
	if n < longText {
		return 1 + max(n, 1)
	}
	return longHead + n
}

// PutText writes a text at p and returns how many bytes behind p it ends.
func PutText(p unsafe.Pointer, text []byte) (end int) {
	n := len(text)
	if n < longText {
		*(*uint8)(p), end = uint8(n), 1
	} else {
		*(*uint8)(p), end = longText, longHead
		*(*uint32)(unsafe.Add(p, 1)) = uint32(n)
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(p, end)), n), text)
	return end + n
}

// Text returns the text at p, never nil. It shares the cell's memory.
func Text(p unsafe.Pointer) []byte {
	n, at := uint32(*(*uint8)(p)), longHead
	if n < longText {
		at = 1
	} else {
		n = *(*uint32)(unsafe.Add(p, 1))
	}
	return unsafe.Slice((*byte)(unsafe.Add(p, at)), n)
}

// Key is Text as a string.
func Key(p unsafe.Pointer) string {
	text := Text(p)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

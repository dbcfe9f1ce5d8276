// Package slot is the hash slots of Redis Cluster: to which of them a key belongs.
package slot

import "bytes"

// Count is the number of hash slots.
const Count = 16384

// Of returns the hash slot of a key: that of its tag, if it has one.
func Of(key []byte) uint16 {
	if tag := hashTag(key); len(tag) > 0 {
		key = tag
	}
	return crc16(key) % Count
}

// hashTag returns what stands in the first braces of a key; nothing if it has none.
func hashTag(key []byte) []byte {
	if _, rest, found := bytes.Cut(key, []byte("{")); found {
		if tag, _, closed := bytes.Cut(rest, []byte("}")); closed {
			return tag
		}
	}
	return nil
}

// OfPattern returns the hash slot of all keys that match a pattern. one is false if they may lie in
// several: then no tag comes before the first special character.
func OfPattern(pattern []byte) (slot uint16, one bool) {
	plain := pattern
	if i := bytes.IndexAny(pattern, "*?[\\"); i >= 0 {
		plain = pattern[:i]
	}
	return Of(plain), len(plain) == len(pattern) || len(hashTag(plain)) > 0
}

// crc16 is the checksum of XMODEM: the polynomial 0x1021, from zero.
func crc16(text []byte) (sum uint16) {
	for _, b := range text {
		sum ^= uint16(b) << 8
		for range 8 {
			top := sum >> 15
			sum = sum<<1 ^ top*0x1021
		}
	}
	return sum
}

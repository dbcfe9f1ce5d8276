package value

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
)

// Digest is a fingerprint of data, the one of Redis' DEBUG DIGEST: equal data have equal digests
// here and there, whatever their encodings and their order.
type Digest [sha1.Size]byte

// String returns the digest as 40 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Xor adds data whose order does not count.
func (d *Digest) Xor(data []byte) {
	sum := sha1.Sum(data)
	for i := range d {
		d[i] ^= sum[i]
	}
}

// Mix adds data whose order counts.
func (d *Digest) Mix(data []byte) {
	d.Xor(data)
	*d = sha1.Sum(d[:])
}

// MixNumber adds a number as Redis does, in 32 bits of network order.
func (d *Digest) MixNumber(n int) {
	d.Mix(binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// XorPair adds an element of a collection that consists of two texts.
func (d *Digest) XorPair(a, b []byte) {
	var pair Digest
	pair.Mix(a)
	pair.Mix(b)
	d.Xor(pair[:])
}

// Volatile stands in a digest for the deadline of an element.
var Volatile = []byte("!!hexpire!!")

// Mixer is a Digest to which a value adds itself.
type Mixer struct {
	Digest
	All17 bool // scores count with 17 digits
}

// XorVolatile adds those elements of a collection that have deadlines. Redis has no such elements
// but fields of hashes.
func (m *Mixer) XorVolatile(deadlines func(fn func(element []byte, deadline int64) bool)) {
	deadlines(func(element []byte, _ int64) bool {
		m.XorPair(element, Volatile)
		return true
	})
}

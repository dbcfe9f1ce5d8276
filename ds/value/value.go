// Package value says what all data types have in common: what a key can hold.
package value

import "strings"

// Value is what a key holds. Every method is O(1) but for Clone, and for Len where the data type says so.
type Value interface {
	Type() Type
	Len() int         // elements; bytes for a string
	Bytes() int       // bytes held, beyond the fixed size of the value itself
	Encoding() string // as OBJECT ENCODING says it
	// Clone returns a copy on the heap that shares nothing with the value. O(bytes).
	Clone() Value
	// Packed returns the bytes that are all of the value: a text, an integer, a ziplist or an intset. They belong
	// to the value. ok is false if it consists of more, as large collections do.
	Packed() (payload []byte, ok bool)
}

// Type is the data type of a value.
type Type uint8

// The types. None is the type of an absent key.
const (
	None Type = iota
	String
	Hash
	ZSet
	Set
	List
	Bloom
	Stream

	Types // how many there are, None included
)

// names has for a Bloom filter what RedisBloom calls its type.
var names = [Types]string{None: "none", String: "string", Hash: "hash", ZSet: "zset", Set: "set", List: "list",
	Bloom: "MBbloom--", Stream: "stream"}

// String returns the name that TYPE replies.
func (t Type) String() string { return names[t] }

// TypeNamed returns the type called name, in any case; ok is false if there is none.
func TypeNamed(name string) (t Type, ok bool) {
	for i, n := range names {
		if strings.EqualFold(n, name) && i != int(None) {
			return Type(i), true
		}
	}
	return None, false
}

// Vanishes reports whether a key disappears when its value of this type becomes empty.
func (t Type) Vanishes() bool { return t != String && t != Bloom && t != Stream }

// Clip returns the first index and the number of elements from start to stop, of size in all. Both are included, and
// negative ones count from the end, as in LRANGE.
func Clip(size, start, stop int) (first, n int) {
	if start < 0 {
		start = max(start+size, 0)
	}
	if stop < 0 {
		stop += size
	}
	start, stop = min(start, size), min(stop, size-1)
	return start, max(stop-start+1, 0)
}

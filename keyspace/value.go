package keyspace

import (
	"strings"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Value is what a key holds.
type Value interface {
	Len() int         // elements; bytes for a string
	Bytes() int       // bytes held, beyond the fixed size of the value itself
	Encoding() string // as OBJECT ENCODING says it
}

// Type is the data type of a value, as TYPE names it.
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
)

// typeNames has for a Bloom filter what RedisBloom calls its type.
var typeNames = [...]string{None: "none", String: "string", Hash: "hash", ZSet: "zset", Set: "set", List: "list",
	Bloom: "MBbloom--", Stream: "stream"}

// String returns the name that TYPE replies.
func (t Type) String() string { return typeNames[t] }

// TypeNamed returns the type called name, in any case; ok is false if there is none.
func TypeNamed(name string) (t Type, ok bool) {
	for i, n := range typeNames {
		if strings.EqualFold(n, name) && i != int(None) {
			return Type(i), true
		}
	}
	return None, false
}

// TypeOf returns the type of v.
func TypeOf(v Value) Type {
	switch v.(type) {
	case *str.Value:
		return String
	case *hash.Hash:
		return Hash
	case *zset.Set:
		return ZSet
	case *set.Set:
		return Set
	case *list.List:
		return List
	case *bloom.Filter:
		return Bloom
	case *stream.Stream:
		return Stream
	}
	return None
}

// Vanishes reports whether a key disappears when its value of this type becomes empty.
func (t Type) Vanishes() bool { return t != String && t != Bloom && t != Stream }

// empty reports whether a value in this state makes its key disappear.
func empty(v Value) bool { return TypeOf(v).Vanishes() && v.Len() == 0 }

// clone returns a deep copy of v on the heap.
func clone(v Value) Value {
	switch v := v.(type) {
	case *str.Value:
		c := v.Clone()
		return &c
	case *hash.Hash:
		c := v.Clone()
		return &c
	case *zset.Set:
		c := v.Clone()
		return &c
	case *set.Set:
		c := v.Clone()
		return &c
	case *list.List:
		c := v.Clone()
		return &c
	case *bloom.Filter:
		c := v.Clone()
		return &c
	case *stream.Stream:
		return v.Clone()
	}
	panic("keyspace: value of unknown type")
}

// keep returns a view as a value of its own on the heap, for a box. What the view built
// in memory of its own is taken over, everything else is copied, since it may lie in borrowed memory.
func keep(v Value) Value {
	switch v := v.(type) {
	case *hash.Hash:
		if _, packed := v.Packed(); !packed {
			c := *v
			return &c
		}
	case *zset.Set:
		if _, packed := v.Packed(); !packed {
			c := *v
			return &c
		}
	case *set.Set:
		if _, packed := v.Packed(); !packed {
			c := *v
			return &c
		}
	case *list.List:
		if _, packed := v.Packed(); !packed {
			c := *v
			return &c
		}
	}
	return clone(v)
}

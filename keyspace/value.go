package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Value is what a key holds.
type Value = value.Value

// Type is the data type of a value, as TYPE names it.
type Type = value.Type

// The types. None is the type of an absent key.
const (
	None   = value.None
	String = value.String
	Hash   = value.Hash
	ZSet   = value.ZSet
	Set    = value.Set
	List   = value.List
	Bloom  = value.Bloom
	Stream = value.Stream
)

// TypeNamed returns the type called name, in any case; ok is false if there is none.
func TypeNamed(name string) (t Type, ok bool) { return value.TypeNamed(name) }

// empty reports whether a value in this state makes its key disappear.
func empty(v Value) bool { return v.Type().Vanishes() && v.Len() == 0 }

// heldBytes is what a boxed value costs: its own struct and what it holds.
func heldBytes(v Value) int { return structBytes[v.Type()] + v.Bytes() }

// structBytes is what the allocator gives for the struct of a value of each type.
var structBytes = [value.Types]int{
	String: sizeclass.Round(int(unsafe.Sizeof(str.Value{}))),
	Hash:   sizeclass.Round(int(unsafe.Sizeof(hash.Hash{}))),
	ZSet:   sizeclass.Round(int(unsafe.Sizeof(zset.Set{}))),
	Set:    sizeclass.Round(int(unsafe.Sizeof(set.Set{}))),
	List:   sizeclass.Round(int(unsafe.Sizeof(list.List{}))),
	Bloom:  sizeclass.Round(int(unsafe.Sizeof(bloom.Filter{}))),
	Stream: sizeclass.Round(int(unsafe.Sizeof(stream.Stream{}))),
}

package keyspace

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/zset"
)

// Value is what a key holds.
type Value = value.Value

// Type is the data type of a value, as TYPE names it.
type Type = *value.Type

// The types whose small values lie in their entries. None is the type of an absent key.
var (
	None   Type
	String = str.Type
	Hash   = hash.Type
	ZSet   = zset.Type
	Set    = set.Type
	List   = list.Type
)

// TypeNamed returns the type called name, in any case; ok is false if there is none.
func (ks *Keyspace) TypeNamed(name string) (t Type, ok bool) {
	return ks.findType(func(t Type) bool { return strings.EqualFold(t.Name, name) })
}

// ModuleNamed returns the type whose values are saved as those of a module; ok is false if there is
// none.
func (ks *Keyspace) ModuleNamed(name string) (t Type, ok bool) {
	return ks.findType(func(t Type) bool { return t.Module != nil && t.Module.Name == name })
}

func (ks *Keyspace) findType(is func(t Type) bool) (t Type, ok bool) {
	if i := slices.IndexFunc(ks.Types, is); i >= 0 {
		return ks.Types[i], true
	}
	return None, false
}

// empty reports whether a value in this state makes its key disappear.
func empty(v Value) bool { return v.Type().Vanishes() && v.Len() == 0 }

// heldBytes is what a boxed value costs: its own struct and what it holds.
func heldBytes(v Value) int { return v.Type().Size + v.Bytes() }

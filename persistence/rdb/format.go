package rdb

import (
	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Format says in which types values are written.
type Format struct {
	// Version is the one that the readers know. What later ones added to streams is left out. 0
	// keeps all.
	Version int
	// Valkey writes Valkey's own version of the format, and its type of hashes whose fields have
	// deadlines. Streams are those of Version.
	Valkey bool
	// Listpacks writes each value in the type in which releases of that version write it, small
	// ones as listpacks, and says that version. Without it a value has the oldest type that can
	// hold it, a small one as a ziplist.
	Listpacks bool
}

// FormatOf returns the format of a release, which has listpacks since 7.0.
func FormatOf(r *release.Release, listpacks bool) Format {
	return Format{Version: versionBy(r.Has), Valkey: r.Has(valkeyFormat), Listpacks: listpacks}
}

var valkeyFormat = release.From("valkey:9.0.0")

// versionBy returns the newest version that came with a release that has reports.
func versionBy(has func(release.Since) bool) int {
	for _, v := range versionsSince {
		if has(v.since) {
			return v.version
		}
	}
	return oldest
}

// versionsSince are the versions after the oldest, with the releases that brought them, newest
// first.
var versionsSince = []struct {
	since   release.Since
	version int
}{{release.From("8.8.0"), 14}, {release.From("8.6.0"), 13}, {release.From("7.4.0"), 12}, {release.From("7.2.0"), 11},
	{release.From("7.0.0"), 10}}

// least returns the version that is written even where an older one can hold everything.
func (f Format) least() int {
	switch {
	case f.Valkey:
		return newestValkey
	case f.Listpacks:
		return max(f.Version, oldest)
	}
	return oldest
}

// typeOf returns the type in which a value is written.
func (f Format) typeOf(v keyspace.Value) byte {
	switch v := v.(type) {
	case *str.Value:
		return typeString
	case *list.List:
		return f.available(typeQuicklist2)
	case *hash.Hash:
		return f.hashType(v)
	case *zset.Set:
		return f.packedOr(v, typeZSetListpack, typeZSet)
	case *set.Set:
		if _, ints := v.Intset(); ints {
			return f.packedOr(v, typeIntset, typeSet)
		}
		return f.packedOr(v, typeSetListpack, typeSet)
	case *stream.Stream:
		return f.streamType(v)
	case *array.Array:
		return typeArray
	}
	return typeModule
}

// packedOr returns the type for a packed value or for another.
func (f Format) packedOr(v keyspace.Value, packed, large byte) byte {
	if _, ok := v.Packed(); ok {
		return f.available(packed)
	}
	return large
}

// hashType is typeOf for a hash.
func (f Format) hashType(h *hash.Hash) byte {
	switch _, packed := h.Packed(); {
	case packed:
		return f.available(typeHashListpack)
	case h.Encoding() == "listpackex" && f.writes(typeHashPackTTL):
		return typeHashPackTTL
	}
	return f.tableType(keyspace.Hash, h.Volatile())
}

// tableType is the type of a hash, set or sorted set in a table, of whose elements some have
// deadlines.
func (f Format) tableType(t keyspace.Type, volatile int) byte {
	switch {
	case t == keyspace.Set:
		return typeSet
	case t == keyspace.ZSet:
		return typeZSet
	case volatile == 0:
		return typeHash
	case f.Valkey:
		return typeHashValkey
	}
	return typeHashTTL
}

// writes reports whether the format has a type that came with listpacks.
func (f Format) writes(t byte) bool { return f.Listpacks && versionOf(t) <= f.Version }

// available returns t, or if the format does not have it the type that does the same.
func (f Format) available(t byte) byte {
	if old, came := olderTypes[t]; came && !f.writes(t) {
		return old
	}
	return t
}

// olderTypes are the types that did the same before some came with listpacks.
var olderTypes = map[byte]byte{typeHashListpack: typeHashZiplist, typeZSetListpack: typeZSetZiplist,
	typeQuicklist2: typeQuicklist, typeSetListpack: typeSet}

// packed encodes a ziplist, as a listpack if the type has one.
func (e *Encoder) packed(t byte, zl ziplist.List) {
	if t < typeHashListpack {
		e.string(zl)
		return
	}
	e.pack = listpack.From(e.pack, zl)
	e.string(e.pack)
}

package rdb

import (
	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/keyspace"
)

// typ encodes a value's type.
func (e *Encoder) typ(t byte) {
	e.byte(t)
	e.version = max(e.version, versionOf(t))
}

// typeOf returns the type in which a value is encoded.
func (e *Encoder) typeOf(v keyspace.Value) byte {
	_, packed := v.Packed()
	switch t := v.Type(); {
	case t == keyspace.Hash && v.(*hash.Hash).Volatile() > 0:
		return typeHashTTL
	case t == keyspace.Set && isIntset(v.(*set.Set)):
		return typeIntset
	case t == keyspace.Stream:
		return e.streamType(v.(*stream.Stream))
	case packed:
		return packedTypes[t]
	default:
		return largeTypes[t]
	}
}

func isIntset(s *set.Set) bool {
	_, ok := s.Intset()
	return ok
}

// The types in which packed and other values are encoded.
var (
	packedTypes = [value.Types]byte{keyspace.String: typeString, keyspace.List: typeQuicklist, keyspace.Hash: typeHashZiplist,
		keyspace.ZSet: typeZSetZiplist, keyspace.Set: typeSet}
	largeTypes = [value.Types]byte{keyspace.String: typeString, keyspace.List: typeQuicklist, keyspace.Hash: typeHash,
		keyspace.ZSet: typeZSet, keyspace.Set: typeSet, keyspace.Bloom: typeModule}
)

// value encodes a value in the type that typeOf returns. O(bytes).
func (e *Encoder) value(v keyspace.Value) {
	switch v := v.(type) {
	case *str.Value:
		if n, isInt := v.Int(); isInt {
			e.int(n)
		} else {
			e.string(v.Text(nil))
		}
	case *list.List:
		e.list(v)
	case *hash.Hash:
		e.hash(v)
	case *zset.Set:
		e.zset(v)
	case *set.Set:
		e.set(v)
	case *stream.Stream:
		e.stream(v)
	case *bloom.Filter:
		e.bloom(v)
	}
}

func (e *Encoder) list(l *list.List) {
	e.count(l.NodeCount())
	l.EachNode(func(data []byte, plain bool) {
		if plain {
			data = ziplist.New().Append(data)
		}
		e.string(data)
		e.yield(len(data))
	})
}

// yield yields to the pace after an element of the given size. It always returns true, for use in iterations.
func (e *Encoder) yield(bytes int) bool {
	if e.pace.Yield(bytes) && e.full != nil && len(e.buf) >= fullBytes {
		e.full(e.buf)
		e.buf = make([]byte, 0, fullBytes+fullBytes/8)
	}
	return true
}

// fullBytes is the size at which the buffer goes to full when a command waits. A buffer that grows would be copied again
// and again.
const fullBytes = 64 << 10

// entry encodes the text of an entry.
func (e *Encoder) entry(v ziplist.Entry) {
	if v.IsInt() {
		e.int(v.Int)
	} else {
		e.string(v.Str)
	}
}

func (e *Encoder) hash(h *hash.Hash) {
	if h.Volatile() > 0 {
		e.volatileHash(h)
		return
	}
	if zl, packed := h.Packed(); packed {
		e.string(zl)
		return
	}
	e.pairs(h)
}

func (e *Encoder) pairs(h *hash.Hash) {
	e.count(h.Len())
	h.Each(func(field, value ziplist.Entry) bool {
		e.entry(field)
		e.entry(value)
		return e.yield(len(field.Str) + len(value.Str))
	})
}

func (e *Encoder) zset(s *zset.Set) {
	if zl, packed := s.Packed(); packed {
		e.string(zl)
		return
	}
	e.count(s.Len())
	// From the last member to the first, as Redis does: loading then always inserts at the head of the skiplist.
	s.Range(0, -1, true, func(member []byte, score float64) bool {
		e.string(member)
		e.double(score)
		return e.yield(len(member))
	})
}

// elements encodes a hash, set or sorted set that is frozen.
func (e *Encoder) elements(t keyspace.Type, f *frozen.Elements) {
	isHash := t == keyspace.Hash
	if isHash && f.Volatile() > 0 {
		e.millis(f.First())
	}
	e.count(f.Len())
	f.Each(!isHash, func(x frozen.Element) {
		if isHash && f.Volatile() > 0 {
			e.elementDeadline(x.Deadline, f.First())
		}
		e.string(x.Name)
		switch t {
		case keyspace.Hash:
			e.string(x.Value)
		case keyspace.ZSet:
			e.double(x.Score)
		}
	}, func(bytes int) { e.yield(bytes) })
}

func (e *Encoder) set(s *set.Set) {
	if ints, ok := s.Intset(); ok {
		e.string(ints)
		return
	}
	e.count(s.Len())
	s.Each(func(member ziplist.Entry) bool {
		e.entry(member)
		return e.yield(len(member.Str))
	})
}

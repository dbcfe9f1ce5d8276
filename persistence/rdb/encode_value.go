package rdb

import (
	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// typ encodes a value's type.
func (e *Encoder) typ(t byte) {
	e.byte(t)
	e.version = max(e.version, versionOf(t))
}

// value encodes a value in the type that its Format chose. O(bytes).
func (e *Encoder) value(t byte, v keyspace.Value) {
	switch v := v.(type) {
	case *str.Value:
		if n, isInt := v.Int(); isInt {
			e.int(n)
		} else {
			e.string(v.Text(nil))
		}
	case *list.List:
		e.list(t, v)
	case *hash.Hash:
		e.hash(t, v)
	case *zset.Set:
		e.zset(t, v)
	case *set.Set:
		e.set(t, v)
	case *stream.Stream:
		e.stream(t, v)
	case *array.Array:
		e.array(v)
	default:
		e.module(v)
	}
}

func (e *Encoder) list(t byte, l *list.List) {
	e.count(l.NodeCount())
	l.EachNode(func(data []byte, plain bool) {
		switch alone := t == typeQuicklist2 && e.Format.Version > firstQuicklist2; {
		case plain && alone:
			e.count(nodePlain)
			e.string(data)
		case plain:
			data = ziplist.New().Append(data)
			fallthrough
		default:
			if t == typeQuicklist2 {
				e.count(nodePacked)
			}
			e.packed(t, data)
		}
		e.yield(len(data))
	})
}

// The kinds of nodes of a typeQuicklist2. Redis 7.0, which brought the type, has plain nodes for
// elements of a gigabyte only.
const (
	nodePlain  = 1
	nodePacked = 2

	firstQuicklist2 = 10
)

// yield yields to the pace after an element of the given size. It always returns true, for use in
// iterations.
func (e *Encoder) yield(bytes int) bool {
	if e.pace.Yield(bytes) && e.full != nil && len(e.buf) >= fullBytes {
		e.full(e.buf)
		e.buf = make([]byte, 0, fullBytes+fullBytes/8)
	}
	return true
}

// fullBytes is the size at which the buffer goes to full when a command waits. A buffer that grows
// would be copied again and again.
const fullBytes = 64 << 10

// entry encodes the text of an entry.
func (e *Encoder) entry(v ziplist.Entry) {
	if v.IsInt() {
		e.int(v.Int)
	} else {
		e.string(v.Str)
	}
}

func (e *Encoder) hash(t byte, h *hash.Hash) {
	switch zl, _ := h.Packed(); t {
	case typeHashPackTTL:
		e.triples(h)
	case typeHashTTL, typeHashValkey:
		e.volatileHash(t, h)
	case typeHash:
		e.pairs(h)
	default:
		e.packed(t, zl)
	}
}

func (e *Encoder) pairs(h *hash.Hash) {
	e.count(h.Len())
	h.Each(func(field, value ziplist.Entry) bool {
		e.entry(field)
		e.entry(value)
		return e.yield(len(field.Str) + len(value.Str))
	})
}

func (e *Encoder) zset(t byte, s *zset.Set) {
	if zl, packed := s.Packed(); packed {
		e.packed(t, zl)
		return
	}
	e.count(s.Len())
	// From the last member to the first, as Redis does: loading then always inserts at the head of
	// the skiplist.
	s.Range(0, -1, true, func(member []byte, score float64) bool {
		e.string(member)
		e.double(score)
		return e.yield(len(member))
	})
}

// elements encodes a hash, set or sorted set that is frozen, in a type of tables.
func (e *Encoder) elements(t byte, f *frozen.Elements) {
	if t == typeHashTTL {
		e.millis(f.First())
	}
	e.count(f.Len())
	isHash := t == typeHash || t == typeHashTTL || t == typeHashValkey
	f.Each(!isHash, func(x frozen.Element) {
		if t == typeHashTTL {
			e.elementDeadline(x.Deadline, f.First())
		}
		e.string(x.Name)
		switch {
		case isHash:
			e.string(x.Value)
			e.valkeyDeadline(t, x.Deadline)
		case t == typeZSet:
			e.double(x.Score)
		}
	}, func(bytes int) { e.yield(bytes) })
}

func (e *Encoder) set(t byte, s *set.Set) {
	switch t {
	case typeIntset:
		ints, _ := s.Intset()
		e.string(ints)
		return
	case typeSetListpack:
		zl, _ := s.Ziplist()
		e.packed(t, zl)
		return
	}
	e.count(s.Len())
	s.Each(func(member ziplist.Entry) bool {
		e.entry(member)
		return e.yield(len(member.Str))
	})
}

package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// table is the keys of a database: a dict.Index of the cells of their entries.
type table struct {
	*dict.Index
	seed uint64 // of the hash function
}

// located is an entry and the place in the table that refers to it. An absent key has none.
type located struct {
	entry
	ref *slab.Ref
}

func newTable(seed uint64, cells *slab.Slab) *table { return &table{dict.NewIndex(cells), seed} }

// entryAt returns the entry in a cell.
func entryAt(r slab.Ref) entry { return entry{slab.At(r)} }

// Hash returns the hash of a key.
func (t *table) Hash(key string) uint64 { return dict.Hash(t.seed, key) }

// HashOf returns the hash of an entry's key.
func (t *table) HashOf(r slab.Ref) uint64 { return t.hash(entryAt(r)) }

func (t *table) hash(e entry) uint64 { return t.Hash(e.Key()) }

// find returns the slot of a key with that hash.
func (t *table) find(hash uint64, key string) (s located) {
	p := t.Probe(hash)
	for ref := p.Next(); ref != nil; ref = p.Next() {
		if e := entryAt(*ref); e.hasKey(key) {
			return located{e, ref}
		}
	}
	return s
}

// slotOf returns the slot of an entry in the table.
func (t *table) slotOf(e entry, hash uint64) located {
	cell := slab.RefOf(e.p)
	p := t.Probe(hash)
	ref := p.Next()
	for *ref != cell {
		ref = p.Next()
	}
	return located{e, ref}
}

// add adds an entry for an absent key.
func (t *table) add(hash uint64, e entry) { t.Insert(hash, slab.RefOf(e.p), t) }

// each calls fn for every entry until fn returns false. fn must not add or remove keys.
func (t *table) each(fn func(e entry) bool) {
	t.Each(func(r slab.Ref) bool { return fn(entryAt(r)) })
}

// eachWithCode calls fn for every entry of whose key's hash that is the code, until fn returns
// false. fn must not add or remove keys.
func (t *table) eachWithCode(code uint32, fn func(e entry) bool) {
	t.EachCode(code, func(r slab.Ref) bool { return dict.Code(t.HashOf(r)) != code || fn(entryAt(r)) })
}

// fetch loads the entries of the chain at a cursor into the processor's caches, for a walk that
// visits them next. The sum has no meaning.
func (t *table) fetch(cursor uint64) (sum uint64) {
	t.ScanChain(cursor, func(r slab.Ref) { sum += uint64(entryAt(r).head().access) })
	return sum
}

package keyspace

import (
	"math"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Compaction moves the cells of databases together when many are free, in slices, and gives the
// chunks that it empties back to the system (see slab/compact.go). It changes places, and nothing
// else: not the entries, nor what they are accounted with.
//
//	StartCompaction   each database retires its emptiest chunks
//	Compact           a slice: looks at some cells, and moves those that are in such chunks
//
// Boxed values lie in Go's heap, where nothing moves, and values that go leave gaps that only
// others of the same size can fill. Go's allocator fills one block after the other; so copies of
// all values lie close together, and the collector gets the blocks of the originals. That costs
// more, and is done only if it is asked for; very large values have blocks of their own.
//
// A moved cell must be named by its new place wherever it was named before. These are all names of
// cells that outlive a command:
//
//	entry                the table, which has its Ref; its box, if it has one
//	piece of the table   the table
//	leaf                 its deadlines.Index
//
// The indexes of deadlines have codes of keys, and no places of entries. A snapshot has a cursor,
// the table, and boxes; the bit that says whether it has an entry is in the entry and moves with
// it. Views, keys that alias entries and open edits end with Begin, with which a slice starts. A
// BulkLoad has entries that are not in the table yet, and freed cells are no longer there: those
// stay where they are, in chunks that are not emptied this time. A value that is copied stays as it
// is for a snapshot that has it in its queue. A clone has cells of its own, none of them retired.
// Contents that were flushed are released as a whole.

// Compacted counts the cells that a compaction has looked at.
type Compacted struct {
	Moved, Stayed         int // cells
	KeysMoved, KeysStayed int // those of entries
}

// What looking at a cell and moving it costs, in units of about 10 ns.
const (
	lookCost  = 1
	moveCost  = 25
	pieceCost = 150
	copyCost  = 50

	bytesPerCost = 32 // that are moved or copied
)

// largestCopied is the size in bytes of the largest values that are copied: larger ones take blocks
// of Go's heap, and time.
const largestCopied = 32 << 10

// lowestItem is before all leaves.
var lowestItem = deadlines.Item{At: math.MinInt64}

// StartCompaction begins to move the cells of all databases together, and with values also to copy
// boxed values. It reports whether there is anything to move. O(chunks that are not full).
func (ks *Keyspace) StartCompaction(values bool) (started bool) {
	ks.Begin()
	for _, db := range ks.dbs[:ks.used] {
		if db.compaction.stage == idle {
			cells, blocks := db.memory.cells.Retire(), db.memory.blocks.slab.Retire()
			if cells || blocks || values && len(db.memory.boxes.list) > 0 {
				db.compaction = compaction{stage: compactEntries, leaf: lowestItem, blocks: blocks, values: values}
			}
		}
		started = started || db.compaction.stage != idle
	}
	return started
}

// Compact goes on with a compaction for about n times 10 ns. It returns what it did, and whether
// there is more to do. It ends the life of all views.
func (ks *Keyspace) Compact(n int) (done Compacted, more bool) {
	ks.Begin()
	for _, db := range ks.dbs[:ks.used] {
		for db.compaction.stage != idle {
			if n <= 0 {
				return done, true
			}
			n -= db.compact(&done)
		}
	}
	return done, false
}

// StopCompaction ends a compaction before it is complete.
func (ks *Keyspace) StopCompaction() {
	for _, db := range ks.dbs[:ks.used] {
		db.endCompaction()
	}
}

func (c *contents) endCompaction() {
	c.memory.cells.Reinstate()
	c.memory.blocks.slab.Reinstate()
	c.compaction = compaction{}
}

// compact takes one step of a compaction, and returns what it cost.
func (c *contents) compact(done *Compacted) (cost int) {
	switch z := &c.compaction; z.stage {
	case compactEntries:
		return c.compactChain(done)
	case compactTable:
		return c.compactPiece(done)
	case compactIndex:
		return c.compactLeaves(c.expires.index, done)
	case compactElements:
		return c.compactLeaves(c.elements.index, done)
	}
	return 0
}

// nextStage ends a stage, and after the last one the compaction.
func (c *contents) nextStage() {
	if c.compaction.stage++; c.compaction.stage > compactElements {
		c.endCompaction()
	}
}

// compactChain moves the entries of the next chain of the table.
func (c *contents) compactChain(done *Compacted) (cost int) {
	before := done.KeysMoved
	z := &c.compaction
	c.memory.ks.prefetched = c.table.fetch(z.chain)
	z.chain = c.table.ReplaceChain(z.chain, func(r slab.Ref) slab.Ref {
		from := r
		r = c.memory.moveEntry(r, done)
		e := entryAt(r)
		if r != from {
			cost += e.cellBytes() / bytesPerCost
		}
		if (z.values || z.blocks) && e.head().kind() == boxed && e.box().accounted <= largestCopied {
			cost += copyCost + e.box().accounted/bytesPerCost
			c.compactBox(e)
		}
		return r
	})
	if z.chain == 0 {
		c.nextStage()
	}
	return cost + 10*lookCost + (done.KeysMoved-before)*moveCost
}

// compactBox moves the blocks of a boxed value that are in retired chunks, or if it is asked for,
// copies box and value.
func (c *contents) compactBox(e entry) {
	if c.compaction.values {
		c.indexes.leave(e)
		c.memory.copyBox(e)
		c.memory.bytes += c.indexes.enter(e)
	} else if s := asSettled(e.box().value); s != nil {
		s.Settle(c.memory.blocks, true)
	}
}

// copyBox puts a copy in place of an entry's box and value. It may take fewer bytes, having no room
// to grow.
func (m *memory) copyBox(e entry) {
	old := e.box()
	twin := old.clone()
	m.blocks.settleNew(twin)
	m.blocks.drop(old.value)
	m.bytes += twin.accounted - old.accounted
	m.boxes.list[old.place] = twin
	e.setBox(twin)
}

// moveEntry moves an entry if it is in a retired chunk, and returns where it is then.
func (m *memory) moveEntry(r slab.Ref, done *Compacted) slab.Ref {
	p := slab.At(r)
	if !slab.Retired(p) {
		done.Stayed++
		done.KeysStayed++
		return r
	}
	done.Moved++
	done.KeysMoved++
	e := entry{m.cells.Move(p)}
	to := slab.RefOf(e.p)
	if e.head().kind() == boxed {
		e.box().cell = to
	}
	return to
}

// compactPiece moves the next piece of the table.
func (c *contents) compactPiece(done *Compacted) (cost int) {
	z := &c.compaction
	if z.piece >= c.table.Pieces() {
		c.nextStage()
		return lookCost
	}
	cost = lookCost
	c.table.ReplacePiece(z.piece, func(p unsafe.Pointer) unsafe.Pointer {
		if !slab.Retired(p) {
			done.Stayed++
			return p
		}
		done.Moved++
		cost = pieceCost
		return c.memory.cells.Move(p)
	})
	z.piece++
	return cost
}

// compactLeaves moves some leaves of an index.
func (c *contents) compactLeaves(x *deadlines.Index, done *Compacted) (cost int) {
	const most = 16
	next, moved, seen, more := x.Compact(c.compaction.leaf, most)
	done.Moved += moved
	done.Stayed += seen - moved
	if c.compaction.leaf = next; !more {
		c.compaction.leaf = lowestItem
		c.nextStage()
	}
	return seen*lookCost + moved*moveCost + lookCost
}

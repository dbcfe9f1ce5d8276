package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
)

// The blocks of large collections lie in a slab, too: another one than the entries, since these are
// copied chunk by chunk for a clone, and blocks with their values.
//
//	newBoxed, Commit ─▶ Settle                    what the value has in Go's heap moves into it
//	a change         ─▶ FreeBlock ─▶ ks.freed ── Begin ──▶ slab.Free
//	remove, replace  ─▶ ks.dropped ───────────── Begin, ReleaseFlushed ─▶ Drop, a few at a time
//	Flush            ─▶ ks.flushed, with all blocks of the database at once
//
// A value that a snapshot has in its queue is not dropped until it is saved.

// blocks is the memory of the boxed values of a database's contents.
type blocks struct {
	ks   *Keyspace
	slab *slab.Slab
	gone bool // flushed: the slab is released, or will be
}

var _ value.Memory = (*blocks)(nil)

func newBlocks(ks *Keyspace) *blocks { return &blocks{ks: ks, slab: slab.Blocks()} }

// Block returns n bytes that are zero, and the size of their cell.
func (b *blocks) Block(n int) (p unsafe.Pointer, held int) { return b.slab.Block(n) }

// FreeBlock lets Begin free a block of n bytes, and returns the size of its cell.
func (b *blocks) FreeBlock(p unsafe.Pointer, n int) (held int) {
	if !b.gone {
		b.ks.freed = append(b.ks.freed, freedCell{b.slab, p})
	}
	return slab.Size(n)
}

// Retired reports whether a block is in a chunk that a compaction empties.
func (b *blocks) Retired(p unsafe.Pointer) bool { return slab.Retired(p) }

// asSettled returns v as one whose blocks can lie in a Memory; nil for a value without.
func asSettled(v Value) value.Settler {
	s, _ := v.(value.Settler)
	return s
}

// settle moves what the value of a box has in Go's heap into the slab, and accounts for the value.
func (b *blocks) settle(x *box) {
	if !x.settled {
		if s := asSettled(x.value); s != nil {
			x.settled = s.Settle(b, false)
		}
	}
	x.accounted = heldBytes(x.value)
}

// settleNew is settle for a box that has got another value.
func (b *blocks) settleNew(x *box) {
	x.settled = false
	b.settle(x)
}

// dropped is a value to be dropped, and where its blocks are.
type dropped struct {
	value value.Settler
	from  *blocks
}

// blocksDropped is how many blocks of each kind a command may free that were in values which are
// gone.
const blocksDropped = 32

// drop lets a value go that is not used any more after the command.
func (b *blocks) drop(v Value) {
	if s := asSettled(v); s != nil {
		b.ks.dropped = append(b.ks.dropped, dropped{s, b})
	}
}

// keep takes back the value that was dropped last, if it is v.
func (ks *Keyspace) keep(v Value) {
	if last := len(ks.dropped) - 1; last >= 0 && ks.dropped[last].value == asSettled(v) {
		ks.dropped = ks.dropped[:last]
	}
}

// dropValues drops about n values, or frees as many blocks of a large one, and reports whether
// there are more.
func (ks *Keyspace) dropValues(n int) (more bool) {
	for last := len(ks.dropped) - 1; n > 0 && last >= 0; last = len(ks.dropped) - 1 {
		d := ks.dropped[last]
		if !d.from.gone && !ks.snapshot.keeps(d) {
			if n--; d.value.Drop(n + 1) {
				return true
			}
		}
		ks.dropped[last] = dropped{}
		ks.dropped = ks.dropped[:last]
	}
	if len(ks.dropped) == 0 && cap(ks.dropped) > keptFreed {
		ks.dropped = nil
	}
	return len(ks.dropped) > 0
}

package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Entries lie in cells of a slab, one slab for each database's contents, and so do the table and
// the indexes of deadlines. What is replaced, removed or evicted is freed when the command ends,
// because until then replies, hooks and views may refer to it:
//
//	remove, setValue ─▶ discard ─▶ ks.freed ── Begin ──▶ slab.Free
//	Flush            ─────────────▶ ks.flushed ─ Begin, ReleaseFlushed ─▶ slab.Release
//
// A snapshot still walks the tables that were flushed after it began, so nothing is released
// meanwhile.

// freedCell is a cell to be freed, and the slab that it belongs to: SWAPDB may have moved that to
// another database.
type freedCell struct {
	from *slab.Slab
	cell unsafe.Pointer
}

// keptFreed is how many places in the list of freed cells outlive a command.
const keptFreed = 1 << 12

// freeCells frees what was discarded, and releases a piece of what was dropped or flushed.
func (ks *Keyspace) freeCells() {
	if len(ks.dropped) > 0 {
		ks.dropValues(blocksDropped)
	}
	for _, f := range ks.freed {
		f.from.Free(f.cell)
	}
	if ks.freed = ks.freed[:0]; cap(ks.freed) > keptFreed {
		ks.freed = nil
	}
	if len(ks.flushed) > 0 {
		ks.releaseFlushed(1)
	}
}

// ReleaseFlushed gives the memory of large values that are gone, and that of flushed databases,
// back to the system, in pieces of about 4 MB, at most n, and reports whether there is more. It
// ends the life of all views.
func (ks *Keyspace) ReleaseFlushed(n int) (more bool) {
	if ks.Unreleased() == 0 {
		return false
	}
	ks.Begin()
	for ; n > 0 && len(ks.dropped) > 0; n-- {
		ks.dropValues(4 * blocksDropped)
		ks.freeCells()
	}
	return ks.releaseFlushed(n) || len(ks.dropped) > 0
}

// Unreleased returns how many large values, and slabs of flushed databases, wait for
// ReleaseFlushed.
func (ks *Keyspace) Unreleased() int { return len(ks.flushed) + len(ks.dropped) }

func (ks *Keyspace) releaseFlushed(n int) (more bool) {
	if ks.snapshot != nil || len(ks.flushed) == 0 {
		return false
	}
	if !ks.flushed[0].Release(n) {
		ks.flushed = ks.flushed[1:]
	}
	return len(ks.flushed) > 0
}

// CellBytes returns the bytes of the cells in use, and those of the memory held for cells.
func (ks *Keyspace) CellBytes() (live, held int) {
	for _, db := range ks.dbs {
		live += db.memory.cells.Live() + db.memory.blocks.slab.Live()
		held += db.memory.cells.Held() + db.memory.blocks.slab.Held()
	}
	return live, held
}

package array

import "math/bits"

// Layout is how an array is kept, and how Redis would keep it.
type Layout struct {
	Packed bool // it is small, and the rest tells what it would be

	// In Redis:
	Slices     int
	Directory  int // room for slices above them, or if there are blocks of slices, for blocks
	Blocks     int // of slices; 0 if the directory has the slices
	SliceSize  int // indexes
	Dense      int // slices
	Sparse     int
	Windows    int // offsets of the dense slices
	InWindows  int // elements there
	SparseRoom int // elements for which the sparse slices have room

	// Here:
	DenseHere int // slices
	Cells     int // bytes in use in the arena: slices, and texts
	Free      int // bytes of the arena that are not in use
	Pages     int // bytes of the pages
}

// Layout returns how the array is kept, with what it counts of slices only if that is wanted. O(1),
// O(slices) with it.
func (a *Array) Layout(lim Limits, counted bool) Layout {
	if a.large == nil {
		twin := Array{packed: a.packed}
		twin.grow(lim)
		l := twin.Layout(lim, counted)
		l.Packed = true
		return l
	}
	x := a.large
	l := Layout{Slices: x.slices, Directory: x.blockRoom, Blocks: x.blocks, SliceSize: int(x.size()),
		Cells: x.cells.Live(), Free: x.cells.Bytes() - x.cells.Live(), Pages: x.bytes() - x.cells.Bytes()}
	if x.blockRoom == 0 && x.slices > 0 {
		l.Directory = 1 << bits.Len64(x.lastSlice().id)
	}
	if counted {
		l.count(x)
	}
	return l
}

// count counts the slices.
func (l *Layout) count(x *large) {
	for _, p := range x.pages {
		for _, s := range p {
			if s.dense {
				l.DenseHere++
			}
			if s.shape.dense {
				l.Dense++
				l.Windows += 1 << s.shape.log
				l.InWindows += int(s.count)
			} else {
				l.Sparse++
				l.SparseRoom += int(s.shape.room)
			}
		}
	}
}

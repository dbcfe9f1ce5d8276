package arena

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Blocks lie in Go's heap until Settle gives them a Memory, and those above its largest size stay
// there. Their sizes are those of the Memory in both cases, so that an account does not depend on
// it.

// blockSize returns the size of the smallest block that has n bytes.
func blockSize(n int) int {
	if n > slab.MaxCell {
		return sizeclass.Round(n)
	}
	return slab.Size(n)
}

// newBlock returns a block of a size that blockSize has returned.
func newBlock(size int, mem value.Memory) unsafe.Pointer {
	if mem == nil || size > slab.MaxCell {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, size)))
	}
	p, _ := mem.Block(size)
	return p
}

// freeBlock frees a block, unless the collector does.
func freeBlock(p unsafe.Pointer, size int, mem value.Memory) {
	if mem != nil && size <= slab.MaxCell {
		mem.FreeBlock(p, size)
	}
}

// Memory returns where the blocks lie; nil for Go's heap.
func (a *Arena) Memory() value.Memory { return a.mem }

// Settle moves the blocks to mem, where further ones come from. With compact it moves those of a
// settled arena that are in memory which is being emptied. O(1) if there is nothing to do, else
// O(bytes).
func (a *Arena) Settle(mem value.Memory, compact bool) {
	was := a.mem
	if was == mem && !compact {
		return
	}
	a.mem = mem
	a.eachBlock(func(w uint32, h head) {
		old, size := a.windows[w], h.size()
		if size > slab.MaxCell || was == mem && !mem.Retired(old) {
			return
		}
		block := newBlock(size, mem)
		copy(unsafe.Slice((*byte)(block), size), unsafe.Slice((*byte)(old), size))
		a.setWindows(w, block, h)
		freeBlock(old, size, was)
	})
}

// Held returns the bytes of the blocks that Settle moves. O(blocks).
func (a *Arena) Held() (n int) {
	a.eachBlock(func(_ uint32, h head) {
		if h.size() <= slab.MaxCell {
			n += h.size()
		}
	})
	return n
}

// setWindows lets the windows of a block point into it.
func (a *Arena) setWindows(w uint32, block unsafe.Pointer, h head) {
	for i := range h.windows() {
		a.windows[w+i] = unsafe.Add(block, int(i)*windowSize)
	}
}

// Drop frees about n blocks of an arena that is not used for anything else any more, and reports
// whether there are more.
func (a *Arena) Drop(n int) (more bool) {
	if a.mem == nil {
		return false
	}
	for ; n > 0 && len(a.windows) > 0; n-- {
		block, spans := a.windows[0], uint32(1)
		if block != nil {
			h := *(*head)(block)
			spans = h.windows()
			freeBlock(block, h.size(), a.mem)
		}
		a.windows = a.windows[spans:]
	}
	return len(a.windows) > 0
}

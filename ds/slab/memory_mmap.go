//go:build unix && !race

package slab

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const regionSize = 4 << 20

var pageSize = os.Getpagesize()

// keepsRegions says whether the pool keeps a region of which no Slab has a chunk. It does, for its
// addresses: Go's heap might get them, and an old pointer would look like one into the heap, which
// the collector does not forgive.
const keepsRegions = true

func mapMemory(n int) unsafe.Pointer {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(fmt.Sprintf("slab: the system has no memory: %v", err))
	}
	return p
}

// getRegion maps twice the addresses of a region and unmaps what lies before and after the region.
func getRegion() unsafe.Pointer {
	p := mapMemory(2 * regionSize)
	before := toMultiple(p, regionSize)
	region := unsafe.Add(p, before)
	if before > 0 {
		_ = unix.MunmapPtr(p, uintptr(before))
	}
	_ = unix.MunmapPtr(unsafe.Add(region, regionSize), uintptr(regionSize-before))
	smallPages(region, regionSize)
	return region
}

// smallPages keeps Linux from using huge pages: the first write to a cell would make 2 MB resident.
func smallPages(p unsafe.Pointer, n int) {
	const noHugePage = 15 // MADV_NOHUGEPAGE
	if runtime.GOOS == "linux" {
		_ = unix.Madvise(unsafe.Slice((*byte)(p), n), noHugePage)
	}
}

// giveBack lets the system have the whole pages in n bytes. On Linux they read as zero afterwards.
func giveBack(p unsafe.Pointer, n int) {
	skip := toMultiple(p, pageSize)
	if skip < n {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), n-skip), unix.MADV_DONTNEED)
	}
}

// provide lets the system provide the whole pages in n bytes at once, which is faster than at the
// first write to each. Linux before 5.14 and other systems do nothing.
func provide(p unsafe.Pointer, n int) {
	const populateWrite = 23 // MADV_POPULATE_WRITE
	if skip := toMultiple(p, pageSize); runtime.GOOS == "linux" && skip < n {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), n-skip), populateWrite)
	}
}

//go:build unix && !race

package slab

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const regionSize = 4 << 20

var pageSize = os.Getpagesize()

// vacant are the regions that no Slab has. Their memory was given back, but not their addresses: Go's heap might get
// those, and an old pointer would look like one into the heap, which the collector does not forgive.
var vacant struct {
	sync.Mutex
	regions []unsafe.Pointer
}

func getRegion() unsafe.Pointer {
	vacant.Lock()
	defer vacant.Unlock()
	last := len(vacant.regions) - 1
	if last < 0 {
		return mapRegion()
	}
	p := vacant.regions[last]
	vacant.regions = vacant.regions[:last]
	return p
}

func putRegion(p unsafe.Pointer) {
	giveBack(p, regionSize)
	vacant.Lock()
	defer vacant.Unlock()
	vacant.regions = append(vacant.regions, p)
}

// mapRegion maps twice the addresses and unmaps what lies before and after the region.
func mapRegion() unsafe.Pointer {
	p, err := unix.MmapPtr(-1, 0, nil, 2*regionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(fmt.Sprintf("slab: the system has no memory: %v", err))
	}
	before := toMultiple(p, regionSize)
	region := unsafe.Add(p, before)
	if before > 0 {
		_ = unix.MunmapPtr(p, uintptr(before))
	}
	_ = unix.MunmapPtr(unsafe.Add(region, regionSize), uintptr(regionSize-before))
	smallPages(region)
	return region
}

// smallPages keeps Linux from using huge pages: the first write to a cell would make 2 MB resident.
func smallPages(region unsafe.Pointer) {
	const noHugePage = 15 // MADV_NOHUGEPAGE
	if runtime.GOOS == "linux" {
		_ = unix.Madvise(unsafe.Slice((*byte)(region), regionSize), noHugePage)
	}
}

// giveBack lets the system have the whole pages in n bytes. On Linux they read as zero afterwards.
func giveBack(p unsafe.Pointer, n int) {
	skip := toMultiple(p, pageSize)
	if skip < n {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), n-skip), unix.MADV_DONTNEED)
	}
}

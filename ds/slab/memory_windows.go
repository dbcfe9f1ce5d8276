//go:build windows && !race

package slab

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

const regionSize = 4 << 20

var pageSize = os.Getpagesize()

// keepsRegions says whether the pool keeps a region of which no Slab has a chunk. It does, for its
// addresses: see memory_mmap.go.
const keepsRegions = true

// getRegion finds addresses for twice a region, releases them, and takes the region among them.
// Between the two steps another thread may take them; then it looks again.
func getRegion() unsafe.Pointer {
	for {
		found, err := windows.VirtualAlloc(0, 2*regionSize, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
		if err != nil {
			panic(fmt.Sprintf("slab: the system has no memory: %v", err))
		}
		_ = windows.VirtualFree(found, 0, windows.MEM_RELEASE)
		at := (found + regionSize - 1) &^ (regionSize - 1)
		if at, err = windows.VirtualAlloc(at, regionSize, windows.MEM_RESERVE|windows.MEM_COMMIT,
			windows.PAGE_READWRITE); err == nil {
			return *(*unsafe.Pointer)(unsafe.Pointer(&at))
		}
	}
}

// giveBack lets the system have the whole pages in n bytes. Their content is undefined afterwards.
func giveBack(p unsafe.Pointer, n int) {
	skip := toMultiple(p, pageSize)
	if pages := (n - skip) &^ (pageSize - 1); skip < n && pages > 0 {
		_, _ = windows.VirtualAlloc(uintptr(unsafe.Add(p, skip)), uintptr(pages), windows.MEM_RESET,
			windows.PAGE_READWRITE)
	}
}

// provide does nothing: pages come with the first write to each.
func provide(unsafe.Pointer, int) {}

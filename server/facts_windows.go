package server

import (
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemName returns the name of the system, its release and its processor.
func systemName() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("Windows %d.%d.%d %s", v.MajorVersion, v.MinorVersion, v.BuildNumber, runtime.GOARCH)
}

var (
	kernel32             = windows.NewLazySystemDLL("kernel32.dll")
	globalMemoryStatusEx = kernel32.NewProc("GlobalMemoryStatusEx")
	processMemoryInfo    = kernel32.NewProc("K32GetProcessMemoryInfo")
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                                           uint32
	physical, freePhysical, file, freeFile, virtual, freeVirtual, extended uint64
}

// systemBytes returns the memory of the machine; 0 if the system does not report it.
var systemBytes = sync.OnceValue(func() int64 {
	m := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if ok, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&m))); ok == 0 {
		return 0
	}
	return int64(m.physical)
})

// addressSpace returns the limit of the address space of the process; 0 if there is none.
func addressSpace() int64 { return 0 }

// memoryCounters is PROCESS_MEMORY_COUNTERS.
type memoryCounters struct {
	size, faults                                                                                 uint32
	peakWorkingSet, workingSet, peakPaged, paged, peakNonPaged, nonPaged, pagefile, peakPagefile uintptr
}

// residentBytes returns the resident memory of the process; 0 if the system does not report it.
func residentBytes() int64 {
	m := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	if ok, _, _ := processMemoryInfo.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&m)),
		uintptr(m.size)); ok == 0 {
		return 0
	}
	return int64(m.workingSet)
}

// usedTimes returns the processor time of the process.
func usedTimes() times {
	var created, ended, system, user windows.Filetime
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &system, &user)
	passed := func(t windows.Filetime) time.Duration {
		return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
	}
	return times{passed(user), passed(system)}
}

// childrensTimes returns the processor time of the processes that it has started: Windows does not
// tell.
func childrensTimes() times { return times{} }

// clientsThatFit returns how many clients the system allows, at most n: Windows has no limit of its
// own.
func clientsThatFit(n int64) int64 { return n }

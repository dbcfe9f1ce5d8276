//go:build unix

package server

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// systemName returns the name of the system, its release and its processor.
func systemName() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	return fmt.Sprintf("%s %s %s", text(u.Sysname[:]), text(u.Release[:]), text(u.Machine[:]))
}

func text(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// systemBytes returns the memory of the machine; 0 if the system does not report it.
var systemBytes = sync.OnceValue(func() int64 {
	info, _ := os.ReadFile("/proc/meminfo")
	var kilobytes int64
	_, _ = fmt.Sscanf(string(info), "MemTotal: %d kB", &kilobytes)
	return kilobytes << 10
})

// addressSpace returns the limit of the address space of the process; 0 if there is none.
func addressSpace() int64 {
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &lim) != nil || uint64(lim.Cur) >= math.MaxInt64 { // Cur is signed on FreeBSD
		return 0
	}
	return int64(lim.Cur)
}

// residentBytes returns the resident memory of the process; 0 if the system does not report it.
func residentBytes() int64 {
	statm, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(statm)); len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	var usage unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage)
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// usedTimes returns the processor time of the process.
func usedTimes() times { return timesOf(unix.RUSAGE_SELF) }

// childrensTimes returns the processor time of the processes that it has started and that have
// ended.
func childrensTimes() times { return timesOf(unix.RUSAGE_CHILDREN) }

func timesOf(who int) times {
	var u unix.Rusage
	_ = unix.Getrusage(who, &u)
	return times{time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())}
}

// clientsThatFit returns how many clients the limit of file descriptors allows, at most n.
func clientsThatFit(n int64) int64 {
	const reserved = 32 // for everything else, as in Redis
	var lim unix.Rlimit
	// Cur is signed on FreeBSD
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil || uint64(n)+reserved <= uint64(lim.Cur) {
		return n
	}
	return max(1, int64(lim.Cur)-reserved)
}

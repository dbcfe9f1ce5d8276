//go:build linux && !netloops && !race

package server

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// readNow reads from a socket that does not wait.
func readNow(fd int, b []byte) (int, error) { return raw(unix.SYS_READ, fd, b) }

// writeNow writes to a socket that does not wait.
func writeNow(fd int, b []byte) (int, error) { return raw(unix.SYS_WRITE, fd, b) }

// raw makes a system call without telling the runtime, which need not prepare for one that takes
// long.
func raw(call uintptr, fd int, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, _, err := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

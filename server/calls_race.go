//go:build linux && !netloops && race

package server

import "golang.org/x/sys/unix"

// The race detector learns from these calls that what happened before a write happened before the
// read: a program may rely on that for a server of its own process.

func readNow(fd int, b []byte) (int, error) {
	n, err := unix.Read(fd, b)
	return max(n, 0), err
}

func writeNow(fd int, b []byte) (int, error) {
	n, err := unix.Write(fd, b)
	return max(n, 0), err
}

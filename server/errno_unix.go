//go:build unix

package server

import (
	"errors"

	"golang.org/x/sys/unix"
)

// missing reports whether err says that the machine does not have an address.
func missing(err error) bool {
	return errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.EAFNOSUPPORT) ||
		errors.Is(err, unix.EPROTONOSUPPORT) || errors.Is(err, unix.ENOPROTOOPT)
}

// addressTaken reports whether err says that another socket has the address.
func addressTaken(err error) bool { return errors.Is(err, unix.EADDRINUSE) }

package server

import (
	"errors"

	"golang.org/x/sys/windows"
)

// missing reports whether err says that the machine does not have an address.
func missing(err error) bool {
	return errors.Is(err, windows.WSAEADDRNOTAVAIL) || errors.Is(err, windows.WSAEAFNOSUPPORT) ||
		errors.Is(err, windows.WSAEPROTONOSUPPORT) || errors.Is(err, windows.WSAENOPROTOOPT)
}

// addressTaken reports whether err says that another socket has the address.
func addressTaken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE)
}

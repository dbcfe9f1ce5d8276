package server

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/errno"
)

// TakenError is the error of Listen for an address that another socket has.
type TakenError struct {
	Address string
	Port    int
}

func (e *TakenError) Error() string { return e.Address + ": Address already in use" }

// worded returns an error of listening as a user reads it: without the names of Go's calls.
func worded(err error, host string, port int) error {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	if addressTaken(err) {
		return &TakenError{address, port}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fmt.Errorf("%s: %s", address, dns.Err)
	}
	return fmt.Errorf("%s: %s", address, errno.Text(err))
}

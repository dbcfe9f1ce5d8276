// Package errno words the errors of the operating system as C's strerror does, which is how Redis
// writes them, on every system.
package errno

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"syscall"
)

// Text returns the text of an error; that of the operating system if it has one, capitalized as by
// C's strerror.
func Text(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err.Error()
	}
	if text := unixText(errno); text != "" {
		return text
	}
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// Errors of Windows, where package syscall has others under the names of Unix.
const (
	winRefused      = syscall.Errno(10061)
	winNotAvailable = syscall.Errno(10049)
)

// Refused reports whether an error says that a port is not open.
func Refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, winRefused)
}

// unixText returns C's text for errors that Windows words otherwise; "" elsewhere and for all
// others.
func unixText(errno syscall.Errno) string {
	switch {
	case runtime.GOOS != "windows":
		return ""
	case errors.Is(errno, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(errno, fs.ErrPermission):
		return "Permission denied"
	case errors.Is(errno, fs.ErrExist):
		return "File exists"
	case errno == winRefused:
		return "Connection refused"
	case errno == winNotAvailable:
		return "Cannot assign requested address"
	}
	return ""
}

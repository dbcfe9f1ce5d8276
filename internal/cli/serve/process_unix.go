//go:build unix

package serve

import (
	"os"
	"syscall"
)

// detached are the attributes of a daemon's process: it has a session of its own.
var detached = &syscall.SysProcAttr{Setsid: true}

// watchParent returns a function that reports whether the parent process lives. The system gives a
// process a new parent when the old one ends.
func watchParent() (lives func() bool) {
	parent := os.Getppid()
	return func() bool { return os.Getppid() == parent }
}

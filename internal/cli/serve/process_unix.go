//go:build unix

package serve

import "syscall"

// detached are the attributes of a daemon's process: it has a session of its own.
var detached = &syscall.SysProcAttr{Setsid: true}

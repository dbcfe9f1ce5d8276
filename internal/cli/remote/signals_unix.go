//go:build unix

package remote

import (
	"os"
	"syscall"
)

// switchSignals make a migration switch.
var switchSignals = []os.Signal{syscall.SIGUSR1}

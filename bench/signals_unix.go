//go:build unix

package main

import (
	"os"
	"syscall"
)

// Signals that stop a process for a while, and let it go on.
var stopSignal, continueSignal os.Signal = syscall.SIGSTOP, syscall.SIGCONT

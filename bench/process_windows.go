package main

import (
	"errors"
	"os"
	"time"
)

// Windows has no signals that stop a process for a while and let it go on. There -slice is refused.
var stopSignal, continueSignal os.Signal

// cpuTimeOf needs Linux, as does all that reads /proc.
func cpuTimeOf(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

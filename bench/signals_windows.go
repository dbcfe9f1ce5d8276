package main

import "os"

// Windows has no signals that stop a process for a while and let it go on. There -slice is refused.
var stopSignal, continueSignal os.Signal

package replication

import "syscall"

// rest stops the thread, not only the goroutine: the runtime's timers would need another thread to wake it.
func rest() {
	t := syscall.NsecToTimespec(int64(restFor))
	_ = syscall.Nanosleep(&t, nil) // a signal shortens it, which does no harm
}

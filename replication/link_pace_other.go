//go:build !linux

package replication

// rest does nothing where package syscall cannot stop the thread.
func rest() {}

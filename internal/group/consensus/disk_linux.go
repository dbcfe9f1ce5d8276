package consensus

import (
	"errors"
	"os"
	"syscall"
)

// reserve takes room for a file: later writes change no metadata, so synchronizing is one write.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return f.Truncate(size)
	}
	return err
}

func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

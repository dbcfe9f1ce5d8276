package disk

import (
	"os"
	"syscall"
)

// The flags of sync_file_range(2).
const (
	waitBefore = 1
	write      = 2
	waitAfter  = 4
)

// WriteBack implements WriteBacker for a file of the operating system. It does nothing where the
// file system does not support it; the final sync then writes everything.
func WriteBack(f *os.File, from, n int64, wait bool) error {
	flags := write
	if wait {
		flags |= waitBefore | waitAfter
	}
	switch err := syscall.SyncFileRange(int(f.Fd()), from, n, flags); err {
	case syscall.ENOSYS, syscall.EINVAL, syscall.ESPIPE, syscall.EPERM, syscall.EOPNOTSUPP:
		return nil
	default:
		return err
	}
}

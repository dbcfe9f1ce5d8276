package serve

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// awaitParent returns when the parent process has ended, or the context. The system tells of the
// end, since Linux 5.10, by a descriptor of the process.
func awaitParent(ctx context.Context) {
	parent := os.Getppid()
	lives := func() bool { return os.Getppid() == parent } // a process gets a new parent when the old one ends
	fd, err := unix.PidfdOpen(parent, unix.PIDFD_NONBLOCK)
	if err != nil {
		lookForParent(ctx, lives)
		return
	}
	process := os.NewFile(uintptr(fd), "parent")
	defer process.Close()
	defer context.AfterFunc(ctx, func() { _ = process.Close() })()
	conn, err := process.SyscallConn()
	if err == nil {
		err = conn.Read(func(uintptr) (ended bool) { return !lives() })
	}
	if err != nil && ctx.Err() == nil {
		lookForParent(ctx, lives)
	}
}

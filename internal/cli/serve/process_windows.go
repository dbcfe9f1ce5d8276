package serve

import (
	"context"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// detached are the attributes of a daemon's process: it has no console.
var detached = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}

// awaitParent returns when the parent process has ended, or the context. A process whose parent
// cannot be watched lives on.
func awaitParent(ctx context.Context) {
	parent, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		<-ctx.Done()
		return
	}
	lookForParent(ctx, func() bool {
		event, err := windows.WaitForSingleObject(parent, 0)
		return err != nil || event != windows.WAIT_OBJECT_0
	})
}

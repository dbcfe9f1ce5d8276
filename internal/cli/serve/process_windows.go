package serve

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// detached are the attributes of a daemon's process: it has no console.
var detached = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}

// watchParent returns a function that reports whether the parent process lives. A process whose
// parent cannot be watched lives on.
func watchParent() (lives func() bool) {
	parent, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return func() bool { return true }
	}
	return func() bool {
		event, err := windows.WaitForSingleObject(parent, 0)
		return err != nil || event != windows.WAIT_OBJECT_0
	}
}

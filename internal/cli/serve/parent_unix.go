//go:build unix && !linux

package serve

import (
	"context"
	"os"
)

// awaitParent returns when the parent process has ended, or the context. The system gives a process
// a new parent when the old one ends.
func awaitParent(ctx context.Context) {
	parent := os.Getppid()
	lookForParent(ctx, func() bool { return os.Getppid() == parent })
}

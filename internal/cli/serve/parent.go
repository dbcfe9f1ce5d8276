package serve

import (
	"context"
	"io"
	"time"
)

// How the program ends together with the process that has started it, for exit-with-parent: a test
// that is killed cannot stop its server. So the program waits for the end of its parent: see
// awaitParent.
//
// Two other ways would not do. Linux sends a signal that PR_SET_PDEATHSIG asks for, but when the
// thread ends that started the process, and in Go, Java and Node that may be long before the
// process. And the end of standard input tells only a program that nothing else reads it, nothing
// else holds its other end open, and that it is not /dev/null. Who knows all that asks for it by
// exit-with-input: a worker thread of Node may be ended, too, and only its pipes end with it.

// whileParentLives returns a context that also ends when the parent process does.
func whileParentLives(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		awaitParent(ctx)
	}()
	return ctx, cancel
}

// parentTime is how often the program looks for its parent, where no system tells of its end.
const parentTime = 100 * time.Millisecond

// lookForParent returns when the parent process has ended, or the context.
func lookForParent(ctx context.Context, lives func() bool) {
	for lives() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(parentTime):
		}
	}
}

// whileInputLasts returns a context that also ends when standard input does.
func whileInputLasts(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in)
	}()
	return ctx, cancel
}

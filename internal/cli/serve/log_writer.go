package serve

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// logWriter writes lines to a file that may hang, because its disk does or because it is a pipe
// that is not read. Write waits briefly for the line to be written. If that takes too long, further
// calls return at once until the file has caught up. A goroutine runs only while lines are pending.
type logWriter struct {
	to io.Writer

	mu    sync.Mutex
	lines [][]byte
	bytes int
	done  chan struct{} // closed when all is written; nil: nothing is being written
	hangs bool
}

const (
	logPatience = 10 * time.Millisecond
	maxLogBytes = 1 << 20 // that wait for the file
)

var errLogHangs = errors.New("the log cannot be written at the moment")

// Write implements io.Writer. A line for which there is no room is lost.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	if w.bytes+len(line) > maxLogBytes {
		w.mu.Unlock()
		return 0, errLogHangs
	}
	w.lines, w.bytes = append(w.lines, bytes.Clone(line)), w.bytes+len(line)
	if w.done == nil {
		w.done = make(chan struct{})
		go w.drain(w.done)
	}
	done, hangs := w.done, w.hangs
	w.mu.Unlock()
	if !hangs {
		w.await(done)
	}
	return len(line), nil
}

// await waits until all is written, or it takes too long.
func (w *logWriter) await(done chan struct{}) {
	limit := time.NewTimer(logPatience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		w.mu.Lock()
		w.hangs = w.done != nil
		w.mu.Unlock()
	}
}

// drain writes what waits.
func (w *logWriter) drain(done chan struct{}) {
	for {
		w.mu.Lock()
		lines := w.lines
		if w.lines = nil; len(lines) == 0 {
			w.done, w.hangs = nil, false
			close(done)
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		for _, line := range lines {
			_, _ = w.to.Write(line)
			w.mu.Lock()
			w.bytes -= len(line)
			w.mu.Unlock()
		}
	}
}

// flush waits for what is being written, but not for a file that hangs.
func (w *logWriter) flush() {
	w.mu.Lock()
	done := w.done
	w.mu.Unlock()
	if done != nil {
		w.await(done)
	}
}

package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
)

// wakes lists the connections that an event loop must handle again. So a message to a thousand subscribers is one call
// of the loop instead of a thousand.
type wakes struct {
	loop gnet.EventLoop
	due  atomic.Bool // the list is not empty

	mu    sync.Mutex
	list  []*conn
	spare []*conn // empty slice for the next list
}

// maxWakes is the capacity up to which a list is reused.
const maxWakes = 1 << 12

// add makes the loop handle a connection. It may be called from any goroutine.
func (w *wakes) add(c *conn) {
	w.mu.Lock()
	w.list = append(w.list, c)
	first := len(w.list) == 1
	w.due.Store(true)
	w.mu.Unlock()
	if first {
		_ = w.loop.Execute(context.Background(), w) // fails only when the loop ends and closes its connections
	}
}

// Run implements gnet.Runnable.
func (w *wakes) Run(context.Context) error {
	w.mu.Lock()
	list := w.list
	w.list, w.spare = w.spare[:0], nil
	w.due.Store(false)
	w.mu.Unlock()
	for _, c := range list {
		if !c.closed && c.traffic() == gnet.Close {
			_ = w.loop.Close(c.gc)
		}
	}
	if clear(list); cap(list) <= maxWakes {
		w.mu.Lock()
		w.spare = list[:0]
		w.mu.Unlock()
	}
	return nil
}

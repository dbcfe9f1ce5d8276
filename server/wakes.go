package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
)

// wakes is the connections of an event loop that it shall look at again: a message to a thousand listeners
// is one call for the loop, and not a thousand.
type wakes struct {
	loop gnet.EventLoop
	due  atomic.Bool // the list is not empty

	mu    sync.Mutex
	list  []*conn
	spare []*conn // room for the next list
}

// maxWakes is the length of a list whose room is kept.
const maxWakes = 1 << 12

// add has the loop look at a connection. It may be called from any goroutine.
func (w *wakes) add(c *conn) {
	w.mu.Lock()
	w.list = append(w.list, c)
	first := len(w.list) == 1
	w.due.Store(true)
	w.mu.Unlock()
	if first {
		_ = w.loop.Execute(context.Background(), w) // refused when all connections end anyway
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

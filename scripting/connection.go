package scripting

import (
	"sync"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Connection is that of a client that debugs, such as redis-cli --ldb: the engine's Debugger, which
// gets its requests, and the Console of package ldb.
type Connection struct {
	engine *engine.Engine
	client *engine.Session
	ending func() error // what ends the run of a client that is gone
	bytes  int          // that wait

	mu    sync.Mutex
	ready sync.Cond
	queue [][]string // requests that wait
	gone  bool
}

// maxRequests bounds the requests that wait, in bytes.
const maxRequests = 1 << 20

func newConnection(e *engine.Engine, client *engine.Session, ending func() error) *Connection {
	l := &Connection{engine: e, client: client, ending: ending}
	l.ready.L = &l.mu
	return l
}

// refuse ends the session before it has begun.
func (l *Connection) refuse(c *engine.Call, err error) {
	c.Reply.Array(1)
	c.Reply.Status("<endsession>")
	c.Reply.Error(err)
	c.Session.CloseAfterReply()
}

// Request takes a request of the client.
func (l *Connection) Request(words [][]byte) {
	if len(words) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	request := make([]string, len(words))
	for i, w := range words {
		request[i] = string(w)
		l.bytes += len(w) + 16
	}
	if l.bytes > maxRequests {
		l.gone = true
	}
	l.queue = append(l.queue, request)
	l.ready.Signal()
}

// Close reports that the client is gone.
func (l *Connection) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	l.ready.Signal()
}

func (l *Connection) isGone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// Ask waits for a request.
func (l *Connection) Ask() (words []string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.gone {
		l.ready.Wait()
	}
	if l.gone {
		return nil, false
	}
	words = l.queue[0]
	if l.queue = l.queue[1:]; len(l.queue) == 0 {
		l.queue, l.bytes = nil, 0
	}
	return words, true
}

// Gone returns what ends the run when the client is gone.
func (l *Connection) Gone() error { return l.ending() }

// Answer sends lines to the client.
func (l *Connection) Answer(lines []string) {
	l.engine.Answer(l.client, func(w *resp.Writer) { answer(w, lines) })
}

// End sends the last lines and the reply, of which there is none if it is too large: then the
// client is cut off.
func (l *Connection) End(lines []string, reply []byte) {
	l.engine.Answer(l.client, func(w *resp.Writer) {
		if reply == nil {
			w.Fill()
			return
		}
		answer(w, lines)
		w.Raw(reply)
	})
}

// answer writes lines as an array of status replies.
func answer(w *resp.Writer, lines []string) {
	w.Array(len(lines))
	for _, line := range lines {
		w.Status(line)
	}
}

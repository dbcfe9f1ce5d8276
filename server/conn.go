package server

import (
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// conn is one connection: its session and its input that is not executed yet. All methods but Wake
// run on the connection's event loop.
type conn struct {
	server   *Server
	from     engine.Endpoint
	first    []byte            // what had been read before the event loop got the connection
	ended    func(broken bool) // called when the connection is closed; nothing more can be sent if it is broken
	session  *engine.Session
	named    *atomic.Pointer[[]string] // the users of its certificate, once they are known; nil if they do not count
	socket   socket
	in       *input // what is not executed; nothing if nothing is
	loop     *loop
	held     int // replies of this connection in the loop's group
	bound    int // those of them that wait at the barrier, or behind such
	waiting  int // bytes of these
	queued   int // bytes of the arguments that MULTI has queued
	blocked  bool
	counted  bool        // the session counts bytes of the input
	roomy    bool        // the server knows that the input has room to release
	quiet    bool        // nothing has arrived since the server looked at the room
	deaf     bool        // protocol errors wait for the next read
	dying    bool        // executes nothing more; closes when its output is sent
	dropped  bool        // closes at once
	broken   bool        // can send nothing more
	closed   bool        // the loop has closed it
	last     *last       // nil: the loop sends the replies
	draining atomic.Bool // tick will wake it
	streams  atomic.Bool // wants to be woken when the socket has taken everything
	late     time.Time   // since when the unsent output exceeds the soft limit; zero if it does not
	stall    stall       // of the output of a dying connection
}

// Wake makes the event loop handle the connection again. It may be called from any goroutine.
func (c *conn) Wake() { c.loop.wake(c) }

// WakeSoon is Wake for what may wait for more, see paced. It may be called from any goroutine.
func (c *conn) WakeSoon() { c.loop.wakeSoon(c) }

// stall is since when a client has taken nothing of its output.
type stall struct {
	unsent int
	since  time.Time
}

// exceeds reports whether the client has taken nothing for closeTimeout.
func (s *stall) exceeds(unsent int) bool {
	if unsent != s.unsent {
		*s = stall{unsent, time.Now()}
	}
	return time.Since(s.since) > closeTimeout
}

// counts are counters of connections for INFO.
type counts struct {
	clients              atomic.Int64 // accepted and not closed
	rejected, long, slow atomic.Int64 // connections; long and slow by the limits of input and output
	unread               atomic.Int64 // bytes that went with their connections, since tick looked
}

// muchUnread is how many bytes that ended connections have not read are worth a collection, which
// gives their memory back to the system at once.
const muchUnread = 16 << 20

// Timeouts of the handshake, and of the last writes of a connection that ends.
const (
	handshakeTimeout = 10 * time.Second
	closeTimeout     = 10 * time.Second
)

package server

import (
	"cmp"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// loop is what the event loops of both kinds have in common: loops_epoll.go serves sockets on
// Linux, netloop.go any net.Conn. A loop works in rounds:
//
//	wait ─▶ input of each connection ─▶ functions ─▶ wakes ─▶ replies ─▶ a turn ─▶ wait
//
// What other goroutines want of its connections they put into its lists, which ends the wait.
type loop struct {
	group
	turns  turns
	paced  paced
	number int          // from 0
	moved  moved        // by its connections
	load   atomic.Int64 // connections that it has or will have

	feed func(nc net.Conn, receive engine.Receive) (engine.Feed, error) // see Engine.Feed; nil if the loop cannot
	// Ends the wait, or the next one; called from any goroutine.
	interrupt func()
	// Ends a wait after some time, unless another alarm does so before; nil if it cannot.
	alarm func(after time.Duration)
	due   atomic.Bool // the lists are not empty

	mu        sync.Mutex
	functions []func() // to call
	// To handle again: so a message to a thousand subscribers is one interruption instead of a
	// thousand.
	wakes []*conn
	spare []*conn // empty slice for the next list
	ended bool
}

// maxWakes is the capacity up to which a list is reused.
const maxWakes = 1 << 12

// socket is a loop's end of a connection. Its methods are called on the loop, and do not wait.
type socket interface {
	// fd returns the file descriptor, -1 if there is none.
	fd() int
	// read reads what has arrived. It returns 0 if nothing has, or if only the loop can read.
	read(room []byte) int
	// write sends, and keeps what the client does not take yet. An error says that nothing can be
	// sent any more.
	write(b []byte) error
	// unsent returns the number of bytes that write has kept.
	unsent() int
	// another returns a second end, which outlives close.
	another() (net.Conn, error)
	// close ends the connection: it calls conn.close first.
	close()
}

// join makes a loop one of a server's.
func (l *loop) join(s *Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.group.server, l.group.loop, l.number = s, l, len(s.loops)
	s.loops = append(s.loops, l)
}

// execute makes the loop call fn in this round or the next. It may be called from any goroutine. It
// reports false if the loop has ended.
func (l *loop) execute(fn func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.functions = append(l.functions, fn)
		l.announce()
	}
	return !l.ended
}

// wake makes the loop handle a connection again. It may be called from any goroutine.
func (l *loop) wake(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wakes = append(l.wakes, c)
	l.announce()
}

// wakeSoon is wake for a connection that may wait for more to send.
func (l *loop) wakeSoon(c *conn) {
	if l.alarm == nil {
		l.wake(c)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paced.add(c) {
		l.interrupt()
	}
}

func (l *loop) announce() {
	if !l.due.Swap(true) {
		l.interrupt()
	}
}

// take empties the lists.
func (l *loop) take() (functions []func(), wakes []*conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	functions, wakes = l.functions, l.wakes
	l.functions, l.wakes, l.spare = nil, l.spare, nil
	return functions, wakes
}

// giveBack lets a list be used again.
func (l *loop) giveBack(wakes []*conn) {
	if clear(wakes); cap(wakes) <= maxWakes {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.spare = wakes[:0]
	}
}

// byLoad compares loops by their connections.
func byLoad(a, b *loop) int { return cmp.Compare(a.load.Load(), b.load.Load()) }

// group is the replies of an event loop that leave together. There are two reasons to wait. Speed:
// sending replies together costs less, since the client's thread wakes once and finds several
// instead of one; more than a few would let it idle while the loop works. Durability: replies must
// wait until the journal has saved the changes, and one Commit at the end of the round serves all
// its commands:
//
//	loop   Do hold Do hold Do hold ... endRound: Commit, send, send, send
//
// A group belongs to its loop.
type group struct {
	server *Server
	loop   *loop
	free   held   // what waits for the journal, or for a few others in the round
	bound  held   // what waits at the barrier, or behind such replies of its connection
	owing  bool   // replies wait for the journal
	failed bool   // it could not save, and is tried again later
	awaits uint64 // what replies wait for at the barrier; 0 for nothing
	queue  []*delivery
}

// part is the replies of one batch in out: their connection and their length.
type part struct {
	to     *conn
	n      int
	awaits bool // it waits at the barrier
}

// held is replies that wait together.
type held struct {
	out   []byte
	parts []part // of out, in order
}

// delivery is the replies of one round of a loop that wait at the barrier, or behind others that
// do:
//
//	loop   Do hold Do hold ... endRound: Settle ─▶ queue ... done ─▶ send, send
//
// Deliveries leave in order, so that the replies of a connection do.
type delivery struct {
	held
	group            *group
	settled, certain bool
}

const (
	fewParts = 12                     // replies that leave together if they wait for nothing else
	fewBytes = 32 << 10               // bytes of them after which they leave
	maxGroup = 1 << 20                // largest buffer that is kept for the next group, in bytes
	maxPart  = 16 << 10               // largest part that is worth a copy, in bytes
	retry    = 100 * time.Millisecond // delay after a failed Commit
)

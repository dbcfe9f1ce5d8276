package server

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// gatekeeper is a Barrier that a test opens.
type gatekeeper struct {
	awaited atomic.Uint64

	mu   sync.Mutex
	asks []func(bool)
	all  chan uint64 // what was asked for
}

func (g *gatekeeper) Settle(awaited uint64, done func(bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asks = append(g.asks, done)
	g.all <- awaited
}

// answer answers a question.
func (g *gatekeeper) answer(i int, certain bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asks[i](certain)
}

// awaits has all wait but reads of the settled key.
func (g *gatekeeper) awaits(settled bool) uint64 {
	if settled {
		return 0
	}
	return g.awaited.Load()
}

func startWithBarrier(t *testing.T) (*running, *gatekeeper) {
	g := &gatekeeper{all: make(chan uint64, 100)}
	g.awaited.Store(7)
	r := startWith(t, Options{Barrier: g}, func(e *engine.Engine) {
		e.Join(engine.Part{Awaits: g.awaits, Settled: func(key []byte) bool { return string(key) == "settled" }})
	})
	return r, g
}

// next returns what the server asks for next.
func (g *gatekeeper) next(t *testing.T) uint64 {
	select {
	case awaited := <-g.all:
		return awaited
	case <-time.After(patience):
		t.Fatal("the server asks for nothing")
		return 0
	}
}

func TestRepliesWaitAtTheBarrier(t *testing.T) {
	r, g := startWithBarrier(t)
	c, other := r.dial(t), r.dial(t)
	c.send("SET k v\r\n")
	require.EqualValues(t, 7, g.next(t))
	c.send("GET k\r\n")
	g.next(t)

	g.awaited.Store(0) // of another connection nothing is awaited, and it is not held up for long
	g.answer(1, true)  // this one waits for the first
	g.answer(0, true)
	for _, want := range []string{"+OK", "$1", "v"} {
		require.Equal(t, want, c.line())
	}
	require.Equal(t, "+PONG", other.ask("PING"))
}

func TestTheBarrierEndsConnections(t *testing.T) {
	r, g := startWithBarrier(t)
	c := r.dial(t)
	c.send("SET k v\r\n")
	g.next(t)
	g.answer(0, false)
	c.closed()
}

func TestMessagesWaitAtTheBarrier(t *testing.T) {
	r, g := startWithBarrier(t)
	g.awaited.Store(0)
	subscriber, publisher := r.dial(t), r.dial(t)
	require.Equal(t, "*3", subscriber.ask("SUBSCRIBE news"))
	for range 5 {
		subscriber.line()
	}
	g.awaited.Store(8)
	publisher.send("PUBLISH news hello\r\n")
	go func() { // reply and message may be settled together, or one after the other
		for i := 0; ; i++ {
			if <-g.all == 0 {
				return
			}
			g.answer(i, false)
		}
	}()
	subscriber.closed()
	publisher.closed()
	g.all <- 0
}

// TestRepliesThatWaitCountAsOutput: a client cannot make the server hold more than the limit.
func TestRepliesThatWaitCountAsOutput(t *testing.T) {
	r, g := startWithBarrier(t)
	g.awaited.Store(0)
	c, other := r.dial(t), r.dial(t)
	require.Equal(t, "+OK", other.ask(`CONFIG SET client-output-buffer-limit "normal 1mb 0 0"`))
	require.Equal(t, ":300000", other.ask("SETRANGE k 299999 x"))
	g.awaited.Store(7)
	for range 3 {
		c.send("GET k\r\n")
		g.next(t)
	}
	c.send("GET k\r\n")
	c.closed()
	g.answer(0, true)
	g.answer(1, true)
	g.answer(2, true)
}

func TestHalfClosedConnectionsGetWhatWaits(t *testing.T) {
	for _, certain := range []bool{true, false} {
		r, g := startWithBarrier(t)
		c := r.dial(t)
		c.send("SET k v\r\nGET k\r\n")
		require.NoError(t, c.Conn.(*net.TCPConn).CloseWrite())
		g.next(t)
		other := r.dial(t)
		other.send("SET k v\r\n")
		g.next(t)
		g.answer(0, certain)
		if certain {
			require.Equal(t, []string{"+OK", "$1", "v"}, []string{c.line(), c.line(), c.line()})
		}
		c.closed()
		g.answer(1, true)
		require.Equal(t, "+OK", other.line())
	}
}

// TestSettledRepliesWaitForNoOther: but on one connection they leave in order.
func TestSettledRepliesWaitForNoOther(t *testing.T) {
	r, g := startWithBarrier(t)
	c, other := r.dial(t), r.dial(t)
	c.send("SET k v\r\n")
	require.EqualValues(t, 7, g.next(t))
	require.Equal(t, "$-1", other.ask("GET settled"))
	c.send("GET settled\r\n")
	other.send("GET settled\r\nGET k\r\n")
	require.EqualValues(t, 7, g.next(t), "nothing was sent of this batch")
	g.answer(0, true)
	g.answer(1, true)
	require.Equal(t, "+OK", c.line())
	require.Equal(t, "$-1", c.line())
	require.Equal(t, []string{"$-1", "$1", "v"}, []string{other.line(), other.line(), other.line()})
}

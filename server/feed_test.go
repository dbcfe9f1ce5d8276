package server

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// fed is a connection that a loop reads. The test has the other end.
type fed struct {
	engine.Feed
	peer   net.Conn
	pieces chan string // what arrived; "" for a call with nothing
	errs   chan error
	refuse chan bool // for each of them, the next call wants no more
}

// startFeed starts a feed. Its function also calls others, on the loop.
func startFeed(t *testing.T, r *running, also ...func()) *fed {
	if multiplexing != "epoll" {
		t.Skip("these loops read no connections of others")
	}
	require.Equal(t, "+PONG", r.dial(t).ask("PING"), "the loops run")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	f := &fed{pieces: make(chan string, 1000), errs: make(chan error, 2), refuse: make(chan bool, 10)}
	f.peer, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { f.peer.Close() })
	f.Feed, err = r.engine.Feed(conn, func(data []byte, err error) bool {
		if err != nil {
			f.errs <- err
			return true
		}
		for _, fn := range also {
			fn()
		}
		more := true
		select {
		case <-f.refuse:
			more = false
		default:
		}
		f.pieces <- string(data)
		return more
	})
	require.NoError(t, err)
	require.Empty(t, <-f.pieces, "the first call")
	return f
}

// say sends text from the other end.
func (f *fed) say(t *testing.T, text string) {
	_, err := f.peer.Write([]byte(text))
	require.NoError(t, err)
}

// What arrives is passed on, what is written arrives, and the end is told once.
func TestFeed(t *testing.T) {
	f := startFeed(t, start(t, Options{}))
	f.say(t, "one")
	require.Equal(t, "one", <-f.pieces)
	_, err := f.Write([]byte("two"))
	require.NoError(t, err)
	b := make([]byte, 3)
	_, err = io.ReadFull(f.peer, b)
	require.NoError(t, err)
	require.Equal(t, "two", string(b))
	f.say(t, "three")
	require.NoError(t, f.peer.Close())
	require.Equal(t, "three", <-f.pieces)
	require.Equal(t, io.EOF, <-f.errs)
	require.NoError(t, f.Close())
	_, err = f.Write([]byte("late"))
	require.ErrorIs(t, err, net.ErrClosed)
	require.Empty(t, f.errs)
}

// Nothing is read while the function wants nothing, and nothing is lost.
func TestFeedThatWaits(t *testing.T) {
	f := startFeed(t, start(t, Options{}))
	f.refuse <- true
	f.refuse <- true
	f.say(t, "one")
	require.Equal(t, "one", <-f.pieces)
	f.say(t, "two")
	require.Empty(t, <-f.pieces, "refuses again")
	require.Empty(t, <-f.pieces)
	require.Equal(t, "two", <-f.pieces)
}

// The connection ends when it is closed, when the other end does not read, and with the server, of
// which nothing is told.
func TestTheEndsOfAFeed(t *testing.T) {
	r := start(t, Options{})
	f := startFeed(t, r)
	require.NoError(t, f.Close())
	require.Equal(t, net.ErrClosed, <-f.errs)
	_, err := f.peer.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)

	f = startFeed(t, r)
	for err = nil; err == nil; {
		_, err = f.Write(make([]byte, 1<<20))
	}
	require.ErrorContains(t, err, "write")
	require.Equal(t, err, <-f.errs)

	f = startFeed(t, r)
	f.refuse <- true
	f.say(t, "one")
	require.Equal(t, "one", <-f.pieces)
	r.stop()
	require.NoError(t, r.await(t))
	_, err = f.peer.Read(make([]byte, 1))
	require.Error(t, err)
	require.Equal(t, net.ErrClosed, f.Close())
	require.Empty(t, f.errs)
}

// A connection that is no socket of the system stays with the caller.
func TestFeedOfAPipe(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	_, err := start(t, Options{}).engine.Feed(ours, func([]byte, error) bool { panic("called") })
	require.ErrorIs(t, err, errors.ErrUnsupported)
	go theirs.Write([]byte("x"))
	_, err = ours.Read(make([]byte, 1))
	require.NoError(t, err)
}

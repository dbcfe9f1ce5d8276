package miniredis

import (
	"sync"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/miniredis/server"
)

// client is a connection's session with the engine, from its first command on.
type client struct {
	engine  *engine.Engine
	peer    *server.Peer
	session *engine.Session

	mu        sync.Mutex    // held from taking replies until they are written
	unblocked chan struct{} // of capacity 1: the session may run its next command
}

// newServer returns a server that has the engine's commands.
func (m *Miniredis) newServer() *server.Server {
	s := server.NewServerConn()
	m.calls.Store(0)
	m.engine.With(func() {
		for _, c := range m.engine.Commands.All() {
			var options []server.CmdOption
			if c.Flags&command.ReadOnly != 0 {
				options = append(options, server.ReadOnlyOption())
			}
			_ = s.Register(c.Name, m.run, options...)
		}
	})
	_ = s.Register(server.AnyCommand, m.run)
	return s
}

// run is the server.Cmd of all commands of the engine, and of names that no command has.
func (m *Miniredis) run(c *server.Peer, cmd string, args []string) {
	m.clientOf(c).run(words(cmd, args))
}

// words returns a command as the engine takes it.
func words(cmd string, args []string) [][]byte {
	list := make([][]byte, 0, 1+len(args))
	list = append(list, []byte(cmd))
	for _, arg := range args {
		list = append(list, []byte(arg))
	}
	return list
}

// clientOf returns the client of a connection.
func (m *Miniredis) clientOf(c *server.Peer) *client {
	if known, ok := c.Ctx.(*client); ok && known.engine == m.engine {
		return known
	}
	made := &client{engine: m.engine, peer: c, unblocked: make(chan struct{}, 1)}
	made.session = m.engine.Connect(made, engine.Endpoint{Addr: c.RemoteAddr(), LocalAddr: c.LocalAddr(), FD: -1})
	c.Ctx = made
	c.OnDisconnect(func() { made.engine.Close(made.session) })
	return made
}

// run executes a command and writes its reply. It returns when the client may send the next one:
// not while it is blocked.
func (c *client) run(args [][]byte) {
	for again := true; again; {
		o := c.do(args)
		again = o.Executed == 0 && !o.Closing && !o.Dropped // paused: it is offered again
		if o.Blocked && !c.wait() {
			return
		}
	}
	if resp3 := c.session.Reply.Proto() == 3; resp3 != c.peer.Resp3 {
		c.peer.SwitchResp3 = &resp3
	}
	c.peer.ClientName = c.session.Name
}

func (c *client) do(args [][]byte) engine.Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.unblocked:
	default:
	}
	o := c.engine.Do(c.session, [][][]byte{args})
	c.send(o)
	return o
}

// wait waits until the session may run its next command. It reports false if the connection has
// ended.
func (c *client) wait() bool {
	select {
	case <-c.unblocked:
		return !c.peer.Closed()
	case <-c.peer.Done():
		return false
	}
}

// Wake implements engine.Peer.
func (c *client) Wake() { go c.collect() }

// collect sends what others have written to the session.
func (c *client) collect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.engine.Collect(c.session)
	if c.send(o); !o.Blocked {
		select {
		case c.unblocked <- struct{}{}:
		default:
		}
	}
}

// send writes replies and messages. Those that belong to no command that runs leave at once.
func (c *client) send(o engine.Outcome) {
	if o.Dropped || o.Overflow {
		c.peer.Close()
		return
	}
	c.peer.Block(func(w *server.Writer) {
		w.WriteRaw(string(o.Out))
		w.Flush()
	})
	if o.Closing {
		c.peer.Close()
	}
}

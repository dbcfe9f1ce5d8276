package console

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// session is a connection to the server, or to the sandbox of a page. It connects at its first
// command, and again after it broke.
type session struct {
	console *Console
	login   *login
	from    engine.Endpoint
	sandbox *sandbox // nil for the server

	life context.Context // ends with close
	end  context.CancelFunc

	mu      sync.Mutex
	conn    net.Conn
	replies *resp.Reader
	held    hold // by what was read and not handed over

	ended func() // called when the server ends the connection; may be nil
}

func (c *Console) newSession(l *login, from engine.Endpoint, box *sandbox) *session {
	if c.settings.readOnly {
		from.OnlyLooks = errReadOnly
	}
	s := &session{console: c, login: l, from: from, sandbox: box, held: hold{of: c.held}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Limits of the replies to one request.
var replyLimits = resp.Limits{Depth: 64, Elements: 1 << 20, Bytes: 32 << 20}

// patience is how long a command may take: a blocking one, say.
const patience = 5 * time.Minute

// connectTimeout is how long connecting and logging in may take.
const connectTimeout = 10 * time.Second

// endpointOf returns where a request has come from, as CLIENT LIST is to show it.
func endpointOf(r *http.Request) engine.Endpoint {
	e := engine.Endpoint{Addr: r.RemoteAddr}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		e.LocalAddr = local.String()
	}
	return e
}

// connect connects and logs in. An error reply of the server is a resp.ReplyError.
func (s *session) connect() (err error) {
	if s.sandbox != nil {
		s.conn = s.sandbox.dial()
	} else if s.conn, err = s.console.options.Connect(s.from, s.ended); err != nil {
		return err
	}
	s.replies = resp.NewReader(s.conn)
	s.replies.Limits, s.replies.Count = replyLimits, s.held.take
	hello := []string{"HELLO", "3"}
	if s.login != nil && s.sandbox == nil {
		hello = append(hello, "AUTH", s.login.user, s.login.password)
	}
	ctx, stop := context.WithTimeout(context.Background(), connectTimeout)
	defer stop()
	reply, err := s.exchange(ctx, hello)
	if err == nil {
		err = reply.Err()
	}
	if err != nil {
		s.disconnect()
	}
	return err
}

// exchange sends a command and reads its reply.
func (s *session) exchange(ctx context.Context, words []string) (resp.Value, error) {
	defer s.watch(ctx)()
	defer s.held.release()
	if err := send(s.conn, [][]string{words}); err != nil {
		return resp.Value{}, err
	}
	return s.replies.Read()
}

// watch makes reading and writing fail when a context ends, until the function that it returns is
// called.
func (s *session) watch(ctx context.Context) (unwatch func() bool) {
	conn := s.conn
	return context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

// send writes commands to a connection. It knows the connection only, since a session may lose its
// own meanwhile.
func send(to io.Writer, commands [][]string) error {
	out := resp.NewWriter(3)
	for _, words := range commands {
		out.Command(words...)
	}
	_, err := to.Write(out.Bytes())
	return err
}

// outcome is what came back for some commands. Who has rendered it releases what it holds.
type outcome struct {
	held    hold
	replies []resp.Value
	pushes  []resp.Value // what came in between
	fresh   bool         // the session has connected for it: what earlier commands had set up is gone
}

// errGone is the error of a session whose connection has ended before all replies came.
var errGone = errors.New("the connection has ended; some of the commands may have run")

// run executes commands, one after another, and returns their replies.
func (s *session) run(ctx context.Context, commands [][]string) (o outcome, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return o, errGone
	}
	if s.sandbox != nil {
		defer s.sandbox.enter()()
	}
	if s.conn == nil {
		if err := s.connect(); err != nil {
			return o, err
		}
		o.fresh = true
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	defer context.AfterFunc(s.life, stop)()
	defer s.watch(ctx)()
	sent, conn := make(chan error, 1), s.conn
	go func() { sent <- send(conn, commands) }() // the server may have to send replies before it reads on
	for err == nil && len(o.replies) < len(commands) {
		var v resp.Value
		if v, err = s.replies.Read(); err == nil && v.Kind == resp.Push {
			o.pushes = append(o.pushes, v)
		} else if err == nil {
			o.replies = append(o.replies, v)
		}
	}
	if err != nil {
		s.disconnect()
		s.held.release()
	}
	o.held = s.held.handOver()
	<-sent
	switch {
	case errors.Is(err, errHeld):
		return o, err
	case errors.Is(err, resp.ErrLimit):
		return o, errors.New("the reply is too large for the console")
	case err != nil && ctx.Err() != nil:
		return o, errors.New("the command took too long, or was cancelled")
	case err != nil:
		return o, errGone
	}
	return o, nil
}

func (s *session) disconnect() {
	_ = s.conn.Close()
	s.conn = nil
}

// close ends the session. A command that is under way fails.
func (s *session) close() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.disconnect()
	}
}

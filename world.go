package miniserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// World is a world of a server: databases, scripts, channels, a clock, faults and random numbers of
// its own, so that tests can run side by side on one server. Its methods may be called from any
// goroutine.
type World struct {
	home  home
	name  string
	steer steering
	own   *client
}

// home is the server of a world: one in this process, which is a Server, or one that others have
// started.
type home interface {
	dial(ctx context.Context) (net.Conn, error)
	Addr() string
	scheme() string      // of the URL of Addr
	secret() string      // the password of the server; "" if it needs none
	certificate() string // that it shows over TLS, as PEM; "" without TLS
	freshName(title string) string
	open(name string) *World
	drop(t TB, w *World) // removes what a world holds, and the world unless it has clients
}

// steering is how a world is steered.
type steering interface {
	operate(ctx context.Context, words ...string) (resp.Value, error) // a command of the test kit
	now() time.Time
	advance(d time.Duration)
	moveTo(at time.Time)
	freeze(at time.Time)
	resume()
	seed(seed uint64)
}

// defaultWorld is the name of the world of new connections.
const defaultWorld = "default"

// patience is how long WaitFor waits if its context has no deadline.
const patience = 5 * time.Second

// NewWorld makes a world for a test, with the test's name. When the test ends its data are removed,
// and, unless clients are left in it, the world too. The server must have the test kit.
func (s *Server) NewWorld(t TB) *World {
	t.Helper()
	if s.made.Kit == nil {
		t.Fatalf("miniserver: a server without the test kit has one world")
		return nil
	}
	w := s.open(s.freshName(t.Name()))
	t.Cleanup(func() { w.remove(t) })
	return w
}

// open returns the world with a name.
func (s *Server) open(name string) *World {
	in := &inside{engine: s.engine, ended: s.ended}
	s.engine.With(func() { in.world, in.clock = s.made.Kit.World(name) })
	w := &World{home: s, name: name, steer: in}
	w.own = newClient(w.enter)
	return w
}

// freshName returns the name of a world that there is not yet.
func (s *Server) freshName(title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbered++
	return fmt.Sprintf("%d-%.100s", s.numbered, url.PathEscape(title))
}

// remove removes what a world of a test holds, and the world unless it has clients.
func (w *World) remove(t TB) {
	w.logFaults(t)
	w.own.close()
	w.home.drop(t, w)
}

func (s *Server) drop(_ TB, w *World) {
	_ = s.kit("MINI.WORLD", "RESET", w.name)
	_ = s.kit("MINI.WORLD", "DROP", w.name)
}

// enter connects a client to the world, for Do. No outage hits it, unless it has yet to log in,
// as Do does itself in the world of new connections.
func (w *World) enter(ctx context.Context) (net.Conn, error) {
	conn, err := w.home.dial(ctx)
	if s, here := w.home.(*Server); err != nil || here && s.made.Kit == nil {
		return conn, err
	}
	replies := resp.NewReader(conn)
	if err = w.steerFrom(conn, replies); err != nil && w.name != defaultWorld { // busy with a script, maybe
		user, password := w.login()
		err = ask(conn, replies, "AUTH", user, password)
	}
	if err != nil && w.name != defaultWorld {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// steerFrom makes a connection an operator's in the world.
func (w *World) steerFrom(conn net.Conn, replies *resp.Reader) error {
	if secret := w.home.secret(); secret != "" && w.name != defaultWorld {
		if err := ask(conn, replies, "AUTH", secret); err != nil {
			return err
		}
	}
	return ask(conn, replies, "MINI.WORLD", "USE", w.name, "OPERATOR")
}

// ask executes a command, and returns its error or that of the connection.
func ask(conn net.Conn, replies *resp.Reader, words ...string) error {
	reply, err := exchange(conn, replies, words)
	if err == nil {
		err = reply.Err()
	}
	return err
}

// secret returns the password of the server; "" if it needs none.
func (s *Server) secret() string { return s.engine.Params.Named("requirepass").Get() }

// login returns the name and the password by which clients log in to the world.
func (w *World) login() (user, password string) {
	if secret := w.home.secret(); secret != "" {
		return "world", w.name + ":" + secret
	}
	return "world", w.name
}

// Name returns the name of the world: "default" for that of new connections.
func (w *World) Name() string { return w.name }

// URL returns the URL by which a client connects to the world, such as
// "redis://world:1-TestCart@127.0.0.1:43125". It begins with rediss if the server speaks only TLS.
func (w *World) URL() string {
	u := url.URL{Scheme: w.home.scheme(), Host: w.home.Addr()}
	if w.name != defaultWorld {
		u.User = url.UserPassword(w.login())
	} else if secret := w.home.secret(); secret != "" {
		u.User = url.UserPassword("", secret)
	}
	return u.String()
}

// TLSConfig returns what a client needs for a server that speaks TLS, as with the setting
// "tls-self-signed yes": it trusts the certificate of the server and no other. It is nil for a
// server without TLS.
func (w *World) TLSConfig() *tls.Config {
	certificate := w.home.certificate()
	if certificate == "" {
		return nil
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(certificate))
	return &tls.Config{RootCAs: trusted}
}

// Do executes a command and returns its RESP2 reply; the reply's String is what redis-cli prints.
// All calls share one connection: SELECT, AUTH and MULTI apply to later calls, and other calls wait
// for a blocking command. That ends when it is served, at its timeout by the server's clock, or
// with the server. Without words, and if the server has ended, Do returns an error reply that says
// so.
func (w *World) Do(words ...string) resp.Value {
	reply, err := w.own.do(context.Background(), words)
	if err != nil {
		return resp.Value{Kind: resp.Error, Text: "ERR " + err.Error()}
	}
	return reply
}

// DoContext is Do that ends with the context, too, so that a blocking command cannot hang a test.
// Its connection ends then. The error is that of the context, of the connection, or, as
// resp.ReplyError, the server's.
func (w *World) DoContext(ctx context.Context, words ...string) (resp.Value, error) {
	reply, err := w.own.do(ctx, words)
	if err == nil {
		err = reply.Err()
	}
	return reply, err
}

// MustDo is Do for a command that is part of a test's arrangement: an error ends the test.
func (w *World) MustDo(t TB, words ...string) resp.Value {
	t.Helper()
	reply, err := w.DoContext(context.Background(), words...)
	if err != nil {
		t.Fatalf("miniserver: %s: %v", shown(words), err)
	}
	return reply
}

// shown returns the beginning of a command as it is typed.
func shown(words []string) string {
	const longest = 200
	var line []byte
	for i, word := range words {
		if i > 0 {
			line = append(line, ' ')
		}
		if len(line) > longest {
			return string(line) + "..."
		}
		if part := word[:min(len(word), longest)]; part == "" || strings.ContainsAny(part, " \"'\\\t\r\n") {
			line = resp.Quote(line, part)
		} else {
			line = append(line, part...)
		}
	}
	return string(line)
}

// Now returns the time that the clock shows.
func (w *World) Now() time.Time { return w.steer.now() }

// Advance moves the clock ahead. When it returns, everything due until then has happened in order:
// keys and elements have expired, and blocked clients have timed out. MINI.CLOCK ADVANCE does the
// same for clients.
func (w *World) Advance(d time.Duration) { w.steer.advance(d) }

// SetTime sets the clock, which then runs, or stands, as before. On the way ahead, what is due
// happens in order. Deadlines do not move with the clock: when it is set back, keys live longer.
func (w *World) SetTime(at time.Time) { w.steer.moveTo(at) }

// Freeze sets the clock and stops it: then only Advance and SetTime move it, or MINI.CLOCK.
func (w *World) Freeze(at time.Time) { w.steer.freeze(at) }

// Resume lets the clock run at the machine's pace, from the time that it shows.
func (w *World) Resume() { w.steer.resume() }

// Seed starts all that is random anew, so that it repeats: see MINI.SEED.
func (w *World) Seed(seed uint64) { w.steer.seed(seed) }

// WaitFor waits until something is the case, in the words of MINI.WAITFOR: s.WaitFor(ctx,
// "BLOCKED", "1"). It waits until the deadline of the context, or for five seconds; then the error
// says what was there instead.
func (w *World) WaitFor(ctx context.Context, condition ...string) error {
	timeout := patience
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(0, time.Until(deadline))
	}
	words := append([]string{"MINI.WAITFOR"}, condition...)
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx)) // so that the server says what it found
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})()
	_, err := w.operate(patient, append(words, "TIMEOUT", strconv.FormatInt(timeout.Milliseconds(), 10))...)
	return err
}

// Snapshot keeps a copy of the data, the functions and the clock. Every world of the server can
// Restore it, but one that has a snapshot of the same name finds its own.
func (w *World) Snapshot(name string) error { return w.kit("MINI.WORLD", "SNAPSHOT", name) }

// Restore replaces the data, the functions and the clock by those of a snapshot.
func (w *World) Restore(name string) error { return w.kit("MINI.WORLD", "RESTORE", name) }

// Reset makes the world as it was when it was new. Its clients stay.
func (w *World) Reset() error { return w.kit("MINI.WORLD", "RESET") }

// Fork makes a new world for a test, with a copy of this one. It ends as one of NewWorld.
func (w *World) Fork(t TB) *World {
	t.Helper()
	name := w.home.freshName(t.Name())
	if err := w.kit("MINI.WORLD", "FORK", w.name, name); err != nil {
		t.Fatalf("miniserver: %v", err)
		return nil
	}
	fork := w.home.open(name)
	t.Cleanup(func() { fork.remove(t) })
	return fork
}

// AddFault adds a fault, in the words that follow MINI.FAULT ADD id: w.AddFault("lost", "ON",
// "COMMAND", "incr", "DO", "DROP"). At its end a test logs which faults have struck nothing.
func (w *World) AddFault(id string, words ...string) error {
	return w.kit(append([]string{"MINI.FAULT", "ADD", id}, words...)...)
}

// logFaults logs for a test which faults have struck nothing.
func (w *World) logFaults(t TB) {
	reply, _ := w.operate(context.Background(), "MINI.FAULT", "LIST") // an error without the kit
	for _, f := range reply.Elems {
		if fault := f.StringMap(); fault["note"] != "" {
			t.Logf("miniserver: fault %s %s %s", fault["id"], fault["fault"], fault["note"])
		}
	}
}

// ClearFaults removes all faults.
func (w *World) ClearFaults() error { return w.kit("MINI.FAULT", "CLEAR") }

// BeginOutage begins an outage of the connections of the world's clients, in the words that follow
// MINI.OUTAGE BEGIN: w.BeginOutage("CUT"), w.BeginOutage("HANG", "FOR", "5s"),
// s.BeginOutage("DOWN"). It spares the methods of World.
func (w *World) BeginOutage(words ...string) error {
	return w.kit(append([]string{"MINI.OUTAGE", "BEGIN"}, words...)...)
}

// EndOutage ends the outage, if there is one. What hangs goes on.
func (w *World) EndOutage() error { return w.kit("MINI.OUTAGE", "END") }

// Dump returns the data as text: see MINI.DUMP.
func (w *World) Dump() string {
	reply, err := w.operate(context.Background(), "MINI.DUMP")
	if err != nil {
		return err.Error()
	}
	return strings.Join(append(reply.Strings(), ""), "\n")
}

// CheckLeaks has the test fail at its end if it leaves something behind that is not there now: keys
// without a deadline, locks, open transactions, blocked or subscribed clients. Clients that the
// test closes before its end are no leak.
func (w *World) CheckLeaks(t TB) {
	t.Helper()
	mark := w.home.freshName(t.Name())
	if err := w.kit("MINI.LEAKS", "MARK", mark); err != nil {
		t.Fatalf("miniserver: %v", err)
		return
	}
	t.Cleanup(func() {
		reply, err := w.operate(context.Background(), "MINI.LEAKS", "SINCE", mark)
		if err != nil {
			t.Errorf("miniserver: %v", err)
		}
		for _, leak := range reply.Strings() {
			t.Errorf("miniserver: the test leaves behind: %s", leak)
		}
	})
}

// operate executes a command of the test kit, and waits for its reply until the context ends.
func (w *World) operate(ctx context.Context, words ...string) (resp.Value, error) {
	return w.steer.operate(ctx, words...)
}

func (w *World) kit(words ...string) error {
	_, err := w.operate(context.Background(), words...)
	return err
}

// client is a connection to the server for Do. It connects at the first command, and again after an
// error.
type client struct {
	dial    func(ctx context.Context) (net.Conn, error)
	open    context.Context // ends with close
	end     context.CancelFunc
	mu      sync.Mutex
	conn    net.Conn
	replies *resp.Reader
}

func newClient(dial func(ctx context.Context) (net.Conn, error)) *client {
	c := &client{dial: dial}
	c.open, c.end = context.WithCancel(context.Background())
	return c
}

// do executes a command and returns its reply.
func (c *client) do(ctx context.Context, words []string) (reply resp.Value, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(words) == 0 {
		return reply, errors.New("no command given") // the server would send no reply
	}
	if reply, err = c.exchange(ctx, words); err != nil {
		c.disconnect()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return reply, err
}

func (c *client) exchange(ctx context.Context, words []string) (reply resp.Value, err error) {
	if c.conn == nil {
		if c.conn, err = c.dial(ctx); err != nil {
			return reply, err
		}
		c.replies = resp.NewReader(c.conn)
	}
	conn := c.conn
	fail := func() { _ = conn.SetDeadline(time.Unix(1, 0)) } // reading and writing fail at once
	defer context.AfterFunc(ctx, fail)()
	defer context.AfterFunc(c.open, fail)()
	return exchange(conn, c.replies, words)
}

// exchange sends a command and reads its reply.
func exchange(conn net.Conn, replies *resp.Reader, words []string) (reply resp.Value, err error) {
	w := resp.NewWriter(2)
	w.Command(words...)
	if _, err = conn.Write(w.Bytes()); err != nil {
		return reply, err
	}
	return replies.Read()
}

// close ends the connection, and the command that waits for a reply.
func (c *client) close() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disconnect()
}

func (c *client) disconnect() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

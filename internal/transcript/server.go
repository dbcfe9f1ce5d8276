package transcript

import (
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

const (
	patience    = 20 * time.Second      // for a reply that must come; long, since the machine may stand still meanwhile
	quietPeriod = 10 * time.Millisecond // without a reply, after which a command counts as blocked
	oneByOne    = 1 << 10               // number of first bytes that OneByte sends one at a time
	LongSleep   = 50 * time.Millisecond // longest Advance that sleeps
)

// Server is the world behind a socket: a real server with a real clock.
type Server struct {
	Network, Address string

	// OneByte sends the first bytes of each connection one at a time, and the rest in pieces that
	// end anywhere.
	OneByte bool

	// Patience is the time that an expected reply may take. Quiet is the time without a
	// reply after which a command counts as blocked.
	Patience, Quiet time.Duration

	traits  Traits
	control Conn
	config  []string // parameters at first: name, value, name, value
}

// Connect returns the world of a server that is already running and empties it.
func Connect(network, address string, traits Traits) (*Server, error) {
	if traits.Sleep == 0 {
		traits.Sleep = LongSleep
	}
	traits.RealClock = true
	traits.Tags = append(slices.Clone(traits.Tags), "tcp")
	if traits.Proto == 3 {
		traits.Tags = append(traits.Tags, "resp3")
	}
	s := &Server{Network: network, Address: address, Patience: patience, Quiet: quietPeriod, traits: traits}
	var err error
	if s.control, err = s.connect(2); err != nil {
		return nil, err
	}
	s.config = s.parameters()
	return s, s.Reset()
}

// Traits implements World.
func (s *Server) Traits() Traits { return s.traits }

// Dial implements World. It returns when the server has accepted the connection. So the server
// executes its commands before commands that other connections send later.
func (s *Server) Dial(string) (Conn, error) {
	before := s.clients()
	conn, err := s.connect(s.traits.Proto)
	if err == nil {
		s.awaitClients(func(n int) bool { return n > before })
	}
	return conn, err
}

func (s *Server) connect(proto int) (Conn, error) {
	socket, err := net.Dial(s.Network, s.Address)
	if err != nil {
		return nil, err
	}
	conn := newStream(socket, s)
	if proto == 3 {
		err = conn.SetProto(3)
	}
	return conn, err
}

// SetConfig implements World.
func (s *Server) SetConfig(name, value string) error {
	v, err := s.ask("CONFIG", "SET", name, value)
	if err == nil && v.IsError() {
		err = fmt.Errorf("CONFIG SET %s %s: %s", name, value, v.Text)
	}
	return err
}

// Advance implements World. It sleeps.
func (s *Server) Advance(d time.Duration) error {
	time.Sleep(d)
	return nil
}

// Reset implements World.
func (s *Server) Reset() error {
	if _, err := s.ask("CLIENT", "UNPAUSE"); err != nil { // or the next ones would wait for the end of a pause
		return err
	}
	s.awaitHangups()
	s.restore()
	v, err := s.ask("FLUSHALL")
	if err == nil && v.IsError() {
		err = fmt.Errorf("FLUSHALL: %s", v.Text)
	}
	// These last: the others may be slow.
	for _, command := range []string{"DEBUG SET-ACTIVE-EXPIRE 1", "SCRIPT FLUSH", "FUNCTION FLUSH", "CONFIG RESETSTAT",
		"SLOWLOG RESET"} {
		if err == nil {
			_, err = s.ask(strings.Fields(command)...)
		}
	}
	return err
}

// awaitHangups waits until the server has noticed that all other connections are closed.
func (s *Server) awaitHangups() { s.awaitClients(func(n int) bool { return n <= 1 }) }

// awaitClients waits until right is true of the number of clients. It gives up after half a second,
// or if they cannot be counted.
func (s *Server) awaitClients(right func(n int) bool) {
	for range 500 {
		if n := s.clients(); n == 0 || right(n) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// clients returns the number of connected clients; 0 if CLIENT LIST fails.
func (s *Server) clients() int {
	v, err := s.ask("CLIENT", "LIST")
	if err != nil || v.IsError() {
		return 0
	}
	return strings.Count(v.Text, "\n")
}

// parameters returns all parameters and their values.
func (s *Server) parameters() []string {
	v, err := s.ask("CONFIG", "GET", "*")
	if err != nil || v.IsError() {
		return nil
	}
	var list []string
	for _, elem := range v.Elems {
		list = append(list, elem.Text)
	}
	return list
}

// restore sets changed parameters back, and removes added users.
func (s *Server) restore() {
	was := map[string]string{}
	for pair := range slices.Chunk(s.config, 2) {
		was[pair[0]] = pair[1]
	}
	for pair := range slices.Chunk(s.parameters(), 2) {
		if value, known := was[pair[0]]; known && value != pair[1] {
			s.ask("CONFIG", "SET", pair[0], value)
		}
	}
	users, _ := s.ask("ACL", "USERS")
	for _, user := range users.Elems {
		if user.Text != "default" {
			s.ask("ACL", "DELUSER", user.Text)
		}
	}
}

// ask sends a command on the world's own connection.
func (s *Server) ask(args ...string) (resp.Value, error) {
	if err := s.control.Send(args); err != nil {
		return resp.Value{}, err
	}
	v, came, err := s.control.Next(true)
	if err == nil && !came {
		err = fmt.Errorf("no reply to %q", args)
	}
	return v, err
}

// Check implements World. A server shows nothing but its replies, and it still answers.
func (s *Server) Check() error {
	_, err := s.ask("PING")
	return err
}

// Close implements World. The server goes on running.
func (s *Server) Close() error { return s.control.Close() }

// stream is a connection whose arrivals are read ahead.
type stream struct {
	server *Server
	socket net.Conn
	in     chan resp.Value
	failed error // set before in is closed
	over   bool  // Closed was handed out
	sent   int   // bytes
}

func newStream(socket net.Conn, server *Server) *stream {
	s := &stream{server: server, socket: socket, in: make(chan resp.Value, 1<<14)}
	go s.read()
	return s
}

func (s *stream) read() {
	defer close(s.in)
	reader := resp.NewReader(s.socket)
	for {
		v, err := reader.Read()
		if err != nil {
			s.failed = err
			return
		}
		s.in <- v
	}
}

// Send implements Conn.
func (s *stream) Send(args []string) error {
	w := resp.NewWriter(2)
	w.Command(args...)
	for rest := w.Bytes(); len(rest) > 0; {
		n := min(s.piece(), len(rest))
		if _, err := s.socket.Write(rest[:n]); err != nil {
			return err
		}
		s.sent += n
		rest = rest[n:]
	}
	return nil
}

// piece returns how many bytes to write next at most.
func (s *stream) piece() int {
	switch {
	case !s.server.OneByte:
		return math.MaxInt
	case s.sent < oneByOne:
		return 1
	}
	return 1 + 2*(s.sent%61)*(s.sent%61)
}

// SetProto implements Conn.
func (s *stream) SetProto(proto int) error {
	if err := s.Send([]string{"HELLO", strconv.Itoa(proto)}); err != nil {
		return err
	}
	v, came, err := s.Next(true)
	if err == nil && (!came || v.IsError()) {
		err = fmt.Errorf("HELLO %d failed: %s", proto, v.Text)
	}
	return err
}

// Next implements Conn.
func (s *stream) Next(patient bool) (resp.Value, bool, error) {
	wait := s.server.Quiet
	if patient {
		wait = s.server.Patience
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case v, open := <-s.in:
		if open {
			return v, true, nil
		}
		if s.failed != io.EOF {
			return resp.Value{}, false, s.failed
		}
		first := !s.over
		s.over = true
		return Closed, first, nil
	case <-timer.C:
		return resp.Value{}, false, nil
	}
}

// Close implements Conn.
func (s *stream) Close() error { return s.socket.Close() }

// HangUp closes the connection and returns when the server has noticed, so that the next step does
// not race with it.
func (s *stream) HangUp() error {
	before := s.server.clients()
	err := s.socket.Close()
	s.server.awaitClients(func(n int) bool { return n < before })
	return err
}

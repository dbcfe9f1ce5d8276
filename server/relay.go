package server

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"net"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
)

// With group-forward yes a member of a group passes connections on to the leader, for clients that know one address and nothing of groups:
//
//	client ── everything ──▶ member ── READWRITE, then everything, byte for byte ──▶ leader
//	       ◀────────────────        ◀──────────────────────────────────────────────
//
// A connection is passed on as a whole, from its first byte on. So the leader has all its state: who has logged in, MULTI, SUBSCRIBE, the database. The
// member adds nothing and repeats nothing. When the leader is gone, or leads no more, the connection ends: its client connects
// anew, as after any lost connection, and does not know whether its last command was executed.
//
// The first command decides. With an operator's command, or one of SENTINEL, CLUSTER, READONLY, READWRITE and GROUP, a client speaks to this member, and the
// connection stays. The relay itself begins with READWRITE: the other end keeps its connection then, also if it leads no more, so that members who
// disagree about the leader do not pass a connection round and round. Connections over TLS and unix sockets always stay.

const (
	relayWait  = 2 * time.Second       // how long a connection waits for a leader
	relayPause = 10 * time.Millisecond // between two looks for one
	relayDial  = 2 * time.Second       // for the connection to the leader
	relayGreet = 5 * time.Second       // for its answer to READWRITE
	relayFirst = 4 << 10               // bytes among which the first command's name must be
)

// errNoLeader ends a connection that cannot be passed on. Some clients know by its first word that they are to try again.
const errNoLeader = command.Error("MASTERDOWN No leader of the group is known. Try again.")

// relays are the connections that are passed on.
type relays struct {
	mu     sync.Mutex
	open   map[*relay]bool
	closed bool

	patience time.Duration // how long a connection waits for a leader
}

// relay is one of them. leader is nil until the leader is connected.
type relay struct {
	client, leader net.Conn
	address        string // of the leader
}

// add registers a relay. It reports false if the server stops.
func (rs *relays) add(r *relay) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return false
	}
	if rs.open == nil {
		rs.open = make(map[*relay]bool)
	}
	rs.open[r] = true
	return true
}

// connected notes the connection to the leader. It reports false, and closes that, if the relay was closed meanwhile.
func (rs *relays) connected(r *relay, leader net.Conn, address string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if !rs.open[r] {
		_ = leader.Close()
		return false
	}
	r.leader, r.address = leader, address
	return true
}

// has reports whether a relay is open.
func (rs *relays) has(r *relay) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.open[r]
}

// remove forgets a relay, whose connections it no longer closes. It reports whether it was there.
func (rs *relays) remove(r *relay) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	was := rs.open[r]
	delete(rs.open, r)
	return was
}

// close closes the relays that satisfy a condition. The last call closes all, and lets none begin.
func (rs *relays) close(last bool, which func(*relay) bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.closed = rs.closed || last
	for r := range rs.open {
		if which(r) {
			delete(rs.open, r)
			r.close()
		}
	}
}

func (r *relay) close() {
	_ = r.client.Close()
	if r.leader != nil {
		_ = r.leader.Close()
	}
}

// tendRelays closes the relays to a leader that has been replaced. It is called under the engine's lock.
func (s *Server) tendRelays() (next int64) {
	if !s.forwards.Load() {
		return 0
	}
	if g := s.engine.Group(); g != nil && g.LeadingMember() != nil {
		leader := g.LeadingMember().Address()
		s.relays.close(false, func(r *relay) bool { return r.address != "" && r.address != leader })
	}
	return 0
}

// forward waits for the first command of a connection. It passes the connection on to the leader until it ends, or gives it to an event loop.
func (s *Server) forward(nc net.Conn) {
	r := &relay{client: nc}
	if !s.relays.add(r) {
		_ = nc.Close()
		s.counts.clients.Add(-1)
		return
	}
	first := make([]byte, relayFirst)
	n, err := nc.Read(first)
	first = first[:n]
	leader, stays := "", err != nil
	if !stays {
		leader, stays = s.destination(r, first)
	}
	if stays && s.relays.remove(r) {
		s.enroll(nc, endpoint(nc), first, unnoticed)
		return
	}
	if leader != "" {
		s.pass(r, leader, first)
	} else {
		_, _ = nc.Write([]byte("-" + errNoLeader + "\r\n"))
	}
	s.relays.close(false, func(other *relay) bool { return other == r })
	s.counts.clients.Add(-1)
}

// destination returns the address of the leader to which a connection is to be passed on, or that it stays; neither if no leader is found in time.
func (s *Server) destination(r *relay, first []byte) (leader string, stays bool) {
	command := firstCommand(first)
	for end := time.Now().Add(s.relays.patience); time.Now().Before(end) && s.relays.has(r); time.Sleep(relayPause) {
		s.engine.With(func() {
			g := s.engine.Group()
			if stays = g == nil || g.Seated || !s.engine.Passes(command); stays {
				return
			}
			if m := g.LeadingMember(); m != nil && m.ID != g.Self {
				leader = m.Address()
			}
		})
		if stays || leader != "" {
			break
		}
	}
	return leader, stays
}

// pass relays a connection, of which the first bytes have arrived.
func (s *Server) pass(r *relay, leader string, first []byte) {
	out, err := net.DialTimeout("tcp", leader, relayDial)
	if err != nil {
		s.log('#', "Forwarding a client to the leader at %s: %v", leader, err)
		_, _ = r.client.Write([]byte("-" + errNoLeader + "\r\n"))
		return
	}
	if s.relays.connected(r, out, leader) {
		r.run(first)
	}
}

// run copies in both directions until one side ends.
func (r *relay) run(first []byte) {
	from := bufio.NewReader(r.leader)
	_ = r.leader.SetDeadline(time.Now().Add(relayGreet))
	if _, err := r.leader.Write(append([]byte("READWRITE\r\n"), first...)); err != nil {
		return
	}
	greeting, err := from.ReadBytes('\n')
	if err != nil {
		return
	}
	_ = r.leader.SetDeadline(time.Time{})
	if !bytes.HasPrefix(greeting, []byte("+OK")) && !bytes.HasPrefix(greeting, []byte("-NO")) { // NOAUTH, NOPERM: the client has not logged in yet
		_, _ = r.client.Write(greeting)
		return
	}
	go func() {
		_, _ = io.Copy(r.leader, r.client)
		_ = r.leader.(*net.TCPConn).CloseWrite()
	}()
	if _, err = r.client.Write(buffered(from)); err == nil {
		_, _ = io.Copy(r.client, r.leader)
	}
}

// buffered returns what a reader has read ahead.
func buffered(r *bufio.Reader) []byte {
	ahead, _ := r.Peek(r.Buffered())
	return ahead
}

// firstCommand returns the first command among the first bytes of a connection, or what is there of it.
func firstCommand(first []byte) [][]byte {
	var b batch
	b.parse(first, limits{bulk: math.MaxInt64, authed: true})
	if len(b.commands) > 0 {
		return b.commands[0]
	}
	return b.args
}

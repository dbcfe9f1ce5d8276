package server

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
)

// With group-forward yes a member of a group passes connections on to the leader, for clients that
// know one address and nothing of groups:
//
//	client ── everything ──▶ member ── READWRITE, then everything, byte for byte ──▶ leader
//	       ◀────────────────        ◀──────────────────────────────────────────────
//
// A connection is passed on as a whole, from its first byte on. So the leader has all its state:
// who has logged in, MULTI, SUBSCRIBE, the database. The member adds nothing and repeats nothing.
// When the leader is gone, or leads no more, the connection ends: its client connects anew, as
// after any lost connection, and does not know whether its last command was executed.
//
// The first command decides. With an operator's command, or one of SENTINEL, CLUSTER, READONLY,
// READWRITE and GROUP, a client speaks to this member, and the connection stays. The relay itself
// begins with READWRITE: the other end keeps its connection then, also if it leads no more, so that
// members who disagree about the leader do not pass a connection round and round. Connections over
// TLS and unix sockets always stay.

const (
	relayWait  = 2 * time.Second       // how long a connection waits for a leader
	relayPause = 10 * time.Millisecond // between two looks for one
	relayDial  = 2 * time.Second       // for the connection to the leader
	relayGreet = 5 * time.Second       // for its answer to READWRITE
	relayFirst = 4 << 10               // bytes among which the first command's name must be
)

// errNoLeader ends a connection that cannot be passed on. Some clients know by its first word that
// they are to try again.
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

// connected notes the connection to the leader. It reports false, and closes that, if the relay was
// closed meanwhile.
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
	// NOAUTH, NOPERM: the client has not logged in yet
	if !bytes.HasPrefix(greeting, []byte("+OK")) && !bytes.HasPrefix(greeting, []byte("-NO")) {
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

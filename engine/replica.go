package engine

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
)

// Replica is a session that takes over the data and follows their changes, or means to.
//
//	ashore ─SYNC─▶ awaitingSnapshot ─Begin─▶ receiving ─Delivered─▶ settling ─ACK─▶ following
//	   └────────────────────── PSYNC, if the backlog reaches back far enough ──────────▶
//
// While it receives and settles, changes are held back. All methods are called under the engine's lock.
type Replica struct {
	session *Session
	stage   stage
	plain   bool   // it said SYNC and not PSYNC: it may never confirm anything
	held    []byte // what it missed of the relay

	acked, synced int64 // what it confirmed: to have, and to have on disk
	heard         int64 // when it last did; microseconds

	port int64 // where it listens itself, as it says
	ip   string

	Request Request
}

// Request is what a replica wants of a snapshot.
type Request struct {
	EOF         bool // it knows the form whose length is not known in advance
	OnlyOnce    bool // it does not want to follow the changes
	NoData      bool
	NoFunctions bool
}

type stage int

const (
	ashore stage = iota // it has only introduced itself
	awaitingSnapshot
	receiving
	settling // it has all of the snapshot, and must confirm that before more follows
	following
)

var stageNames = [...]string{"", "wait_bgsave", "send_bulk", "online", "online"}

// Replica returns the session as a replica, which it is not before it is attached.
func (s *Session) Replica() *Replica {
	if s.replica == nil {
		s.replica = &Replica{session: s}
	}
	return s.replica
}

// follows reports whether the session is an attached replica.
func (s *Session) follows() bool { return s.replica != nil && s.replica.stage != ashore }

// Attached reports whether it has asked for the data.
func (r *Replica) Attached() bool { return r.stage != ashore }

// Name tells where it is, as the log does.
func (r *Replica) Name() string { return net.JoinHostPort(r.host(), strconv.FormatInt(r.port, 10)) }

func (r *Replica) host() string {
	if r.ip != "" {
		return r.ip
	}
	host, _, err := net.SplitHostPort(r.session.Addr)
	if err != nil {
		return r.session.Addr
	}
	return host
}

// Gone reports whether the connection has ended or is to end.
func (r *Replica) Gone() bool { return r.session.closing || r.stage == ashore }

// Drop ends the connection.
func (r *Replica) Drop() {
	s := r.session
	s.engine.forget(s)
	s.wake()
}

// Unsent returns the bytes that wait to be sent to it, and has them sent.
func (r *Replica) Unsent() int64 {
	r.session.wake()
	return int64(r.session.Reply.Len()) + r.session.Unsent.Load()
}

// Timeout returns after how many seconds a replica that does not move is given up.
func (r *Replica) Timeout() int64 { return r.session.engine.relay.timeout }

// Send sends a piece of a snapshot.
func (r *Replica) Send(piece []byte) { r.say(piece) }

// say sends text as it is.
func (r *Replica) say(text []byte) {
	r.session.Reply.Raw(text)
	r.session.wake()
}

// Attach makes it one of the replicas, which awaits a snapshot. plain says that it called SYNC.
func (r *Replica) Attach(plain bool) {
	e := r.session.engine
	e.relay.full++
	r.plain = plain
	r.join(awaitingSnapshot)
}

// Resume makes it follow the changes without a snapshot, if what it has is of this history and what it
// misses from an offset on is still there. It tells it so.
func (r *Replica) Resume(id []byte, offset int64) bool {
	e := r.session.engine
	st := &e.relay
	if first := st.offset - int64(st.backlog.held) + 1; !st.running || string(id) != e.info.replID || offset < first || offset > st.offset+1 {
		if string(id) != "?" {
			st.refused++
		}
		return false
	}
	st.partial++
	r.join(following)
	r.say(fmt.Appendf(nil, "+CONTINUE %s\r\n", e.info.replID))
	r.say(st.backlog.last(int(st.offset + 1 - offset)))
	return true
}

func (r *Replica) join(at stage) {
	e := r.session.engine
	r.stage, r.heard = at, e.micros
	e.relay.replicas = append(e.relay.replicas, r)
}

// Begin says that the snapshot which it will receive is taken at this moment, from which on changes are
// held for it; one that called PSYNC is told. It is called in no transaction.
func (r *Replica) Begin() {
	e := r.session.engine
	r.stage = receiving
	if !r.Request.OnlyOnce {
		e.startRelay()
		e.relay.db = -1 // it knows of none
	}
	if !r.plain {
		r.say(fmt.Appendf(nil, "+FULLRESYNC %s %d\r\n", e.info.replID, e.relay.offset))
	}
}

// Delivered says that the whole snapshot was sent. What was held follows; after a snapshot of unknown length
// not before it confirms that it found the end.
func (r *Replica) Delivered() {
	r.heard = r.session.engine.micros
	if r.stage = settling; !r.Request.EOF && !r.Request.OnlyOnce {
		r.settle()
	}
}

func (r *Replica) settle() {
	r.stage = following
	r.say(r.held)
	r.held = nil
}

// follow hands it a piece of the relay.
func (r *Replica) follow(text []byte) {
	waiting := 0
	switch s := r.session; {
	case s.closing || r.Request.OnlyOnce || r.stage == awaitingSnapshot:
		return
	case r.stage == following:
		r.say(text)
		waiting = s.Reply.Len()
	default:
		r.held = append(r.held, text...)
		waiting = len(r.held)
	}
	if lim := r.session.engine.Config.RelayLimit; lim > 0 && int64(waiting) > lim {
		r.held = nil
		r.Drop()
	}
}

// confirm notes up to where it has the relay, and up to where on disk if that is not 0.
func (r *Replica) confirm(offset, synced int64) {
	e := r.session.engine
	r.acked, r.synced, r.heard = max(r.acked, offset), max(r.synced, synced), e.micros
	if r.stage == settling && !r.Request.OnlyOnce {
		r.settle()
	}
	e.serveConfirmed()
}

// detachReplica ends following.
func (e *Engine) detachReplica(s *Session) {
	if s.replica == nil {
		return
	}
	if s.follows() {
		e.relay.left = e.micros
		list := slices.Clone(e.relay.replicas) // somebody may be going through it
		e.relay.replicas = slices.DeleteFunc(list, func(r *Replica) bool { return r == s.replica })
	}
	s.replica.stage, s.replica.held, s.replica = ashore, nil, nil
}

// confirmation is a wait until replicas have confirmed an offset.
type confirmation struct {
	waiter *waiter
	offset int64
	count  int
	synced bool // they shall have it on disk
	disk   bool // and so shall this server, which has not yet
	tell   func(s *Session, n int)
}

// confirmed returns how many replicas have the relay up to an offset.
func (e *Engine) confirmed(offset int64, synced bool) (n int) {
	for _, r := range e.relay.replicas {
		if r.stage == following && (!synced && r.acked >= offset || synced && r.synced >= offset) {
			n++
		}
	}
	return n
}

func (q *confirmation) met(e *Engine) bool {
	return e.confirmed(q.offset, q.synced) >= q.count && !q.disk
}

// awaitReplicas tells how many replicas have what was changed so far, as soon as they are enough or the
// deadline has passed. They are asked to confirm.
func (c *Call) awaitReplicas(deadline int64, q *confirmation) {
	e := c.Engine
	q.offset = e.relay.changed
	if q.met(e) {
		q.tell(c.Session, e.confirmed(q.offset, q.synced))
		return
	}
	c.Park(nil, deadline, func(s *Session) { q.tell(s, e.confirmed(q.offset, q.synced)) })
	if !c.parked {
		return
	}
	q.waiter = c.Session.waiter
	e.serveConfirmed() // forgets who waits no more
	e.relay.awaiting = append(e.relay.awaiting, q)
	if e.relay.running {
		e.ask("REPLCONF", "GETACK", "*")
	}
	if q.disk {
		e.durable.Await(func() {
			q.disk = false
			e.serveConfirmed()
		})
	}
}

// serveConfirmed ends the waits that are over.
func (e *Engine) serveConfirmed() {
	e.relay.awaiting = slices.DeleteFunc(e.relay.awaiting, func(q *confirmation) bool {
		if q.waiter.session.waiter != q.waiter {
			return true
		}
		met := q.met(e)
		if met {
			e.lapse(q.waiter, nil)
		}
		return met
	})
}

// fillReplication writes the section of INFO.
func (e *Engine) fillReplication(b *bytes.Buffer) {
	st := &e.relay
	Fields(b, "role", "master", "connected_slaves", len(st.replicas))
	for i, r := range st.replicas {
		lag := int64(0)
		if r.stage >= settling {
			lag = (e.micros - r.heard) / 1e6
		}
		Fields(b, fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=%d", r.host(), r.port, stageNames[r.stage], r.acked, lag))
	}
	active, first := 0, int64(0)
	if st.running {
		active, first = 1, st.offset-int64(st.backlog.held)+1
	}
	Fields(b, "master_failover_state", "no-failover", "master_replid", e.info.replID, "master_replid2", fmt.Sprintf("%040d", 0),
		"master_repl_offset", st.offset, "second_repl_offset", -1, "repl_backlog_active", active, "repl_backlog_size", st.backlogSize,
		"repl_backlog_first_byte_offset", first, "repl_backlog_histlen", st.backlog.held)
}

package replication

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/engine"
)

// replica is a session that receives the data and then the stream, or will.
//
//	none ─SYNC, PSYNC─▶ waitBgsaveStart ─▶ sendBulk ─▶ waitAck ─REPLCONF ACK─▶ online
//	  └─────────── PSYNC, if the backlog reaches back far enough ────────────────▶
//
// In sendBulk and waitAck the stream is held back. All methods are called under the engine's lock.
type replica struct {
	master  *Master
	session *engine.Session
	state   state
	request request
	sync    bool   // it called SYNC and not PSYNC: it may never acknowledge anything
	held    []byte // of the stream

	acked, fsynced int64 // the offsets that it acknowledged: received, and on disk
	ackedAt        int64 // when it last did; microseconds

	port int64 // where it listens itself, as it says
	ip   string
}

// request is what a replica wants of a snapshot.
type request struct {
	EOF          bool // it knows the format whose length is not known in advance
	OnlySnapshot bool // and not the stream
	NoData       bool
	NoFunctions  bool
}

// state is how far a replica is, in the order of the states.
type state int

const (
	none            state = iota // it has only introduced itself
	waitBgsaveStart              // a snapshot for it will begin
	sendBulk                     // the snapshot is on its way
	waitAck                      // the snapshot was sent, and must be acknowledged before the stream follows
	online
)

// stateNames are the states as INFO shows them.
var stateNames = [...]string{none: "", waitBgsaveStart: "wait_bgsave", sendBulk: "send_bulk", waitAck: "online", online: "online"}

// replica returns the session's state as a replica.
func (m *Master) replica(s *engine.Session) *replica {
	if r, ok := s.Replica().(*replica); ok {
		return r
	}
	r := &replica{master: m, session: s}
	s.SetReplica(r)
	return r
}

// Attached implements engine.Replica.
func (r *replica) Attached() bool { return r.state != none }

// Detach implements engine.Replica.
func (r *replica) Detach() {
	if m := r.master; r.Attached() {
		m.leftAt = m.engine.Micros()
		list := slices.Clone(m.replicas) // a loop may go through it
		m.replicas = slices.DeleteFunc(list, func(other *replica) bool { return other == r })
	}
	r.state, r.held = none, nil
}

// name is the replica's address in the log.
func (r *replica) name() string { return net.JoinHostPort(r.host(), strconv.FormatInt(r.port, 10)) }

func (r *replica) host() string {
	if r.ip != "" {
		return r.ip
	}
	host, _, err := net.SplitHostPort(r.session.Addr)
	if err != nil {
		return r.session.Addr
	}
	return host
}

// gone reports whether the connection has ended or is to end.
func (r *replica) gone() bool { return r.session.Closing() || !r.Attached() }

// send sends text as it is.
func (r *replica) send(text []byte) {
	r.session.Reply.Raw(text)
	r.session.Wake()
}

// unsent returns how many bytes are not sent yet, and wakes the connection.
func (r *replica) unsent() int64 {
	r.session.Wake()
	return int64(r.session.Reply.Len()) + r.session.Unsent.Load()
}

// attach makes it one of the replicas.
func (r *replica) attach(at state) {
	r.state, r.ackedAt = at, r.master.engine.Micros()
	r.master.replicas = append(r.master.replicas, r)
}

// resume sends the stream from an offset on, without a snapshot.
func (r *replica) resume(offset int64) {
	st := &r.master.stream
	r.attach(online)
	r.send(fmt.Appendf(nil, "+CONTINUE %s\r\n", st.id))
	r.send(st.backlog.last(int(st.offset + 1 - offset)))
}

// beginBulk fixes the moment of its snapshot, from which on the stream is held back. It is called in no transaction.
func (r *replica) beginBulk() {
	m := r.master
	r.state = sendBulk
	if !r.request.OnlySnapshot {
		m.startStream()
		m.stream.db = -1 // it knows of none
	}
	if !r.sync {
		r.send(fmt.Appendf(nil, "+FULLRESYNC %s %d\r\n", m.stream.id, m.stream.offset))
	}
}

// endBulk is called when the whole snapshot was sent. The stream follows at once if the replica knew the length,
// else when it acknowledges that it found the end.
func (r *replica) endBulk() {
	r.ackedAt = r.master.engine.Micros()
	if r.state = waitAck; !r.request.EOF && !r.request.OnlySnapshot {
		r.putOnline()
	}
}

func (r *replica) putOnline() {
	r.state = online
	r.send(r.held)
	r.held = nil
}

// feed sends a piece of the stream, or holds it back. A replica for which too much waits is disconnected.
func (r *replica) feed(text []byte) {
	pending := 0
	switch s := r.session; {
	case s.Closing() || r.request.OnlySnapshot || r.state == waitBgsaveStart:
		return
	case r.state == online:
		r.send(text)
		pending = s.Reply.Len()
	default:
		r.held = append(r.held, text...)
		pending = len(r.held)
	}
	if limit := r.master.engine.Config.ReplicaLimit; limit > 0 && int64(pending) > limit {
		r.held = nil
		r.session.Disconnect()
	}
}

// ack notes up to which offset it has the stream, and up to which on disk if that is not 0.
func (r *replica) ack(offset, fsynced int64) {
	r.acked, r.fsynced, r.ackedAt = max(r.acked, offset), max(r.fsynced, fsynced), r.master.engine.Micros()
	if r.state == waitAck && !r.request.OnlySnapshot {
		r.putOnline()
	}
	r.master.endWaits()
}

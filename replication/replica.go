package replication

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
)

// replica is a session that has introduced itself as a replica. It receives a snapshot and then the stream.
//
//	none ─SYNC, PSYNC─▶ waitBgsaveStart ─▶ sendBulk ─▶ waitAck ─REPLCONF ACK─▶ online
//	  └─────────── PSYNC, if the backlog reaches back far enough ────────────────▶
//
// The stream is held back in sendBulk and waitAck. All methods are called under the engine's lock.
type replica struct {
	master  *Master
	session *engine.Session
	state   state
	request request
	psync2  bool // it knows that the id of a history may change
	sync    bool // it called SYNC and not PSYNC, and may never acknowledge anything

	bulk []byte   // the piece of the snapshot that is sent next
	more [][]byte // those behind it, which all replicas of the transfer share
	wait int64    // bytes of these
	at   int64    // offset of the last byte of the stream that the connection has taken

	lateSince int64 // when the bytes that wait have passed the soft limit; microseconds, 0 if they have not

	acked, fsynced int64 // offsets that it acknowledged as received and as synced
	ackedAt        int64 // time of the last acknowledgement; microseconds

	port    int64 // on which it listens, as REPLCONF says
	ip      string
	ours    bool             // it is a miniserver
	release *release.Release // nil if unknown, see older.go
}

// request is what a replica has requested by REPLCONF.
type request struct {
	EOF          bool // it knows the format that ends with a mark, see transfer
	OnlySnapshot bool // without the stream
	NoData       bool
	NoFunctions  bool
}

// state is the stage of a replica, with Redis' names. Later stages are greater.
type state int

const (
	none            state = iota // it has not asked for the data yet
	waitBgsaveStart              // it waits for a snapshot to begin
	sendBulk                     // the snapshot is being sent
	waitAck                      // the snapshot is sent; the stream follows when the replica has acknowledged it
	online
)

// stateNames are the names of the states in INFO.
var stateNames = [...]string{none: "", waitBgsaveStart: "wait_bgsave", sendBulk: "send_bulk", waitAck: "online", online: "online"}

// replica returns the session as a replica, and makes it one if necessary.
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
		m.leftAt = m.engine.Home().Micros()
		list := slices.Clone(m.replicas) // a caller may be iterating over it
		m.replicas = slices.DeleteFunc(list, func(other *replica) bool { return other == r })
		m.updateDenial()
	}
	r.state = none
	r.bulk, r.more, r.wait = nil, nil, 0
	r.master.trim()
}

// follows reports whether the replica has a position in the stream.
func (r *replica) follows() bool { return r.state >= sendBulk && !r.request.OnlySnapshot }

// Pending implements engine.Replica.
func (r *replica) Pending() int64 { return r.wait + r.behind() }

// behind returns how many bytes of the stream the connection has not taken.
func (r *replica) behind() int64 {
	if !r.follows() {
		return 0
	}
	return r.master.stream.offset - r.at
}

// maxPiece is the largest piece that a connection takes, in bytes: it copies what the socket does not take of it.
const maxPiece = 64 << 10

// Next implements engine.Replica.
func (r *replica) Next() (piece []byte) {
	if r.wait > 0 {
		piece = r.nextOfBulk()
	} else if r.state == online {
		piece = r.master.stream.buffer.after(r.at)
		piece = piece[:min(len(piece), maxPiece)]
		r.at += int64(len(piece))
	}
	if len(piece) > 0 {
		r.master.traffic.out += int64(len(piece))
		r.master.trim()
	}
	return piece
}

func (r *replica) nextOfBulk() (piece []byte) {
	for len(r.bulk) == 0 {
		r.bulk, r.more[0], r.more = r.more[0], nil, r.more[1:]
	}
	n := min(len(r.bulk), maxPiece)
	piece, r.bulk = r.bulk[:n:n], r.bulk[n:]
	r.wait -= int64(n)
	return piece
}

// sendPiece sends a piece of the snapshot, which nobody changes any more.
func (r *replica) sendPiece(piece []byte) {
	r.more = append(r.more, piece)
	r.wait += int64(len(piece))
	r.master.trim()
	r.session.Wake()
}

// name returns the replica's address for the log.
func (r *replica) name() string { return net.JoinHostPort(r.host(), strconv.FormatInt(r.port, 10)) }

// host returns the address on which the replica listens: that of its connection unless REPLCONF gave another.
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

// gone reports whether the connection has ended or is closing.
func (r *replica) gone() bool { return r.session.Closing() || !r.Attached() }

// send sends raw text.
func (r *replica) send(text []byte) {
	r.master.traffic.out += int64(len(text))
	r.session.Reply.Raw(text)
	r.session.Wake()
}

// unsent returns the number of bytes of the snapshot not sent yet. It also wakes the connection to send them.
func (r *replica) unsent() int64 {
	r.session.Wake()
	return int64(r.session.Reply.Len()) + r.session.Unsent.Load() + r.wait
}

// attach adds the replica to the master's, in the given state.
func (r *replica) attach(at state) {
	r.state, r.ackedAt = at, r.master.engine.Home().Micros()
	r.master.replicas = append(r.master.replicas, r)
	r.session.Attach()
}

// resume sends the stream from an offset on, without a snapshot.
func (r *replica) resume(offset int64) {
	st := &r.master.stream
	r.at = offset - 1
	r.attach(online)
	if r.psync2 {
		r.send(fmt.Appendf(nil, "+CONTINUE %s\r\n", st.id))
	} else {
		r.send([]byte("+CONTINUE\r\n"))
	}
}

// beginBulk is called at the moment of the replica's snapshot, outside of transactions. From now on the stream is held
// back.
func (r *replica) beginBulk() {
	m := r.master
	r.state = sendBulk
	if !r.request.OnlySnapshot {
		m.startStream()
		m.selectAgain()
		r.at = m.stream.offset
	}
	if !r.sync {
		r.send(fmt.Appendf(nil, "+FULLRESYNC %s %d\r\n", m.stream.id, m.stream.offset))
	}
}

// selectAgain makes a SELECT precede the next change, for a replica that knows of none before. The stream of another master stays as
// it is; there the snapshot says which database is selected.
func (m *Master) selectAgain() {
	if m.link == nil {
		m.stream.db = -1
	}
}

// endBulk is called when the whole snapshot is sent. The stream follows at once if the replica knew the length in advance.
// Otherwise it follows when the replica acknowledges that it has found the end.
func (r *replica) endBulk() {
	r.ackedAt = r.master.engine.Home().Micros()
	if r.state = waitAck; !r.request.EOF && !r.request.OnlySnapshot {
		r.putOnline()
	}
}

// putOnline sends the stream that was held back.
func (r *replica) putOnline() {
	r.state = online
	r.master.updateDenial()
	r.session.Wake()
}

// feed is called when the stream has grown.
func (r *replica) feed() {
	if r.session.Closing() || !r.follows() {
		return
	}
	if r.state == online {
		r.session.WakeSoon()
	}
	r.limit()
}

// limit disconnects a replica for which too much of the stream waits.
func (r *replica) limit() {
	if !r.session.Closing() && r.follows() && r.exceeds() {
		r.master.opts.Log('#', "Replica %s is disconnected: %d bytes of the stream wait for it, see client-output-buffer-limit.", r.name(), r.behind())
		r.session.Disconnect()
	}
}

// exceeds reports whether more bytes of the stream wait for the replica than its limits allow. As in Redis a hard limit below the size
// of the backlog is none of its own: the replica could go on from the backlog, which is in memory anyway.
func (r *replica) exceeds() bool {
	e, pending := r.master.engine, r.behind()
	soft := e.Config.SoftLimits[engine.ClassReplica]
	switch {
	case soft.Bytes == 0 || pending < soft.Bytes:
		r.lateSince = 0
	case r.lateSince == 0:
		r.lateSince = e.Home().Micros()
	}
	hard := e.Config.OutputLimits[engine.ClassReplica]
	return hard > 0 && pending >= max(hard, int64(r.master.backlogBytes())) || r.lateSince != 0 && e.Home().Micros()-r.lateSince > soft.Seconds*1e6
}

// ack records the offsets up to which the replica has received and synced the stream; fsynced is 0 if unknown.
func (r *replica) ack(offset, fsynced int64) {
	r.acked, r.fsynced, r.ackedAt = max(r.acked, offset), max(r.fsynced, fsynced), r.master.engine.Home().Micros()
	if r.state == waitAck && !r.request.OnlySnapshot {
		r.putOnline()
	}
	r.master.endWaits()
}

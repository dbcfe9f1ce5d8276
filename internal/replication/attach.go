package replication

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
)

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

// beginBulk is called at the moment of the replica's snapshot, outside of transactions. From now on
// the stream is held back.
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

// selectAgain makes a SELECT precede the next change, for a replica that knows of none before. The
// stream of another master stays as it is; there the snapshot says which database is selected.
func (m *Master) selectAgain() {
	if m.link == nil {
		m.stream.db = -1
	}
}

// endBulk is called when the whole snapshot is sent. The stream follows at once if the replica knew
// the length in advance. Otherwise it follows when the replica acknowledges that it has found the
// end.
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

// ack records the offsets up to which the replica has received and synced the stream; fsynced is 0
// if unknown.
func (r *replica) ack(offset, fsynced int64) {
	r.acked, r.fsynced, r.ackedAt = max(r.acked, offset), max(r.fsynced, fsynced), r.master.engine.Home().Micros()
	if r.state == waitAck && !r.request.OnlySnapshot {
		r.putOnline()
	}
	r.master.endWaits()
}

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

// maxPiece is the largest piece that a connection takes, in bytes: it copies what the socket does
// not take of it.
const maxPiece = 64 << 10

// replica returns the session as a replica, and makes it one if necessary.
func (m *Master) replica(s *engine.Session) *replica {
	if r, ok := s.Replica().(*replica); ok {
		return r
	}
	r := &replica{master: m, session: s}
	s.SetReplica(r)
	return r
}

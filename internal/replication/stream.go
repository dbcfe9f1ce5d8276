package replication

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// startStream starts to propagate changes to the stream. It does nothing if the stream runs.
func (m *Master) startStream() {
	st := &m.stream
	if st.running {
		return
	}
	if m.link != nil {
		return // the stream is the master's
	}
	st.running, st.db, m.pingAt = true, -1, m.engine.Home().Micros()
	st.offset++ // Redis counts this one, too
	st.changed = st.offset
	st.buffer.begin(m.backlogBytes(), st.offset)
	m.engine.SetPropagate(partName, m.feed)
}

// stopStream stops propagating changes and frees the backlog. A new id marks the gap in the
// history.
func (m *Master) stopStream() {
	m.stream.running, m.stream.buffer = false, buffer{}
	m.trim()
	m.stream.newHistory(m.engine.Home().NewID())
	m.engine.SetPropagate(partName, nil)
}

// place returns where in the stream the data are now.
func (m *Master) place() snapshot.History {
	return snapshot.History{ID: m.stream.id, Offset: m.stream.offset, DB: m.stream.db}
}

// History returns where in the stream the data are, for a snapshot on disk; false if there is no
// stream. It is called under the lock.
func (m *Master) History() (h snapshot.History, ok bool) { return m.place(), m.stream.running }

// Resume is called under the lock when the server has loaded data that were saved at h. A replica
// asks its master for what has changed since. A master goes on under a new id, and its replicas
// with it if they have everything up to h.
func (m *Master) Resume(h snapshot.History) {
	m.stream.restart(h.ID, h.Offset, h.DB, m.backlogBytes())
	if m.link == nil {
		m.shiftID()
		m.leftAt, m.pingAt = m.engine.Home().Micros(), m.engine.Home().Micros()
		m.engine.SetPropagate(partName, m.feed)
	}
}

// Offset implements journal.Stream.
func (m *Master) Offset() int64 { return m.stream.offset }

// Begin implements journal.Stream: without replicas there is no stream yet, and its offset goes on
// here.
func (m *Master) Begin(offset int64) {
	if !m.stream.running {
		m.stream.offset, m.stream.changed = offset, offset
	}
}

// Count implements journal.Stream: without replicas and a master Redis counts each change as a
// byte.
func (m *Master) Count() {
	if !m.stream.running && m.link == nil {
		m.stream.offset++
		m.stream.changed = m.stream.offset
	}
}

// relay passes a piece of the master's stream on, after which a database is selected.
func (m *Master) relay(text []byte, db int) {
	m.stream.db = db
	m.passText(text)
}

// feed adds a change to the stream, or a message to the clients of replicas.
func (m *Master) feed(db int, args [][]byte) {
	st := &m.stream
	st.command.Reset()
	if db != st.db && db != engine.AnyDB {
		st.db = db
		st.write([]byte("SELECT"), strconv.AppendInt(nil, int64(db), 10))
	}
	st.write(args...)
	m.pass()
	st.changed = st.offset
}

// feedWords adds a command that changes nothing.
func (m *Master) feedWords(words ...string) {
	st := &m.stream
	st.command.Reset()
	st.command.Array(len(words))
	for _, word := range words {
		st.command.BulkString(word)
	}
	m.pass()
}

func (st *stream) write(args ...[]byte) {
	st.command.Array(len(args))
	for _, arg := range args {
		st.command.Bulk(arg)
	}
}

// maxCommandKept is the size in bytes up to which the memory of a command is used for the next one.
const maxCommandKept = 1 << 16

// pass passes the command to the backlog and the replicas.
func (m *Master) pass() {
	st, text := &m.stream, m.stream.command.Bytes()
	m.passText(text)
	if cap(text) > maxCommandKept {
		st.command = resp.NewWriter(2)
	}
}

// passText passes a piece of the stream to the backlog and the replicas.
func (m *Master) passText(text []byte) {
	st := &m.stream
	st.offset += int64(len(text))
	st.buffer.add(text)
	for _, r := range m.replicas {
		r.feed()
	}
	m.trim()
}

// trim drops what neither the backlog nor a replica needs any more, and counts what only replicas
// need.
func (m *Master) trim() {
	b := &m.stream.buffer
	if b.isLong() {
		b.trim(m.received())
	}
	total, backlog := m.bufferBytes()
	m.unreceived.Store(int64(total-backlog) + m.snapshotBytes())
}

// snapshotBytes returns the bytes of a snapshot that wait for replicas, which have them in common.
func (m *Master) snapshotBytes() (n int64) {
	for _, r := range m.replicas {
		n = max(n, r.wait)
	}
	return n
}

// received returns the offset up to which all connections of replicas have taken the stream.
func (m *Master) received() int64 {
	least := m.stream.offset
	for _, r := range m.replicas {
		if r.follows() {
			least = min(least, r.at)
		}
	}
	return least
}

// bufferBytes returns what the stream takes, and how much of it is counted as the backlog: as in
// Redis no more than that may take, while there are replicas.
func (m *Master) bufferBytes() (total, backlog int) {
	total = m.stream.buffer.room
	if len(m.replicas) == 0 {
		return total, total
	}
	return total, min(total, m.stream.buffer.size)
}

// backlogMemory returns the bytes of the backlog.
func (m *Master) backlogMemory(*engine.World) int {
	_, backlog := m.bufferBytes()
	return backlog
}

// shiftID gives the stream a new id from here on.
func (m *Master) shiftID() {
	st := &m.stream
	st.id2, st.until2, st.id = st.id, st.offset+1, m.engine.Home().NewID()
	st.db, st.changed = -1, st.offset
	m.opts.Log('*', "Setting secondary replication ID to %s, valid up to offset: %d. New replication ID is %s", st.id2,
		st.until2, st.id)
}

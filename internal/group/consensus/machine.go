package consensus

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/hashicorp/raft"
)

// machine is what Raft sees of a Machine. It skips void entries, and so it knows the last one that
// counted; snapshots have that before the machine's state.
type machine struct {
	node  *Node
	inner Machine

	mu      sync.Mutex // held while a function of inner runs
	last    position   // of the last entry that counted; the same at every member after the same index
	applied uint64     // index of the last entry, of any kind, void ones too
	// Parts of a large entry whose last part has not come; nil if there is none. They are in
	// snapshots, since the log may be cut between two parts. Those of a lost seat are dropped.
	begun []byte
}

// position says how far the entries of seats have been applied.
type position struct{ seat, number uint64 }

const positionSize = 16

// An entry that is larger than a part goes into the log in parts, each with a number. The last one
// makes it count. Raft sends up to 256 entries at once and expects an answer within seconds, so
// none may be large.
const (
	maxPart   = 2 << 20
	moreParts = 1 << 63 // in a number: this is not the last part
)

func newMachine(n *Node) *machine {
	return &machine{node: n, inner: n.options.Machine}
}

// parts cuts an entry.
func parts(data []byte) (list [][]byte) {
	for len(data) > maxPart {
		list, data = append(list, data[:maxPart]), data[maxPart:]
	}
	return append(list, data)
}

// envelope puts the number within a seat before an entry.
func envelope(seat, number uint64, data []byte) []byte {
	b := make([]byte, 0, positionSize+len(data))
	return append(position{seat, number}.append(b), data...)
}

func (p position) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, p.seat), p.number)
}

func readPosition(b []byte) position {
	return position{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// follows reports whether an entry counts: the first of a later seat, or the next of the same one,
// appended in the term of its seat. All members decide alike, because all see the same log. The
// term matters for an entry that Raft takes after it has lost and regained the lead: its seat is
// over.
func (p position) follows(last position, term uint64) bool {
	if p.seat/maxTaken != term {
		return false
	}
	return p.seat == last.seat && p.number == last.number+1 || p.seat > last.seat && p.number == 1
}

// open returns the entries that count among those of the log. For those that do not, the response
// is errVoid, which tells their Append that they are not in the log as far as anybody is concerned.
func (m *machine) open(logs []*raft.Log, responses []any) (entries []Entry) {
	for i, l := range logs {
		if l.Type != raft.LogCommand || len(l.Data) < positionSize {
			continue
		}
		p := readPosition(l.Data)
		more := p.number&moreParts != 0
		p.number &^= moreParts
		if !p.follows(m.last, l.Term) {
			responses[i] = errVoid
			continue
		}
		if p.seat != m.last.seat {
			m.begun = nil
		}
		m.last = p
		data := l.Data[positionSize:]
		if more || m.begun != nil {
			m.begun = append(m.begun, data...)
			data = m.begun
		}
		if more {
			continue
		}
		m.begun = nil
		entries = append(entries, Entry{Index: l.Index, Term: l.Term, Seat: p.seat, Data: data})
	}
	return entries
}

// ApplyBatch implements raft.BatchingFSM.
func (m *machine) ApplyBatch(logs []*raft.Log) []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	responses := make([]any, len(logs))
	if entries := m.open(logs, responses); len(entries) > 0 {
		m.inner.Apply(entries)
	}
	m.applied = logs[len(logs)-1].Index
	return responses
}

// Apply implements raft.FSM.
func (m *machine) Apply(l *raft.Log) any {
	return m.ApplyBatch([]*raft.Log{l})[0]
}

// Snapshot implements raft.FSM.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.inner.Snapshot()
	return state{s, header{m.last, m.applied, slices.Clone(m.begun)}}, err
}

// Restore implements raft.FSM.
func (m *machine) Restore(r io.ReadCloser) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.restore(r)
}

func (m *machine) restore(r io.Reader) error {
	h, err := readHeader(r)
	if err != nil {
		return err
	}
	m.last, m.applied, m.begun = h.last, h.applied, h.begun
	return m.inner.Restore(r)
}

// header is what a snapshot begins with.
type header struct {
	last    position
	applied uint64
	begun   []byte
}

const headerSize = positionSize + 8 + 8

func (h header) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(h.last.append(nil), h.applied)
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(h.begun))), h.begun...)
}

func readHeader(r io.Reader) (h header, err error) {
	var b [headerSize]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return h, err
	}
	h.last, h.applied = readPosition(b[:]), binary.LittleEndian.Uint64(b[positionSize:])
	size := binary.LittleEndian.Uint64(b[positionSize+8:])
	if h.begun, err = io.ReadAll(io.LimitReader(r, int64(size))); err == nil && uint64(len(h.begun)) < size {
		err = io.ErrUnexpectedEOF
	}
	if size == 0 {
		h.begun = nil
	}
	return h, err
}

// state is a Snapshot with its header.
type state struct {
	Snapshot
	header header
}

// Persist implements raft.FSMSnapshot.
func (s state) Persist(sink raft.SnapshotSink) error {
	_, err := sink.Write(s.header.bytes())
	if err == nil {
		err = s.Write(sink)
	}
	if err != nil {
		sink.Cancel()
		return err
	}
	return sink.Close()
}

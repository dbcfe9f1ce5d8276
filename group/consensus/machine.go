package consensus

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// machine is what Raft sees of a Machine. It skips void entries, and so it knows the last one that counted; snapshots have that before the machine's state.
type machine struct {
	node  *Node
	inner Machine

	mu      sync.Mutex // held while a function of inner runs
	last    position
	applied uint64 // index of the last entry, of any kind
}

// position says how far the entries of seats have been applied.
type position struct{ seat, number uint64 }

const positionSize = 16

func newMachine(n *Node) *machine {
	return &machine{node: n, inner: n.options.Machine}
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

// follows reports whether an entry counts: the first of a later seat, or the next of the same one, appended in the term of its seat.
func (p position) follows(last position, term uint64) bool {
	if p.seat/maxTaken != term {
		return false
	}
	return p.seat == last.seat && p.number == last.number+1 || p.seat > last.seat && p.number == 1
}

// open returns the entries that count among those of the log.
func (m *machine) open(logs []*raft.Log, responses []any) (entries []Entry) {
	for i, l := range logs {
		if l.Type != raft.LogCommand || len(l.Data) < positionSize {
			continue
		}
		p := readPosition(l.Data)
		if !p.follows(m.last, l.Term) {
			responses[i] = errVoid
			continue
		}
		m.last = p
		entries = append(entries, Entry{Index: l.Index, Term: l.Term, Seat: p.seat, Data: l.Data[positionSize:]})
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
	return state{s, header{m.last, m.applied}}, err
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
	m.last, m.applied = h.last, h.applied
	return m.inner.Restore(r)
}

// header is what a snapshot begins with.
type header struct {
	last    position
	applied uint64
}

const headerSize = positionSize + 8

func readHeader(r io.Reader) (header, error) {
	var b [headerSize]byte
	_, err := io.ReadFull(r, b[:])
	return header{readPosition(b[:]), binary.LittleEndian.Uint64(b[positionSize:])}, err
}

// state is a Snapshot with its header.
type state struct {
	Snapshot
	header header
}

// Persist implements raft.FSMSnapshot.
func (s state) Persist(sink raft.SnapshotSink) error {
	_, err := sink.Write(binary.LittleEndian.AppendUint64(s.header.last.append(nil), s.header.applied))
	if err == nil {
		err = s.Write(sink)
	}
	if err != nil {
		sink.Cancel()
		return err
	}
	return sink.Close()
}

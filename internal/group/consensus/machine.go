package consensus

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// machine applies entries to a Machine, on a goroutine of its own, and answers those who have
// appended them, in the order of the Appends.
type machine struct {
	node  *Node
	inner Machine
	tasks queue[task]

	waiting []*appended // for their entries to be applied

	mu      sync.Mutex // held while a function of inner runs
	applied position   // of the last entry, of any kind
	seat    uint64     // of the last entry of one
	members []member
	// Parts of a large entry whose last part has not come; nil if there is none. They are in
	// snapshots, since the log may be cut between two parts. Those of a lost seat are dropped.
	begun []byte
}

// task is something for the machine, one of these.
type task struct {
	entries []pb.Entry  // to be applied
	restore string      // the file of a snapshot
	waiting []*appended // they wait from now on
	lost    uint64      // a seat that has ended: what is under way in it may be lost

	// The outcome, for the loop: what the library is told, the changes of the members among the
	// entries, and the members after them.
	answer  pb.Message
	changes []changeEntry
	members []member
}

type changeEntry struct {
	index  uint64
	change pb.ConfChange
}

func (t task) last() pb.Entry { return t.entries[len(t.entries)-1] }

// An entry of the log is the seat, a byte, and data. One that is larger than a part goes into the
// log in parts, the last of which makes it count, so that no message is large.
const (
	maxPart      = 2 << 20
	envelopeSize = 9
	wholeEntry   = 0
	moreParts    = 1 // this is not the last part
)

// parts cuts an entry, and puts its seat before each part.
func parts(seat uint64, data []byte) (list [][]byte) {
	for len(data) > maxPart {
		list, data = append(list, envelope(seat, moreParts, data[:maxPart])), data[maxPart:]
	}
	return append(list, envelope(seat, wholeEntry, data))
}

func envelope(seat uint64, kind byte, data []byte) []byte {
	b := make([]byte, 0, envelopeSize+len(data))
	return append(append(binary.LittleEndian.AppendUint64(b, seat), kind), data...)
}

func (m *machine) run() {
	m.tasks.run(m.node.closed, func(list []task) {
		for _, t := range list {
			m.do(t)
		}
	})
}

// end answers what is left, when nothing else runs any more.
func (m *machine) end() {
	for _, t := range m.tasks.take() {
		m.waiting = append(m.waiting, t.waiting...)
	}
	_, appends, _ := m.node.inbox.take()
	for _, a := range append(m.waiting, appends...) {
		if a.index != 0 && a.err == nil {
			a.err = ErrUnknown
		}
		m.answer(a)
	}
}

func (m *machine) do(t task) {
	switch {
	case t.entries != nil:
		m.applyAll(t)
	case t.restore != "":
		m.restoreFrom(t.restore)
	case t.lost != 0:
		for _, a := range m.waiting {
			if a.seat == t.lost && a.index > m.applied.index {
				a.err = ErrUnknown
			}
		}
	}
	m.waiting = append(m.waiting, t.waiting...)
	for len(m.waiting) > 0 && m.waiting[0].isKnown(m.applied.index) {
		m.answer(m.waiting[0])
		m.waiting = m.waiting[1:]
	}
}

// answer tells who has appended an entry what became of it.
func (m *machine) answer(a *appended) {
	switch {
	case a.index == 0:
		a.err = ErrNotAppended
	case a.err == nil:
		m.node.latency.add(time.Duration(m.node.clock() - a.begin))
	}
	a.done(a.err)
	m.node.underWay.Add(-1)
}

// applyAll applies entries, and tells the loop. With an entry that cannot be read any more this
// member cannot go on.
func (m *machine) applyAll(t task) {
	entries, err := m.node.log.fill(t.entries)
	for err != nil {
		m.node.foundDamage(err)
		if !m.node.sleep(lastPause) {
			return
		}
		entries, err = m.node.log.fill(t.entries)
	}
	m.mu.Lock()
	t.changes = m.apply(entries)
	t.members = m.members
	m.mu.Unlock()
	m.node.inbox.call(func() { m.node.core.done(t) })
}

// apply applies entries, and returns the changes of the members among them.
func (m *machine) apply(entries []pb.Entry) (changes []changeEntry) {
	list := m.open(entries)
	if len(list) > 0 {
		m.inner.Apply(list)
	}
	for i := range entries {
		e := &entries[i]
		if e.Type == pb.EntryNormal || e.Index <= m.node.stable.get().Alone {
			continue
		}
		if cc, ok := parseChange(e.Data); ok {
			m.members = changed(m.members, cc)
			changes = append(changes, changeEntry{e.Index, cc})
		}
	}
	last := entries[len(entries)-1]
	m.applied = position{last.Index, last.Term}
	return changes
}

// open returns the entries of seats that are whole.
func (m *machine) open(entries []pb.Entry) (list []Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Type != pb.EntryNormal || len(e.Data) < envelopeSize {
			continue
		}
		seat, kind, data := binary.LittleEndian.Uint64(e.Data), e.Data[8], e.Data[envelopeSize:]
		if seat != m.seat {
			m.begun = nil
		}
		m.seat = seat
		if kind == moreParts || m.begun != nil {
			m.begun = append(m.begun, data...)
			data = m.begun
		}
		if kind != moreParts {
			m.begun = nil
			list = append(list, Entry{Index: e.Index, Term: e.Term, Seat: seat, Data: data})
		}
	}
	return list
}

// restoreFrom makes the state that of a snapshot which has come from a leader.
func (m *machine) restoreFrom(path string) {
	for {
		err := m.load(path, false)
		if err == nil {
			return
		}
		m.node.options.Log("warning", "A snapshot could not be loaded: "+err.Error())
		if !m.node.sleep(lastPause) {
			return
		}
	}
}

// load makes the state that of a snapshot. A new machine has the state before the first entry.
func (m *machine) load(path string, isNew bool) error {
	h, r, err := openSnapshot(path)
	if err != nil {
		return err
	}
	defer r.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.members = h.Members
	return m.restore(h, r, isNew)
}

// restore does what load does, but for the members.
func (m *machine) restore(h head, r *snapshotReader, isNew bool) (err error) {
	if !h.Empty {
		err = m.inner.Restore(r)
	} else if !isNew {
		err = m.inner.Restore(nil)
	}
	if err != nil {
		return err
	}
	m.applied, m.seat, m.begun = position{h.Index, h.Term}, h.Seat, slices.Clone(r.begun)
	return nil
}

var errNothing = errors.New("nothing has been applied yet")

// snapshot takes a snapshot of the state, writes it, and drops entries before it.
func (m *machine) snapshot() error {
	m.mu.Lock()
	s, err := m.inner.Snapshot()
	h := head{Index: m.applied.index, Term: m.applied.term, Members: m.members, Seat: m.seat}
	begun := slices.Clone(m.begun)
	m.mu.Unlock()
	if err != nil {
		return err
	}
	defer s.Release()
	if h.Index == 0 {
		return errNothing
	}
	return m.node.snapshots.write(h, begun, s.Write)
}

package consensus

import pb "go.etcd.io/raft/v3/raftpb"

// Rebuild makes the machine's state what it was after the entry of that index, or after the last
// one before it: it restores a snapshot and applies the entries after it. Only Apply may call it,
// for an index before that of its first entry, or of one of its entries. Apply runs again within
// it.
func (n *Node) Rebuild(index uint64) error {
	m := n.machine
	applied, seat, begun := m.applied, m.seat, m.begun
	defer func() { m.applied, m.seat, m.begun = applied, seat, begun }()
	return m.rebuild(index)
}

// RebuildAll does the same for the last entry that was applied. Apply must not call it.
func (n *Node) RebuildAll() error {
	m := n.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	applied := m.applied
	defer func() { m.applied = applied }()
	return m.rebuild(applied.index)
}

const (
	// rebuildTries is how often a snapshot may be replaced by a newer one, and entries after it
	// deleted, while it is read.
	rebuildTries = 5
	rebuildBytes = 4 << 20 // of entries at once
)

func (m *machine) rebuild(index uint64) (err error) {
	for range rebuildTries {
		if err = m.tryRebuild(index); err == nil {
			break
		}
	}
	return err
}

func (m *machine) tryRebuild(index uint64) error {
	from, err := m.restoreBefore(index)
	if err != nil {
		return err
	}
	for from < index {
		entries, err := m.node.log.Entries(from+1, index+1, rebuildBytes)
		if err == nil {
			entries, err = m.node.log.fill(entries)
		}
		if err != nil {
			return err
		}
		m.replay(entries)
		from = entries[len(entries)-1].Index
	}
	return nil
}

// restoreBefore restores the newest snapshot that is not later than index, and returns the index of
// its last entry.
func (m *machine) restoreBefore(index uint64) (uint64, error) {
	for _, h := range m.node.snapshots.list() {
		if h.Index > index {
			continue
		}
		h, r, err := openSnapshot(h.path)
		if err != nil {
			return 0, err
		}
		defer r.Close()
		return h.Index, m.restore(h, r, false)
	}
	return 0, errNoSnapshot
}

func (m *machine) replay(entries []pb.Entry) {
	if list := m.open(entries); len(list) > 0 {
		m.inner.Apply(list)
	}
}

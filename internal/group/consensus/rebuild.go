package consensus

import (
	"github.com/hashicorp/raft"
)

// Rebuild makes the machine's state what it was after the entry of that index, or after the last
// one before it: it restores a snapshot and applies the entries after it. Only Apply may call it,
// for an index before that of its first entry, or of one of its entries. Apply runs again within
// it.
func (n *Node) Rebuild(index uint64) error {
	m := n.machine
	last, applied, begun := m.last, m.applied, m.begun
	defer func() { m.last, m.applied, m.begun = last, applied, begun }()
	return m.rebuild(index)
}

// RebuildAll does the same for the last entry that was applied. Apply must not call it.
func (n *Node) RebuildAll() error {
	m := n.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	applied := m.applied
	defer func() { m.applied = applied }()
	return m.rebuild(applied)
}

// rebuildTries is how often a snapshot may be replaced by a newer one, and entries after it
// deleted, while it is read.
const rebuildTries = 5

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
		if from, err = m.replay(from+1, min(from+maxAppendEntries, index)); err != nil {
			return err
		}
	}
	return nil
}

// restoreBefore restores the newest snapshot that is not later than index, and returns the index of
// its last entry.
func (m *machine) restoreBefore(index uint64) (uint64, error) {
	list, err := m.node.snapshots.List()
	if err != nil {
		return 0, err
	}
	for _, meta := range list {
		if ok, err := m.restoreIf(meta.ID, index); ok || err != nil {
			return meta.Index, err
		}
	}
	m.last, m.begun = position{}, nil
	return 0, m.inner.Restore(nil)
}

// restoreIf restores a snapshot if no entry after index is in it. Its own index does not tell:
// Raft's entries, which change nothing, count there.
func (m *machine) restoreIf(id string, index uint64) (bool, error) {
	_, r, err := m.node.snapshots.Open(id)
	if err != nil {
		return false, err
	}
	defer r.Close()
	h, err := readHeader(r)
	if err != nil || h.applied > index {
		return false, err
	}
	m.last, m.begun = h.last, h.begun
	return true, m.inner.Restore(r)
}

// replay applies the entries between two indexes, both included.
func (m *machine) replay(from, to uint64) (uint64, error) {
	var logs []*raft.Log
	for i := from; i <= to; i++ {
		l := new(raft.Log)
		if err := m.node.log.GetLog(i, l); err != nil {
			return 0, err
		}
		logs = append(logs, l)
	}
	if entries := m.open(logs, make([]any, len(logs))); len(entries) > 0 {
		m.inner.Apply(entries)
	}
	return to, nil
}

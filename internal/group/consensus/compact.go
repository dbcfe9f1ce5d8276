package consensus

import "time"

// Raft counts entries to decide when a snapshot is due, and how many stay before it. Entries may be
// large, so this looks at their bytes as well.

// compactCheck is how often it looks.
const compactCheck = 500 * time.Millisecond

func (n *Node) compact() {
	tick := time.NewTicker(compactCheck)
	defer tick.Stop()
	var atSnapshot uint64
	for {
		select {
		case <-tick.C:
		case <-n.closed:
			return
		}
		if stored := n.log.stored.Load(); stored-atSnapshot > n.options.SnapshotBytes {
			n.keepFewer(stored - atSnapshot)
			if n.Snapshot() == nil {
				atSnapshot = stored
			}
		}
	}
}

// keepFewer lets as many entries stay before a snapshot as take a fourth of the limit, when those
// since the last one had so many bytes.
func (n *Node) keepFewer(bytes uint64) {
	entries := n.raft.LastIndex() - n.lastSnapshot()
	c := n.raft.ReloadableConfig()
	c.TrailingLogs = min(n.options.SnapshotTrailing, entries*(n.options.SnapshotBytes/4)/max(bytes, 1))
	n.raft.ReloadConfig(c)
}

func (n *Node) lastSnapshot() uint64 {
	list, err := n.snapshots.List()
	if err != nil || len(list) == 0 {
		return 0
	}
	return list[0].Index
}

package consensus

import "time"

const (
	// compactCheck is how often it is looked whether a snapshot is due.
	compactCheck = 500 * time.Millisecond
	// compactPause is at least between two snapshots that new members need.
	compactPause = 50 * time.Millisecond
)

// compact takes snapshots: by entries, by their bytes, and when a new member needs one.
func (n *Node) compact() {
	tick := time.NewTicker(compactCheck)
	defer tick.Stop()
	var bytes uint64 // that were stored before the last one
	for {
		due := false
		select {
		case <-tick.C:
			stored := n.log.stored.Load() - bytes
			due = stored > n.options.SnapshotBytes ||
				n.view().applied-min(n.snapshots.newest().Index, n.view().applied) >= n.options.SnapshotEvery
		case <-n.compactor:
			due = true
		case <-n.closed:
			return
		}
		if !due {
			continue
		}
		stored := n.log.stored.Load()
		if err := n.Snapshot(); err == nil {
			bytes = stored
		} else {
			n.options.Log("debug", "No snapshot now: "+err.Error())
			n.sleep(compactPause)
		}
	}
}

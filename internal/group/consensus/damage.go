package consensus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
)

// openStores opens what a member has on its disk. A member whose log has a hole or damage puts it
// aside and comes back empty, if there are others who have the entries. It remembers its term as
// that of the hole, and enters the next term, so that the leader's seat is taken anew without its
// vote. It does not vote until its log has an entry of a later term than that: who appended it was
// elected by members that had lost nothing, and so its log has all that this member ever confirmed.
func (n *Node) openStores() error {
	d := newDisk(n.options)
	if err := makeDir(n.options.Dir); err != nil {
		return err
	}
	var err error
	if n.stable, err = openStable(n.options.Dir, d, n.options.StoreLimit); err != nil {
		return err
	}
	if err := n.noteNew(); err != nil {
		return err
	}
	if n.salvages() {
		return n.salvage(d)
	}
	damage, err := n.openLogs(d)
	if err != nil {
		return err
	}
	if damage == nil {
		return n.restoreTerm()
	}
	if len(n.options.Members) < 2 && !n.options.Join {
		return fmt.Errorf("%w: %v. With group-salvage %d it takes what can be read", ErrDamaged, damage,
			n.stable.number(keySalvage)+1)
	}
	n.options.Log("warning",
		"The log is damaged, this member puts it aside and gets the data from the others: "+damage.Error())
	if err := n.putAside(); err != nil {
		return err
	}
	if _, err = n.openLogs(d); err != nil {
		return err
	}
	return n.restoreTerm()
}

// noteNew notes that this member is a newcomer, before it stores anything else.
func (n *Node) noteNew() error {
	if !n.stable.isNew() {
		return nil
	}
	if n.stable.damaged {
		n.options.Log("warning", "The file with this member's vote is damaged")
	}
	return n.stable.setNumber(keyHole, unknownHole)
}

// restoreTerm gives a newcomer the term of its last entry, if it has lost only its vote. Without an
// entry it begins with none, also after a group that was not quite founded.
func (n *Node) restoreTerm() error {
	if n.hole() != unknownHole {
		return nil
	}
	return n.stable.setNumber(keyTerm, max(n.log.term(), n.snapshotTerm()))
}

// openLogs opens the entries and the snapshots, and looks for damage.
func (n *Node) openLogs(d *disk) (damage, err error) {
	logger := newLogger(n.options.Log)
	if n.snapshots, err = raft.NewFileSnapshotStoreWithLogger(n.options.Dir, keepSnapshots, logger); err != nil {
		return nil, err
	}
	if n.log, err = openLog(n.options.Dir, n.options, d, logger); isDamage(err) {
		return err, nil
	} else if err != nil {
		return nil, err
	}
	snapshot, damage := n.newestSnapshot()
	if damage == nil {
		damage = n.inspect(snapshot)
	}
	if damage != nil {
		return damage, nil
	}
	return nil, n.log.startAfter(snapshot)
}

// startAfter empties a log that ends before the newest snapshot, as a crash leaves it while a
// snapshot of the leader is taken: the next entry is that after the snapshot, and raft-wal does not
// store it behind a gap.
func (l *log) startAfter(snapshot uint64) error {
	first, err := l.FirstIndex()
	if err != nil || first == 0 || l.last >= snapshot {
		return err
	}
	last := l.last
	l.last = 0
	return l.shorten(l.wal, 0, first, last)
}

// isDamage reports whether raft-wal does not open a log for what it says, and not for the disk's
// sake.
func isDamage(err error) bool {
	return errors.Is(err, wal.ErrCorrupt) || errors.Is(err, os.ErrNotExist) || errors.Is(err, errList)
}

// inspect reads all entries, and compares where the log begins and ends with the end of the newest
// snapshot, and with the mark.
func (n *Node) inspect(snapshot uint64) error {
	l := n.log
	first, _ := l.FirstIndex()
	for i := first; i <= l.last && i > 0; i++ {
		var e raft.Log
		if err := l.GetLog(i, &e); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		l.lastTerm = e.Term
		if i > snapshot {
			l.stored.Add(uint64(len(e.Data)))
		}
	}
	switch has := max(l.last, snapshot); {
	case l.last > 0 && first > snapshot+1:
		return fmt.Errorf("it begins with entry %d, the snapshot ends with %d", first, snapshot)
	case l.readMark() > has:
		return fmt.Errorf("it ends with entry %d, but had %d", has, l.readMark())
	case has == 0 && n.hadEntries():
		return errors.New("it is empty")
	}
	return nil
}

// newestSnapshot returns the index of the newest snapshot, after reading it.
func (n *Node) newestSnapshot() (uint64, error) {
	list, err := n.snapshots.List()
	if err != nil || len(list) == 0 {
		return 0, err
	}
	_, r, err := n.snapshots.Open(list[0].ID)
	if err != nil {
		return 0, err
	}
	return list[0].Index, r.Close()
}

// hadEntries reports whether this member had a log: it founded the group or voted. One that has
// just been emptied had not.
func (n *Node) hadEntries() bool {
	return n.stable.number(keyHole) == 0 && n.stable.number(keyTerm) > 0 &&
		(!n.options.Join || n.stable.number(keyVoteTerm) > 0)
}

// putAside notes the hole first, so that a crash at any moment leaves either the damage or the
// note. What was put aside before is deleted, unless it may have more: this member was still
// getting its entries again.
func (n *Node) putAside() error {
	term, before := n.stable.number(keyTerm), n.hole()
	if err := errors.Join(n.stable.setNumber(keyHole, max(term, n.hole())),
		n.stable.setNumber(keyTerm, term+1)); err != nil {
		return err
	}
	if n.log != nil {
		n.log.stop()
		n.log.Close()
	}
	for _, name := range []string{"log", "snapshots"} {
		path := filepath.Join(n.options.Dir, name)
		aside := path + ".damaged"
		if _, err := os.Stat(aside); err == nil && before != 0 {
			aside = path + ".partial"
		}
		if err := errors.Join(os.RemoveAll(aside), os.Rename(path, aside)); err != nil {
			return err
		}
	}
	return nil
}

// mayVote returns why this member has no vote, because it has lost entries. As soon as it has one
// of a later term, it has them all again.
func (n *Node) mayVote() error {
	hole := n.hole()
	switch {
	case hole == 0:
		return nil
	case hole == unknownHole:
		return errNewcomer
	}
	if max(n.log.term(), n.snapshotTerm()) <= hole {
		return errHole
	}
	return n.stable.setNumber(keyHole, 0)
}

func (n *Node) snapshotTerm() uint64 {
	list, err := n.snapshots.List()
	if err != nil || len(list) == 0 {
		return 0
	}
	return list[0].Term
}

// mayElectSelf returns why this member must not vote for itself in its present term.
func (n *Node) mayElectSelf() error {
	if err := n.mayLead(); err != nil {
		return err
	}
	return n.lease.mayElectSelf(n.stable.number(keyTerm))
}

// mayLead returns why this member must not stand for the leader's seat.
func (n *Node) mayLead() error {
	if n.log.failure() != nil {
		return errDiskFails
	}
	return n.mayVote()
}

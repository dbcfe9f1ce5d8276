package consensus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"
)

// salvages reports whether this member is to begin the group anew. A number counts once, so that
// Options.Salvage may stay where it is.
func (n *Node) salvages() bool { return n.options.Salvage > n.stable.number(keySalvage) }

// salvage begins the group anew: this member alone, with the newest snapshot that can be read and
// the entries after it up to the first that cannot. It writes the list of members as Raft would: an
// entry after the last one.
func (n *Node) salvage(d *disk) error {
	if err := n.openForSalvage(d); err != nil {
		return err
	}
	had := n.log.readMark()
	snapshot, err := n.keepReadable()
	if err != nil {
		return err
	}
	if err := n.log.keepAfter(snapshot); err != nil {
		return err
	}
	last := max(n.log.last, snapshot)
	if err := n.foundAlone(last); err != nil {
		return err
	}
	n.options.Log("warning", fmt.Sprintf("This member begins the group anew, alone, "+
		"with what it can read: up to entry %d. Its log had %d entries after that", last, max(had, last)-last))
	return nil
}

// openForSalvage opens what there is. If that is nothing, since this member has put its log aside
// and got no other, it is what was put aside; a log that cannot be opened is put aside.
func (n *Node) openForSalvage(d *disk) error {
	_, err := n.openLogs(d)
	if err == nil && n.log != nil && n.log.last == 0 && n.snapshotTerm() == 0 {
		n.log.stop()
		n.log.Close()
		err = errors.Join(n.takeBack("log"), n.takeBack("snapshots"))
		if err == nil {
			_, err = n.openLogs(d)
		}
	}
	if err == nil && n.log == nil {
		path := filepath.Join(n.options.Dir, "log")
		if err = errors.Join(os.RemoveAll(path+".unreadable"), os.Rename(path, path+".unreadable")); err == nil {
			_, err = n.openLogs(d)
		}
	}
	return err
}

// takeBack takes what putAside has put aside, if there is such.
func (n *Node) takeBack(name string) error {
	path := filepath.Join(n.options.Dir, name)
	if _, err := os.Stat(path + ".damaged"); err != nil {
		return nil
	}
	return errors.Join(os.RemoveAll(path), os.Rename(path+".damaged", path))
}

// keepReadable puts snapshots aside that cannot be read, and returns the last entry of the newest
// other one; 0: there is none.
func (n *Node) keepReadable() (uint64, error) {
	for {
		index, damage := n.newestSnapshot()
		list, err := n.snapshots.List()
		if damage == nil || err != nil || len(list) == 0 {
			return index, err
		}
		path := filepath.Join(n.options.Dir, "snapshots", list[0].ID)
		if err := os.Rename(path, filepath.Join(n.options.Dir, list[0].ID+".damaged")); err != nil {
			return 0, err
		}
	}
}

// keepAfter keeps the entries after a snapshot up to the first that cannot be read, and forgets how
// long the log was.
func (l *log) keepAfter(snapshot uint64) error {
	first, err := l.FirstIndex()
	if err != nil || first == 0 {
		return errors.Join(err, l.writeMark(0))
	}
	end := snapshot + 1
	var e raft.Log
	for first <= end && end <= l.last && l.GetLog(end, &e) == nil {
		l.lastTerm = e.Term
		end++
	}
	if end <= l.last {
		if err := l.drop(max(end, first), l.last); err != nil {
			return err
		}
	}
	if first <= min(snapshot, l.last) {
		if err := l.drop(first, min(snapshot, l.last)); err != nil {
			return err
		}
	}
	return l.writeMark(l.last)
}

// drop deletes entries at the start, where nothing waits for the disk.
func (l *log) drop(from, to uint64) error { return l.shorten(l.wal, l.willDelete(from, to), from, to) }

// foundAlone makes this member the only one, in a term that nobody has heard of, and in a group of
// another identity, so that none of the others' leaders reaches it. Its number counts when all else
// is on the disk.
func (n *Node) foundAlone(last uint64) error {
	address, err := n.options.address()
	if err != nil {
		return err
	}
	term := max(n.stable.number(keyTerm), n.log.lastTerm, n.snapshotTerm()) + 1
	alone := raft.Configuration{
		Servers: []raft.Server{{ID: serverID(n.options.ID), Address: raft.ServerAddress(address)}}}
	if err := n.log.StoreLog(&raft.Log{Index: last + 1, Term: term, Type: raft.LogConfiguration,
		Data: raft.EncodeConfiguration(alone)}); err != nil {
		return err
	}
	another := mix(fmt.Sprint(n.identity(), term, n.options.ID))
	return errors.Join(n.stable.setNumber(keyTerm, term), n.stable.setNumber(keyGroup, another),
		n.stable.setNumber(keyHole, 0), n.stable.setNumber(keySalvage, n.options.Salvage))
}

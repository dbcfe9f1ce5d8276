package consensus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// openStores opens what a member has on its disk. A member whose log has a hole or damage puts it
// aside and comes back empty, if there are others who have the entries. It remembers its term as
// that of the hole, and enters the next term, so that the leader's seat is taken anew without its
// vote. It does not vote until its log has an entry of a later term than that: who appended it was
// elected by members that had lost nothing, and so its log has all that this member ever confirmed.
func (n *Node) openStores() (err error) {
	d := &disk{sync: n.options.Sync, fault: n.options.fault}
	if err := makeDir(n.options.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(n.options.Dir, "log", "wal-meta.db")); err == nil {
		return ErrFormat
	}
	if n.stable, err = openStable(n.options.Dir, d); err != nil {
		return err
	}
	if err := n.noteNew(); err != nil {
		return err
	}
	if n.options.Salvage > n.stable.get().Salvage {
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
		return fmt.Errorf("%w: %w. With group-salvage %d it takes what can be read", ErrDamaged, damage,
			n.stable.get().Salvage+1)
	}
	n.options.Log("warning",
		"The log is damaged, this member puts it aside and gets the data from the others: "+damage.Error())
	if err := n.putAside(); err != nil {
		return err
	}
	if damage, err := n.openLogs(d); err != nil || damage != nil {
		return errors.Join(err, damage)
	}
	return n.restoreTerm()
}

// noteNew notes that this member is a newcomer, before it stores anything else.
func (n *Node) noteNew() error {
	if !n.stable.isNew() {
		n.newcomer.is.Store(n.hole() == unknownHole)
		return nil
	}
	if n.stable.damaged {
		n.options.Log("warning", "The file with this member's vote is damaged")
	}
	n.newcomer.is.Store(true)
	return n.stable.update(func(c *content) { c.Hole = unknownHole })
}

// restoreTerm gives a newcomer the term of its last entry, if it has lost only its vote. Without an
// entry it begins with none, also after a group that was not quite founded.
func (n *Node) restoreTerm() error {
	if n.hole() != unknownHole {
		return nil
	}
	term := max(n.log.last().term, n.snapshots.newest().Term)
	return n.stable.update(func(c *content) { c.Term, c.Vote = term, 0 })
}

// openLogs opens the entries and the snapshots, and looks for damage: a wrong checksum, a log that
// begins after the snapshot's end, and one that ends before the mark.
func (n *Node) openLogs(d *disk) (damage, err error) {
	if n.snapshots, err = openSnapshots(n.options.Dir, d); err != nil {
		return nil, err
	}
	_, noMark := os.Stat(filepath.Join(n.options.Dir, "mark"))
	if n.log, err = openLog(n.options.Dir, n.options, d, false); errors.Is(err, errDamage) {
		return err, nil
	} else if err != nil {
		return nil, err
	}
	snapshot, damage := n.snapshots.check()
	if damage == nil {
		damage = n.inspect(snapshot, noMark != nil)
	}
	if damage != nil {
		return damage, nil
	}
	return nil, n.log.startAfter(position{snapshot.Index, snapshot.Term})
}

// inspect compares where the log begins and ends with the end of the newest snapshot, and with the
// mark.
func (n *Node) inspect(snapshot head, noMark bool) error {
	l := n.log
	last := l.last()
	mark, _ := l.readMark()
	switch has := max(last.index, snapshot.Index); {
	case len(l.places) > 0 && l.base.index > snapshot.Index:
		return fmt.Errorf("it begins with entry %d, the snapshot ends with %d", l.first(), snapshot.Index)
	case mark > has:
		return fmt.Errorf("it ends with entry %d, but had %d", has, mark)
	case n.hadEntries() && (has == 0 || noMark):
		return errors.New("it is empty")
	}
	return nil
}

// hadEntries reports whether this member had a log: it founded the group or voted. One that has
// just been emptied had not.
func (n *Node) hadEntries() bool {
	c := n.stable.get()
	return c.Hole == 0 && c.Term > 0 && (!n.options.Join || c.Vote > 0)
}

// putAside notes the hole first, so that a crash at any moment leaves either the damage or the
// note. What was put aside before is deleted, unless it may have more: this member was still
// getting its entries again.
func (n *Node) putAside() error {
	before := n.hole()
	if err := n.stable.update(func(c *content) {
		c.Hole = max(c.Term, c.Hole)
		c.Term, c.Vote = c.Term+1, 0
	}); err != nil {
		return err
	}
	n.newcomer.is.Store(n.hole() == unknownHole)
	if n.log != nil {
		if err := n.log.close(); err != nil {
			return err
		}
	}
	for _, name := range []string{"log", "snapshots", "mark"} {
		path := filepath.Join(n.options.Dir, name)
		aside := path + ".damaged"
		if _, err := os.Stat(aside); err == nil && before != 0 {
			aside = path + ".partial"
		}
		if err := errors.Join(os.RemoveAll(aside), os.Rename(path, aside)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

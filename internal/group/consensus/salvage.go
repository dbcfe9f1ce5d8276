package consensus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// salvage begins the group anew: this member alone, with the newest snapshot that can be read and
// the entries after it up to the first that cannot. A number counts once, so that Options.Salvage
// may stay where it is.
func (n *Node) salvage(d *disk) error {
	if err := n.openForSalvage(d); err != nil {
		return err
	}
	had, _ := n.log.readMark()
	snapshot, err := n.keepReadable()
	if err != nil {
		return err
	}
	if len(n.log.places) > 0 && n.log.base.index == 1 && snapshot.Index == 0 {
		snapshot.Index, snapshot.Term = 1, 1 // only the first one is missing, which has no state
		err = n.snapshots.write(head{Index: 1, Term: 1, Members: n.alone()}, nil, nil)
	} else if snapshot.Index == 0 {
		snapshot.Index, snapshot.Term = 1, 1
		err = n.begin(n.alone())
	} else if n.log.base.index > snapshot.Index {
		err = n.log.reset(position{snapshot.Index, snapshot.Term})
	}
	if err == nil {
		err = n.log.startAfter(position{snapshot.Index, snapshot.Term})
	}
	if err == nil {
		err = n.log.writeMark(n.log.last().index)
	}
	if err != nil {
		return err
	}
	return n.foundAlone(max(n.log.last().index, snapshot.Index), max(n.log.last().term, snapshot.Term), had)
}

// openForSalvage opens what there is. If that is nothing, since this member has put its log aside
// and got no other, it is what was put aside.
func (n *Node) openForSalvage(d *disk) (err error) {
	if err := n.openReadable(d); err != nil {
		return err
	}
	if len(n.log.places) > 0 || len(n.snapshots.heads) > 0 {
		return nil
	}
	if err := n.log.close(); err != nil {
		return err
	}
	for _, name := range []string{"log", "snapshots", "mark"} {
		path := filepath.Join(n.options.Dir, name)
		if _, err := os.Stat(path + ".damaged"); err == nil {
			if err := errors.Join(os.RemoveAll(path), os.Rename(path+".damaged", path)); err != nil {
				return err
			}
		}
	}
	return n.openReadable(d)
}

func (n *Node) openReadable(d *disk) (err error) {
	if n.snapshots, err = openSnapshots(n.options.Dir, d); err != nil {
		return err
	}
	n.log, err = openLog(n.options.Dir, n.options, d, true)
	return err
}

// keepReadable puts snapshots aside that cannot be read, and returns the newest other one; its
// index is 0 if there is none.
func (n *Node) keepReadable() (head, error) {
	s := n.snapshots
	for {
		h, damage := s.check()
		if damage == nil {
			return h, nil
		}
		name := filepath.Base(h.path)
		if err := os.Rename(h.path, filepath.Join(n.options.Dir, name+".damaged")); err != nil {
			return h, err
		}
		s.heads = s.heads[:len(s.heads)-1]
	}
}

// foundAlone makes this member the only one, in a term that nobody has heard of, and in a group of
// another identity, so that none of the others' leaders reaches it.
func (n *Node) foundAlone(last, term, had uint64) error {
	if _, err := n.options.address(); err != nil {
		return err
	}
	err := n.stable.update(func(c *content) {
		c.Term, c.Vote = max(c.Term, term)+1, 0
		c.Group = mix(fmt.Sprint(c.Group, c.Term, n.options.ID))
		c.Hole, c.Salvage, c.Alone = 0, n.options.Salvage, last
	})
	if err != nil {
		return err
	}
	n.newcomer.is.Store(false)
	n.options.Log("warning", fmt.Sprintf("This member begins the group anew, alone, "+
		"with what it can read: up to entry %d. Its log had %d entries after that", last, max(had, last)-last))
	return nil
}

package consensus

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
)

// stable is the file with the term and the vote. It is written in place, twice, so one whole copy
// is always there, and a full disk does not matter.
type stable struct {
	file    *file
	copies  [2]record
	damaged bool // one of the copies, or both

	changes sync.Mutex // held while the file is written
	mu      sync.Mutex // guards content
	content content
}

// content is what this member must not forget.
type content struct {
	Generation uint64 // counts the changes
	Format     int
	Term, Vote uint64
	Group      uint64 // the group's identity; 0: not known
	Hole       uint64 // the term in which this member lost entries; 0: it has none
	Salvage    uint64 // the last Options.Salvage that was carried out
	Alone      uint64 // last entry with which it began the group anew: this member was the only one then
}

// stableFormat is that of all files of a directory.
const stableFormat = 2

func openStable(dir string, d *disk) (*stable, error) {
	f, err := d.always().open(filepath.Join(dir, "vote"), 2*recordSize)
	if err != nil {
		return nil, err
	}
	s := &stable{file: f, copies: [2]record{{f, 0}, {f, recordSize}}}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// load takes the newer of the copies that are whole.
func (s *stable) load() error {
	for _, c := range s.copies {
		var read content
		b := c.read()
		if b == nil && !c.blank() {
			s.damaged = true
		}
		if b == nil || json.Unmarshal(b, &read) != nil {
			continue
		}
		if read.Format != stableFormat {
			return ErrFormat
		}
		if read.Generation > s.content.Generation {
			s.content = read
		}
	}
	return nil
}

// isNew reports whether nothing was ever stored, as far as one can see.
func (s *stable) isNew() bool { return s.get().Generation == 0 }

func (s *stable) get() content {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content
}

// update changes the content, on the disk first.
func (s *stable) update(change func(*content)) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	next := s.get()
	change(&next)
	if next == s.get() {
		return nil
	}
	next.Generation++
	next.Format = stableFormat
	b, err := json.Marshal(next)
	if err != nil {
		return err
	}
	for _, r := range s.copies {
		if err := errors.Join(r.write(b), s.file.Sync()); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = next
	return nil
}

// hole returns the term in which this member has lost entries, 0 if it has all.
func (n *Node) hole() uint64 { return n.stable.get().Hole }

// identity returns that of this member's group.
func (n *Node) identity() uint64 { return n.stable.get().Group }

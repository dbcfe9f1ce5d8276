package consensus

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft-wal/types"
)

// stable is the file with the term and the vote. It is written in place, twice, so one whole copy
// is always there, and a full disk does not matter.
type stable struct {
	file   types.WritableFile
	copies [2]record
	limit  time.Duration

	damaged bool // one of the copies, or both

	refuseOwn func() error // whether this member must not vote for itself, and why
	own       string       // its own address
	closed    chan struct{}

	term    sync.Mutex // held while the term changes, and while it must not
	changes sync.Mutex // held while the file is written
	mu      sync.Mutex // guards content
	content content
	busy    atomic.Bool // a write that took too long has not ended
}

type content struct {
	Generation uint64
	Values     map[string][]byte
}

// Keys of Raft's, and of this package.
const (
	keyTerm      = "CurrentTerm"
	keyVoteTerm  = "LastVoteTerm"
	keyCandidate = "LastVoteCand"
	keyGroup     = "Group"   // the group's identity; 0: not known
	keySalvage   = "Salvage" // the last Options.Salvage that was carried out
	keyHole      = "Hole"    // the term in which this member lost entries; 0: it has none
)

func openStable(dir string, d *disk, limit time.Duration) (*stable, error) {
	f, err := d.always().openFile(dir, "vote", 2*recordSize)
	if err != nil {
		return nil, err
	}
	s := &stable{file: f, copies: [2]record{{f, 0}, {f, recordSize}}, limit: limit, closed: make(chan struct{}),
		content: content{Values: make(map[string][]byte)}}
	s.load()
	return s, nil
}

// load takes the newer of the copies that are whole.
func (s *stable) load() {
	for _, c := range s.copies {
		var read content
		b := c.read()
		if b == nil && !c.blank() {
			s.damaged = true
		}
		if b != nil && json.Unmarshal(b, &read) == nil && read.Generation > s.content.Generation {
			s.content = read
		}
	}
}

// isNew reports whether nothing was ever stored, as far as one can see.
func (s *stable) isNew() bool { return s.content.Generation == 0 }

// blank reports whether a record was never written.
func (r record) blank() bool {
	b := make([]byte, recordSize)
	n, _ := r.file.ReadAt(b, r.at)
	for _, c := range b[:n] {
		if c != 0 {
			return false
		}
	}
	return true
}

// Get implements raft.StableStore.
func (s *stable) Get(key []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.content.Values[string(key)]; ok {
		return v, nil
	}
	return nil, errNotFound
}

// Set implements raft.StableStore. A member does not vote for itself while it must not lead.
func (s *stable) Set(key, value []byte) error {
	if string(key) == keyCandidate && string(value) == s.own {
		if err := s.refuseOwn(); err != nil {
			return err
		}
	}
	s.changes.Lock()
	defer s.changes.Unlock()
	next := content{s.content.Generation + 1, map[string][]byte{string(key): append([]byte(nil), value...)}}
	for k, v := range s.content.Values {
		if k != string(key) {
			next.Values[k] = v
		}
	}
	if err := s.store(next); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = next
	return nil
}

func (s *stable) store(c content) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return ErrDiskSlow
	}
	return within(s.limit, func() error {
		defer s.busy.Store(false)
		for _, r := range s.copies {
			if err := errors.Join(r.write(b), s.file.Sync()); err != nil {
				return err
			}
		}
		return nil
	})
}

// GetUint64 implements raft.StableStore.
func (s *stable) GetUint64(key []byte) (uint64, error) {
	v, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(v), nil
}

// SetUint64 implements raft.StableStore. Raft panics if it cannot store its term, so this waits
// until the disk works.
func (s *stable) SetUint64(key []byte, value uint64) error {
	if string(key) == keyTerm {
		if value == s.number(keyTerm) {
			return nil
		}
		s.term.Lock()
		defer s.term.Unlock()
	}
	for {
		err := s.Set(key, binary.LittleEndian.AppendUint64(nil, value))
		if err == nil || string(key) != keyTerm {
			return err
		}
		pauseOrEnd(s.closed, firstPause)
	}
}

// inTerm runs something if this is the present term, and lets no other one begin meanwhile.
func (s *stable) inTerm(term uint64, fn func()) bool {
	s.term.Lock()
	defer s.term.Unlock()
	if term != s.number(keyTerm) {
		return false
	}
	fn()
	return true
}

func (s *stable) number(key string) uint64 {
	v, _ := s.GetUint64([]byte(key))
	return v
}

func (s *stable) setNumber(key string, value uint64) error {
	return s.SetUint64([]byte(key), value)
}

func (s *stable) stop() { close(s.closed) }

func (s *stable) Close() { s.file.Close() }

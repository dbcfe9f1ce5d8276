package search

import (
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// An index that is made, or gets fields, reads the keys that are there. Those of a small database
// it has for the next command. Else an event loop does the rest in turns, beside requests, as it
// moves vectors into graphs:
//
//	names of some keys, sorted ─▶ Put, Put, Put, ... ─▶ names of more keys ─▶ ... ─▶ Connect
//
// The loop also cleans indexes, and has them read changes that a batch of commands left.
//
// A key that changes meanwhile is read as other changes are, before the next command that asks. To
// read keys changes none, not even one that is due: its document has its deadline.

// scan is how far an index has read the keys of the database.
type scan struct {
	cursor   uint64
	all      bool     // there are no keys behind those of names
	names    []string // that are to be read next, in order
	seen, of int      // keys whose names were looked at, and how many there were at first
}

const (
	scanned   = 256  // keys whose names are looked at together
	scanNames = 4096 // about how many are sorted together
)

// What an index reads at once when its scan begins: so many keys, or those that have so many
// entries.
const (
	firstKeys    = 500
	firstEntries = 5000
)

// collect looks for the names of the next keys that an index covers.
func (s *scan) collect(db *keyspace.DB, covers func(key string) bool) {
	match := func(key string, _ keyspace.Type) bool { return covers(key) }
	for seen := 0; seen < scanNames && !s.all; seen += scanned {
		s.cursor = db.Keys().Scan(s.cursor, scanned, match, func(key string, _ keyspace.Type) {
			s.names = append(s.names, strings.Clone(key))
		})
		s.all = s.cursor == 0
		s.seen += scanned
	}
	slices.Sort(s.names)
}

// share returns which part of the keys has been read, below 1.
func (s *scan) share() float64 {
	return min(float64(s.seen-len(s.names))/float64(max(s.of, 1)), 0.99)
}

// beginScan has an index begin to read all keys.
func (cat *catalogue) beginScan(e *entry) {
	e.stale, e.partial = false, false
	e.scan = &scan{of: cat.db().Len()}
	keys, entries := 0, e.Entries()
	cat.scanOn(e, func() bool {
		keys++
		return keys > firstKeys || e.Entries()-entries > firstEntries
	})
}

// scanOn has an index read keys until late reports true.
func (cat *catalogue) scanOn(e *entry, late func() bool) {
	cat.world.Keyspace.AsStored(func() {
		for e.scan != nil {
			if cat.scanStep(e); late() {
				return
			}
		}
	})
}

// scanStep has an index read the next key, or look for the next names.
func (cat *catalogue) scanStep(e *entry) {
	s := e.scan
	switch {
	case cat.cleaning != nil:
		cat.step()
	case len(s.names) > 0:
		key := s.names[0]
		s.names = s.names[1:]
		if !cat.changes.noted(key) {
			cat.read(e.Index, key)
			cat.cleanIfDue(e.Index)
		}
	case s.all:
		e.scan = nil
		cat.account()
	default:
		s.collect(cat.db(), e.Covers)
		cat.account()
	}
}

// behind returns an index that has keys to read, or vectors to move into graphs; nil if none has.
func (cat *catalogue) behind() *entry {
	for _, e := range cat.indexes {
		if e.scan != nil || e.Waiting() > 0 {
			return e
		}
	}
	return nil
}

// catchUp has an event loop do what the indexes are behind with, in turns.
func (cat *catalogue) catchUp() {
	if cat.turns || !cat.isBehind() {
		return
	}
	cat.turns = true
	e := cat.world.Engine()
	e.Later(func(length time.Duration) (more bool) {
		end := e.Machine() + length.Microseconds()
		if more = slices.Contains(e.Worlds(), cat.world); more {
			more = cat.advance(func() bool { return e.Machine() >= end })
		} else {
			cat.finishCleaning()
		}
		if cat.turns = more; !more {
			cat.account()
		}
		return more
	})
}

// finishCleaning ends what cleans an index, if one is cleaned.
func (cat *catalogue) finishCleaning() {
	for cat.cleaning != nil {
		cat.step()
	}
}

// isBehind reports whether there is something to do for advance.
func (cat *catalogue) isBehind() bool {
	return cat.cleaning != nil || len(cat.changes.at) > 0 || cat.behind() != nil
}

// advance does what the indexes are behind with until late reports true, and reports whether there
// is more.
func (cat *catalogue) advance(late func() bool) (more bool) {
	if cat.walked {
		return true
	}
	for cat.step() {
		if late() {
			return true
		}
	}
	for e := cat.behind(); e != nil; e = cat.behind() {
		if cat.scanOn(e, late); e.scan != nil || e.Connect(late) {
			return true
		}
	}
	return false
}

// progress returns which part of what is to be indexed an index has, 1 for all.
func (e *entry) progress() float64 {
	if e.scan != nil {
		return e.scan.share() * e.Progress()
	}
	return e.Progress()
}

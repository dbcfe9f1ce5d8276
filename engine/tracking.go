package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"slices"
)

// Client-side caching. A session with CLIENT TRACKING on receives an invalidation when a key changes that it
// may have cached. By default these are the keys that it read. Each is invalidated once, and tracked again
// only when the session reads it again. In broadcast mode they are all keys with one of its prefixes, read
// or not. The invalidation is a push in RESP3, or a message on the connection that REDIRECT names.
//
//	readers    key ─▶ ids of the sessions that read it since it last changed
//	changes    key ─▶ the session that changed it last, since the last broadcast
//
// Readers are ids and not sessions, so that a session that ends needs no search through all keys; an id
// without a session is skipped when its key changes. Broadcasts leave at the end of a batch, so that a key
// that changes a hundred times in a pipeline is sent once.
type tracking struct {
	sessions  int // that have tracking on
	broadcast int // of those, in broadcast mode
	readers   map[string][]int64
	changes   map[string]*Session // a nil session stands for expiry and eviction
	bytes     int                 // of readers
}

// tracker holds the tracking options of one session.
type tracker struct {
	redirect                      int64 // id of the session that receives the invalidations; 0 for itself
	bcast, optin, optout, caching bool  // caching: CLIENT CACHING applies to the next command
	noloop, broken                bool
	prefixes                      []string // sorted; none is a prefix of another
}

// track turns tracking on for a session, or changes its options. Prefixes add up.
func (w *World) track(s *Session, t tracker) {
	t.prefixes = slices.Compact(slices.Sorted(slices.Values(t.prefixes)))
	old := s.tracker
	w.untrack(s)
	if old != nil {
		t.prefixes, t.caching = merged(old.prefixes, t.prefixes), old.caching
	}
	w.tracking.sessions++
	if t.bcast {
		w.tracking.broadcast++
	}
	s.tracker = &t
	s.kept.Add(t.prefixesBytes())
}

// merged inserts texts into a sorted list that lacks some of them.
func merged(list, texts []string) []string {
	for _, text := range texts {
		if i, there := slices.BinarySearch(list, text); !there {
			list = slices.Insert(list, i, text)
		}
	}
	return list
}

func (t *tracker) prefixesBytes() (n int) {
	for _, p := range t.prefixes {
		n += len(p) + prefixBytes
	}
	return n
}

// untrack turns tracking off. The ids that are left among the readers are skipped when met.
func (w *World) untrack(s *Session) {
	if s.tracker == nil {
		return
	}
	w.tracking.sessions--
	if s.tracker.bcast {
		w.tracking.broadcast--
	}
	s.kept.Add(-s.tracker.prefixesBytes())
	s.tracker = nil
	if w.tracking.sessions == 0 {
		w.tracking.changes = nil
		w.tracking.forgetReaders()
	}
}

// tracksReads reports whether the keys that the current command reads are tracked.
func (t *tracker) tracksReads() bool {
	switch {
	case t.bcast:
		return false
	case t.optin:
		return t.caching
	case t.optout:
		return !t.caching
	}
	return true
}

// endCaching ends the effect of CLIENT CACHING, which lasts for one command. Inside MULTI it lasts until EXEC, and
// commands flagged KeepsCaching do not end it.
func (t *tracker) endCaching(cmd *command.Command) {
	if t.caching && (cmd == nil || cmd.Flags&command.KeepsCaching == 0) {
		t.caching = false
	}
}

func (t *tracking) read(key string, id int64) {
	if t.readers == nil {
		t.readers = make(map[string][]int64)
	}
	ids := t.readers[key]
	if len(ids) == 0 {
		t.bytes += len(key) + readerBytes
	}
	if !slices.Contains(ids, id) {
		t.readers[key] = append(ids, id)
		t.bytes += idBytes
	}
}

// idBytes are the bytes of a session's id in readers.
const idBytes = 8

// take returns the sessions that read a key, and forgets them.
func (t *tracking) take(key string) []int64 {
	ids := t.readers[key]
	if len(ids) > 0 {
		t.bytes -= len(key) + readerBytes + len(ids)*idBytes
		delete(t.readers, key)
	}
	return ids
}

func (t *tracking) forgetReaders() { t.readers, t.bytes = nil, 0 }

// redirect returns the id of the session that receives the invalidations: -1 without tracking, 0 for the
// session itself.
func (s *Session) redirect() int64 {
	if s.tracker == nil {
		return -1
	}
	return s.tracker.redirect
}

// items returns the number of pairs of a key and a session that read it.
func (t *tracking) items() (n int) {
	for _, ids := range t.readers {
		n += len(ids)
	}
	return n
}

// prefixes returns the number of different prefixes of CLIENT TRACKING in broadcast mode. It takes O(n log n) in the sessions,
// for INFO only.
func (w *World) prefixes() int {
	if w.tracking.broadcast == 0 {
		return 0
	}
	var all []string
	for _, s := range w.clients {
		if s.tracker != nil && s.tracker.bcast {
			all = append(all, s.tracker.prefixes...)
			if len(s.tracker.prefixes) == 0 {
				all = append(all, "")
			}
		}
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

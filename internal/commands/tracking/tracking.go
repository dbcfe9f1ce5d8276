// Package tracking is client-side caching: CLIENT TRACKING, CLIENT CACHING and what tells of them.
//
// A session with CLIENT TRACKING on receives an invalidation when a key changes that it may have
// cached. By default these are the keys that it read. Each is invalidated once, and tracked again
// only when the session reads it again. In broadcast mode they are all keys with one of its
// prefixes, read or not. The invalidation is a push in RESP3, or a message on the connection that
// REDIRECT names.
//
//	readers    key ─▶ ids of the sessions that read it since it last changed
//	changes    key ─▶ the session that changed it last, since the last broadcast
//
// Readers are ids and not sessions, so that a session that ends needs no search through all keys;
// an id without a session is skipped when its key changes. Broadcasts leave at the end of a batch,
// so that a key that changes a hundred times in a pipeline is sent once.
//
// The engine tells a world's table what commands read and change while the table observes the
// world: as long as a session tracks.
package tracking

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// settings are the parameters.
type settings struct {
	maxKeys int // that are tracked in a world; 0 for no limit
}

// Part returns the part that keeps the tables; the lines of the commands are Subcommands.
func Part(e *engine.Engine) engine.Part {
	s := engine.PerEngine[settings](e)
	s.maxKeys = 1000000
	return engine.Part{
		Params: []config.Param{config.Int("tracking-table-max-keys", &s.maxKeys, 0, math.MaxInt64)},
		Detach: untrack,
		Figures: map[string]engine.Figure{
			"tracking_clients":        func(w *engine.World) int { return len(tableOf(w).trackers) },
			"tracking_total_keys":     func(w *engine.World) int { return len(tableOf(w).readers) },
			"tracking_total_items":    func(w *engine.World) int { return tableOf(w).items() },
			"tracking_total_prefixes": func(w *engine.World) int { return tableOf(w).prefixes() },
		},
	}
}

// table is what is tracked in a world.
type table struct {
	world     *engine.World
	settings  *settings
	observer  engine.Observer
	trackers  map[*engine.Session]*tracker // of the sessions that have tracking on
	broadcast int                          // of those, in broadcast mode
	readers   map[string][]int64
	changes   map[string]*engine.Session // a nil session stands for expiry and eviction
	bytes     int                        // of readers
}

func tableOf(w *engine.World) *table { return engine.PerWorld[table](w) }

// tracker holds the tracking options of one session.
type tracker struct {
	redirect                      int64 // id of the session that receives the invalidations; 0 for itself
	bcast, optin, optout, caching bool  // caching: CLIENT CACHING applies to the next command
	noloop, broken                bool
	prefixes                      []string // sorted; none is a prefix of another
}

// of returns a session's tracker; nil without tracking.
func of(s *engine.Session) *tracker { return tableOf(s.World()).trackers[s] }

// observe begins with the first tracker of a world.
func (t *table) observe(w *engine.World) {
	t.world, t.settings = w, engine.PerEngine[settings](w.Engine())
	t.trackers = make(map[*engine.Session]*tracker)
	t.observer = engine.Observer{Ran: t.ran, Changed: t.invalidate, Emptied: t.invalidateAll, Ended: t.endCaching,
		Batch: t.endBatch}
	w.Observe(&t.observer)
}

// track turns tracking on for a session, or changes its options. Prefixes add up.
func track(s *engine.Session, n tracker) {
	n.prefixes = slices.Compact(slices.Sorted(slices.Values(n.prefixes)))
	if old := of(s); old != nil {
		n.prefixes, n.caching = merged(old.prefixes, n.prefixes), old.caching
	}
	untrack(s)
	t := tableOf(s.World())
	if len(t.trackers) == 0 {
		t.observe(s.World())
	}
	if n.bcast {
		t.broadcast++
	}
	t.trackers[s] = &n
	s.Keep(n.prefixesBytes())
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
func untrack(s *engine.Session) {
	t := tableOf(s.World())
	old := t.trackers[s]
	if old == nil {
		return
	}
	if old.bcast {
		t.broadcast--
	}
	s.Keep(-old.prefixesBytes())
	if delete(t.trackers, s); len(t.trackers) == 0 {
		t.changes = nil
		t.forgetReaders()
		t.world.Unobserve(&t.observer)
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

// endCaching ends the effect of CLIENT CACHING, which lasts for one command, or until EXEC.
// Commands flagged KeepsCaching do not end it.
func (t *table) endCaching(s *engine.Session, cmd *command.Command) {
	if own := t.trackers[s]; own != nil && (cmd == nil || cmd.Flags&command.KeepsCaching == 0) {
		own.caching = false
	}
}

// ran records the keys that a command read, for the client. A script itself reads nothing, only the
// commands that it calls do.
func (t *table) ran(c *engine.Call) {
	if c.Cmd.Flags&(command.ReadOnly|command.PubSub|command.MayBeSlow) != command.ReadOnly {
		return
	}
	s := c.Session.Client()
	if own := t.trackers[s]; own == nil || !own.tracksReads() {
		return
	}
	keys, _ := c.Cmd.Keys.At(c.Args)
	for _, key := range keys {
		t.read(string(c.Args[key.At]), s.ID)
	}
}

func (t *table) read(key string, id int64) {
	if t.readers == nil {
		t.readers = make(map[string][]int64)
	}
	ids := t.readers[key]
	if len(ids) == 0 {
		t.count(len(key) + readerBytes)
	}
	if !slices.Contains(ids, id) {
		t.readers[key] = append(ids, id)
		t.count(idBytes)
	}
}

// count counts bytes of readers, or fewer of them.
func (t *table) count(n int) {
	t.bytes += n
	t.world.Keep(n)
}

// What the tables take, about, in bytes, beside texts.
const (
	prefixBytes = 16  // for a prefix
	readerBytes = 120 // for a key in readers
	idBytes     = 8   // for a session's id there
)

// take returns the sessions that read a key, and forgets them.
func (t *table) take(key string) []int64 {
	ids := t.readers[key]
	if len(ids) > 0 {
		t.count(-len(key) - readerBytes - len(ids)*idBytes)
		delete(t.readers, key)
	}
	return ids
}

func (t *table) forgetReaders() {
	t.count(-t.bytes)
	t.readers = nil
}

// Redirect returns the id of the session that receives a session's invalidations: -1 without
// tracking, 0 for the session itself.
func Redirect(s *engine.Session) int64 {
	if t := of(s); t != nil {
		return t.redirect
	}
	return -1
}

// Letters returns what CLIENT LIST shows of a session's tracking.
func Letters(s *engine.Session) string {
	t := of(s)
	if t == nil {
		return ""
	}
	letters := "t"
	if t.broken {
		letters += "R"
	}
	if t.bcast {
		letters += "B"
	}
	return letters
}

// items returns the number of pairs of a key and a session that read it.
func (t *table) items() (n int) {
	for _, ids := range t.readers {
		n += len(ids)
	}
	return n
}

// prefixes returns the number of different prefixes in broadcast mode. It takes O(n log n) in the
// sessions, for INFO only.
func (t *table) prefixes() int {
	var all []string
	for _, own := range t.trackers {
		if own.bcast {
			all = append(all, own.prefixes...)
		}
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

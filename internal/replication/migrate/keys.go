package migrate

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/glob"
)

// place is a key in a database of the source.
type place struct {
	db  int
	key string
}

// selection is which keys are to be migrated, and where to.
type selection struct {
	from, to int    // databases; -1 for all
	match    string // a pattern; empty for all keys
}

// wants reports whether a key of the source is to be migrated.
func (s selection) wants(db int, key string) bool {
	return (s.from < 0 || db == s.from) && (s.match == "" || glob.Match(s.match, key))
}

// filtered reports whether not all keys are to be migrated.
func (s selection) filtered() bool { return s.from >= 0 || s.match != "" }

// toDB returns the target's database for one of the source.
func (s selection) toDB(db int) int {
	switch {
	case s.to >= 0:
		return s.to
	case s.from >= 0:
		return s.from
	}
	return db
}

// keys is what is known of keys, beside that they are the same on both sides:
//
//	          a command cannot be passed on          read from the source, at an offset
//	the same ──────────────────────────────▶ dirty ────────────────────────────────────▶ fresh
//	   ▲                                       ▲   a command with other keys, a refusal    │  │
//	   │                                       └───────────────────────────────────────────┘  │
//	   └──────────────────────────────────────────────────────────────────────────────────────┘
//	                          the stream has come to that offset
//
// The maps hold places of the source. A migration without trouble leaves them empty, and then
// commands are passed on without a look at their keys.
type keys struct {
	selection
	touched map[place]bool   // what changed since it was compared; nil if nothing was, see check.go
	dirty   map[place]bool   // what has to be read again
	fresh   map[place]int64  // the offset at which a key was read, while it is ahead of the stream
	untaken map[place]string // what the target refused, and why; at most maxUntaken
}

func newKeys(of selection) keys {
	return keys{selection: of, dirty: map[place]bool{}, fresh: map[place]int64{}, untaken: map[place]string{}}
}

// taint makes the keys dirty that are to be migrated.
func (k *keys) taint(places []place) {
	k.touch(places...)
	for _, at := range places {
		if k.wants(at.db, at.key) {
			k.dirty[at] = true
			delete(k.fresh, at)
		}
	}
}

// touch notes that keys have changed since they were compared.
func (k *keys) touch(places ...place) {
	for _, at := range places {
		if k.touched != nil && k.wants(at.db, at.key) {
			k.touched[at] = true
		}
	}
}

// redo makes all keys dirty that were read ahead of the stream: a command that changes whole
// databases is passed on, and takes what was read after it along.
func (k *keys) redo() {
	for at := range k.fresh {
		k.dirty[at] = true
	}
	clear(k.fresh)
}

// isTaken reports whether the target has not refused a key.
func (k *keys) isTaken(at place) bool {
	_, refused := k.untaken[at]
	return !refused
}

// refuse notes what the target does not take. The arguments that an error quotes are cut off, as
// they are data.
func (k *keys) refuse(at place, reason string) {
	reason, _, _ = strings.Cut(reason, ", with args beginning")
	if len(k.untaken) < maxUntaken {
		k.untaken[at] = reason
	}
}

// maxUntaken bounds what is remembered of refusals.
const maxUntaken = 100_000

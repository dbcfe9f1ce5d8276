package acl

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// entry is one refusal, or several equal ones.
type entry struct {
	engine.Refusal

	id          int64
	count       int
	first, last int64 // microseconds
	clientInfo  string
}

// denials is the log: the latest refusals, the newest first. Equal refusals in quick succession are
// one entry, so that a client that retries cannot push out the others.
type denials struct {
	most    int
	next    int64 // id
	entries []*entry
}

const sameDenial = 60e6 // microseconds within which equal refusals are one entry

func (l *denials) add(n *entry) {
	same := slices.IndexFunc(l.entries, func(o *entry) bool {
		return o.Refusal == n.Refusal &&
			n.last-o.last <= sameDenial
	})
	if same < 0 {
		n.id, l.next = l.next, l.next+1
	} else {
		old := l.entries[same]
		n.id, n.first, n.count = old.id, old.first, old.count+1
		l.entries = slices.Delete(l.entries, same, same+1)
	}
	l.entries = slices.Insert(l.entries, 0, n)
	if len(l.entries) > l.most {
		l.entries = l.entries[:l.most]
	}
}

// refused logs a refusal.
func (l *denials) refused(s *engine.Session, r engine.Refusal) {
	now := s.World().Micros()
	l.add(&entry{Refusal: r, count: 1, first: now, last: now, clientInfo: s.Info()})
}

package engine

import (
	"github.com/miniserver-go/miniserver/resp"
)

// pubsub knows the subscribers of each channel. A message is appended to each subscriber's reply buffer
// under the lock, and the event loop of each is woken once for all messages that gather there. So PUBLISH
// never blocks on a slow client; a subscriber that does not read is closed when its buffer exceeds the
// limit.
type pubsub struct {
	channels channelTable // exact names
	patterns channelTable // glob patterns
	shards   channelTable // SSUBSCRIBE's names, which are apart
	message  message
	matching []string // scratch of patternsOf
}

func newPubSub() pubsub {
	return pubsub{channels: channelTable{}, patterns: channelTable{}, shards: channelTable{}}
}

// channelTable maps the names of one kind, channels, patterns or shard channels, to their subscribers.
type channelTable map[string]*subscribers

// add subscribes s to name. own is the session's set of names of that kind.
func (t channelTable) add(s *Session, own *map[string]struct{}, name string) {
	if *own == nil {
		*own = make(map[string]struct{})
	}
	a := t[name]
	if a == nil {
		a = &subscribers{index: make(map[*Session]int)}
		t[name] = a
	}
	if _, ok := (*own)[name]; !ok {
		(*own)[name] = struct{}{}
		s.subs.total++
		s.world.blocked.stir()
		s.kept.Add(len(name) + nameBytes)
	}
	if _, ok := a.index[s]; !ok {
		a.index[s] = len(a.list)
		a.list = append(a.list, s)
	}
}

func (t channelTable) remove(s *Session, own map[string]struct{}, name string) {
	if _, ok := own[name]; ok {
		delete(own, name)
		s.subs.total--
		s.world.blocked.stir()
		s.kept.Add(-len(name) - nameBytes)
	}
	if a := t[name]; a != nil && a.remove(s) == 0 {
		delete(t, name)
	}
}

// subscribers returns the subscribers of a name. The slice belongs to the table.
func (t channelTable) subscribers(name []byte) []*Session {
	if a := t[string(name)]; a != nil {
		return a.list
	}
	return nil
}

// subscribers is a set of sessions. The list is for going through them, which PUBLISH does; the index makes
// removal O(1), in a channel with very many subscribers.
type subscribers struct {
	list  []*Session
	index map[*Session]int
}

// remove removes a session, if it is there, and returns how many are left. The last one takes its place in
// the list.
func (a *subscribers) remove(s *Session) int {
	at, ok := a.index[s]
	if !ok {
		return len(a.list)
	}
	last := len(a.list) - 1
	a.list[at] = a.list[last]
	a.index[a.list[at]] = at
	a.list[last] = nil
	a.list = a.list[:last]
	delete(a.index, s)
	return last
}

// subscriptions is what one session subscribed to.
type subscriptions struct {
	channels, patterns, shards map[string]struct{}
	total                      int // names in all three
}

// count is what SUBSCRIBE and PSUBSCRIBE reply: channels and patterns together.
func (s *subscriptions) count() int { return len(s.channels) + len(s.patterns) }

// Listeners returns how many sessions subscribed to a name, as a channel, a pattern or a channel of SSUBSCRIBE.
func (w *World) Listeners(name []byte) (n int) {
	for _, t := range []channelTable{w.pubsub.channels, w.pubsub.patterns, w.pubsub.shards} {
		n += len(t.subscribers(name))
	}
	return n
}

// subscribed reports whether the session has any subscription.
func (s *Session) subscribed() bool { return s.subs.total > 0 }

// unsubscribeAll ends all subscriptions of a session.
func (w *World) unsubscribeAll(s *Session) {
	for name := range s.subs.channels {
		w.pubsub.channels.remove(s, s.subs.channels, name)
	}
	for name := range s.subs.patterns {
		w.pubsub.patterns.remove(s, s.subs.patterns, name)
	}
	for name := range s.subs.shards {
		w.pubsub.shards.remove(s, s.subs.shards, name)
	}
}

// message is encoded once for each version of the protocol that a subscriber uses, not once for each
// subscriber.
type message struct {
	kind    string
	parts   [][]byte
	encoded [2]*resp.Writer // of versions 2 and 3
}

// maxMessageKept is the size in bytes up to which the buffer of an encoded message is kept for the next one.
const maxMessageKept = 1 << 16

func (m *message) reset(kind string, parts [][]byte) {
	m.kind, m.parts = kind, append(m.parts[:0], parts...)
	for i, form := range m.encoded {
		if form == nil || form.Len() > maxMessageKept {
			m.encoded[i] = resp.NewWriter(2 + i)
		} else {
			form.Reset()
		}
	}
}

// encode returns the message in a version of the protocol.
func (m *message) encode(proto int) []byte {
	w := m.encoded[proto-2]
	if w.Len() == 0 {
		w.Push(1 + len(m.parts))
		w.BulkString(m.kind)
		for _, part := range m.parts {
			w.Bulk(part)
		}
	}
	return w.Bytes()
}

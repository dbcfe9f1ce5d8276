// Package pubsub is SUBSCRIBE, PUBLISH and PUBSUB: messages from client to client, and the keyspace
// events.
//
//	world    channel, pattern or shard channel ─▶ its subscribers
//	session  the names that it subscribed to
//
// A message is appended to each subscriber's replies under the lock, and the event loop of each is
// woken once for all messages that gather there. So PUBLISH never blocks on a slow client; a
// subscriber that does not read is closed when its output exceeds the limit.
//
// Messages are not kept. Replicas get those of PUBLISH and SPUBLISH, and make their own of keyspace
// events.
package pubsub

import (
	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Part returns the commands and the delivery of keyspace events.
func Part() engine.Part {
	return engine.Part{Families: []command.Family{family}, Event: tell, Detach: unsubscribeAll, Permits: permits,
		Figures: map[string]engine.Figure{
			"pubsub_channels":      figure(channels),
			"pubsub_patterns":      figure(patterns),
			"pubsubshard_channels": figure(shards),
		}}
}

func figure(k kind) engine.Figure { return func(w *engine.World) int { return len(tablesOf(w).of[k]) } }

// kind is one of the three kinds of names.
type kind int

const (
	channels kind = iota // exact names
	patterns             // glob patterns
	shards               // SSUBSCRIBE's names, which are apart
	kinds
)

// tables are the subscribers in a world.
type tables struct {
	of       [kinds]table
	message  message
	matching []string // scratch of patternsOf
}

func tablesOf(w *engine.World) *tables { return engine.PerWorld[tables](w) }

// add subscribes a session, whose names are own, to a name.
func (t *tables) add(s *engine.Session, own *subscriptions, k kind, name string) {
	if own[k] == nil {
		own[k] = make(map[string]struct{})
	}
	if _, there := own[k][name]; !there {
		own[k][name] = struct{}{}
		s.Keep(len(name) + nameBytes)
		own.tell(s)
	}
	if t.of[k] == nil {
		t.of[k] = make(table)
	}
	t.of[k].add(s, name)
}

func (t *tables) remove(s *engine.Session, own *subscriptions, k kind, name string) {
	if _, there := own[k][name]; there {
		delete(own[k], name)
		s.Keep(-len(name) - nameBytes)
		own.tell(s)
	}
	t.of[k].remove(s, name)
}

// nameBytes is about what the tables take for a name beside its text, in bytes: in the session's
// set and in the table of all.
const nameBytes = 220

// subscriptions are the names that one session subscribed to.
type subscriptions [kinds]map[string]struct{}

func subscriptionsOf(s *engine.Session) *subscriptions { return engine.PerSession[subscriptions](s) }

// count is what SUBSCRIBE and the like reply: channels and patterns together, or shard channels.
func (s *subscriptions) count(k kind) int {
	if k == shards {
		return len(s[shards])
	}
	return len(s[channels]) + len(s[patterns])
}

// tell tells the session how many there are.
func (s *subscriptions) tell(session *engine.Session) {
	session.SetSubscriptions(engine.Subscriptions{Channels: int32(len(s[channels])), Patterns: int32(len(s[patterns])),
		Shards: int32(len(s[shards]))})
}

// unsubscribeAll ends all subscriptions of a session.
func unsubscribeAll(s *engine.Session) {
	if !s.Listens() {
		return
	}
	own, t := subscriptionsOf(s), tablesOf(s.World())
	for k := range kinds {
		for name := range own[k] {
			t.remove(s, own, k, name)
		}
	}
}

// permits reports whether a user's rules allow all subscriptions of a session.
func permits(u *acl.User, s *engine.Session) bool {
	if !s.Listens() {
		return true
	}
	for k, names := range subscriptionsOf(s) {
		for name := range names {
			if !u.MayListen(name, kind(k) == patterns) {
				return false
			}
		}
	}
	return true
}

// Listeners returns how many sessions of a world subscribed to a name of any kind.
func Listeners(w *engine.World, name []byte) (n int) {
	for _, t := range tablesOf(w).of {
		n += len(t.subscribers(name))
	}
	return n
}

package engine

import (
	"strconv"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/keyspace"
)

// A broker knows who listens to which channels. A message is appended to each listener's reply
// buffer under the lock, and its event loop is woken once for all that has gathered there. A listener
// that does not read is closed when its buffer exceeds the limit.
type broker struct {
	channels topic // exact names
	patterns topic // glob patterns
	shards   topic // SSUBSCRIBE's names, which are apart
}

// topic is the listeners to each name of one kind.
type topic map[string]map[*Session]struct{}

func newBroker() broker { return broker{topic{}, topic{}, topic{}} }

// subscriptions is what one session listens to.
type subscriptions struct {
	channels, patterns, shards map[string]struct{}
}

// count is what SUBSCRIBE and PSUBSCRIBE reply: channels and patterns together.
func (s *subscriptions) count() int { return len(s.channels) + len(s.patterns) }

// subscribed reports whether the session listens to anything.
func (s *Session) subscribed() bool { return s.subs.count()+len(s.subs.shards) > 0 }

// add makes s listen to name; own is the session's list of that kind.
func (t topic) add(s *Session, own *map[string]struct{}, name string) {
	if *own == nil {
		*own = make(map[string]struct{})
	}
	if t[name] == nil {
		t[name] = make(map[*Session]struct{})
	}
	(*own)[name] = struct{}{}
	t[name][s] = struct{}{}
}

func (t topic) remove(s *Session, own map[string]struct{}, name string) {
	delete(own, name)
	delete(t[name], s)
	if len(t[name]) == 0 {
		delete(t, name)
	}
}

// unsubscribeAll ends all that a session listens to.
func (e *Engine) unsubscribeAll(s *Session) {
	for name := range s.subs.channels {
		e.broker.channels.remove(s, s.subs.channels, name)
	}
	for name := range s.subs.patterns {
		e.broker.patterns.remove(s, s.subs.patterns, name)
	}
	for name := range s.subs.shards {
		e.broker.shards.remove(s, s.subs.shards, name)
	}
}

// publish sends a message to all who listen to channel and returns how many there are.
func (e *Engine) publish(channel, message []byte) (receivers int) {
	for s := range e.broker.channels[string(channel)] {
		e.push(s, "message", nil, channel, message)
		receivers++
	}
	for pattern, listeners := range e.broker.patterns {
		if !glob.Match(pattern, channel) {
			continue
		}
		for s := range listeners {
			e.push(s, "pmessage", []byte(pattern), channel, message)
			receivers++
		}
	}
	return receivers
}

// publishShard is publish among the listeners of SSUBSCRIBE.
func (e *Engine) publishShard(channel, message []byte) (receivers int) {
	for s := range e.broker.shards[string(channel)] {
		e.push(s, "smessage", nil, channel, message)
		receivers++
	}
	return receivers
}

// push appends a message to a session's replies and has it sent.
func (e *Engine) push(s *Session, kind string, pattern, channel, message []byte) {
	n := 3
	if pattern != nil {
		n = 4
	}
	s.Reply.Push(n)
	s.Reply.BulkString(kind)
	if pattern != nil {
		s.Reply.Bulk(pattern)
	}
	s.Reply.Bulk(channel)
	s.Reply.Bulk(message)
	if lim := e.Config.PushLimit; lim > 0 && int64(s.Reply.Len()) > lim {
		s.closing = true
	}
	s.wake()
}

// notify publishes a keyspace event to those who asked for its class.
func (e *Engine) notify(db *keyspace.DB, key []byte, event string) {
	mask := e.Config.notify
	if mask&notifyBit(event[0]) == 0 {
		return
	}
	name := []byte(event[1:])
	if mask&notifyBit('K') != 0 {
		e.publish(eventChannel("__keyspace@", db.ID(), key), name)
	}
	if mask&notifyBit('E') != 0 {
		e.publish(eventChannel("__keyevent@", db.ID(), name), key)
	}
}

// eventChannel returns the name of the channel on which an event of a key, or of a kind, is told.
func eventChannel(prefix string, db int, suffix []byte) []byte {
	return append(strconv.AppendInt([]byte(prefix), int64(db), 10), append([]byte("__:"), suffix...)...)
}

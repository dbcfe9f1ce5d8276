package engine

import (
	"strconv"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/keyspace"
)

// publish sends a message to the subscribers of a channel and of matching patterns, and returns their
// number.
func (e *Engine) publish(channel, text []byte) (receivers int) {
	if listeners := e.pubsub.channels.subscribers(channel); len(listeners) > 0 {
		receivers = e.deliver(listeners, "message", channel, text)
	}
	for pattern, a := range e.pubsub.patterns {
		if glob.Match(pattern, channel) {
			receivers += e.deliver(a.list, "pmessage", []byte(pattern), channel, text)
		}
	}
	return receivers
}

// publishShard is publish for the channels of SSUBSCRIBE.
func (e *Engine) publishShard(channel, text []byte) (receivers int) {
	if listeners := e.pubsub.shards.subscribers(channel); len(listeners) > 0 {
		receivers = e.deliver(listeners, "smessage", channel, text)
	}
	return receivers
}

// deliver sends a message to sessions and returns their number.
func (e *Engine) deliver(listeners []*Session, kind string, parts ...[]byte) int {
	m := &e.pubsub.message
	m.reset(kind, parts)
	for _, s := range listeners {
		s.push(m.encode(s.Reply.Proto()))
	}
	clear(m.parts)
	return len(listeners)
}

// push appends a message to a session's replies and wakes its event loop.
func (s *Session) push(form []byte) {
	s.engine.messages(s).Raw(form)
	s.countWaiting()
}

// notify publishes a keyspace event, if notify-keyspace-events has its class.
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

// eventChannel returns the name of the channel for a keyspace event.
func eventChannel(prefix string, db int, suffix []byte) []byte {
	return append(strconv.AppendInt([]byte(prefix), int64(db), 10), append([]byte("__:"), suffix...)...)
}

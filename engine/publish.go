package engine

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/keyspace"
)

// publish sends a message to the subscribers of a channel and of matching patterns, and returns their
// number.
func (w *World) publish(channel, text []byte) (receivers int) {
	if listeners := w.pubsub.channels.subscribers(channel); len(listeners) > 0 {
		receivers = w.deliver(listeners, "message", channel, text)
	}
	for _, pattern := range w.pubsub.patternsOf(channel) {
		receivers += w.deliver(w.pubsub.patterns[pattern].list, "pmessage", []byte(pattern), channel, text)
	}
	return receivers
}

// Publish sends a message of a part to the subscribers of a channel in this server. It is not propagated. It is called under the lock.
func (w *World) Publish(channel, text string) { w.publish([]byte(channel), []byte(text)) }

// patternsOf returns the patterns that a channel matches, in the order of their bytes: a client with several of them gets
// its messages in the same order every time. The slice is valid until the next call.
func (ps *pubsub) patternsOf(channel []byte) []string {
	ps.matching = ps.matching[:0]
	for pattern := range ps.patterns {
		if glob.Match(pattern, channel) {
			ps.matching = append(ps.matching, pattern)
		}
	}
	slices.Sort(ps.matching)
	return ps.matching
}

// publishShard is publish for the channels of SSUBSCRIBE.
func (w *World) publishShard(channel, text []byte) (receivers int) {
	if listeners := w.pubsub.shards.subscribers(channel); len(listeners) > 0 {
		receivers = w.deliver(listeners, "smessage", channel, text)
	}
	return receivers
}

// deliver sends a message to sessions and returns their number.
func (w *World) deliver(listeners []*Session, kind string, parts ...[]byte) int {
	m := &w.pubsub.message
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

// notify publishes a keyspace event, if notify-keyspace-events has its class. fields are those of a hash that it is about; they may be left
// out if the configuration does not ask for them.
func (w *World) notify(db *keyspace.DB, key []byte, ev event.Event, fields ...[]byte) {
	asked := w.engine.Config.events
	if !asked.Want(ev) {
		return
	}
	name := []byte(ev.Name)
	if asked.On(event.Keyspace) {
		w.publish(eventChannel("__keyspace@", db.ID(), key), name)
	}
	if asked.On(event.Keyevent) {
		w.publish(eventChannel("__keyevent@", db.ID(), name), key)
	}
	if len(fields) > 0 && ev.OfHash() && asked.TellFields() {
		w.notifyFields(db.ID(), key, name, fields)
	}
}

// notifyFields publishes an event of some fields on the four channels of Redis 8.8 that tell which.
//
//	__subkeyspace@0__:key           event|5:field,6:field2
//	__subkeyevent@0__:event         3:key|5:field,6:field2
//	__subkeyspaceitem@0__:key field event       a message for each field, with a line feed before it; not if the key contains one
//	__subkeyspaceevent@0__:event|key            5:field,6:field2
func (w *World) notifyFields(db int, key, name []byte, fields [][]byte) {
	asked := w.engine.Config.events
	var list []byte
	for i, field := range fields {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendCounted(list, field)
	}
	if asked.On(event.SubKeyspace) {
		w.publish(eventChannel("__subkeyspace@", db, key), slices.Concat(name, []byte("|"), list))
	}
	if asked.On(event.SubKeyevent) {
		w.publish(eventChannel("__subkeyevent@", db, name), slices.Concat(appendCounted(nil, key), []byte("|"), list))
	}
	for i := 0; asked.On(event.SubKeyspaceItem) && i < len(fields) && bytes.IndexByte(key, '\n') < 0; i++ {
		w.publish(eventChannel("__subkeyspaceitem@", db, slices.Concat(key, []byte("\n"), fields[i])), name)
	}
	if asked.On(event.SubKeyspaceEvent) {
		w.publish(eventChannel("__subkeyspaceevent@", db, slices.Concat(name, []byte("|"), key)), list)
	}
}

// appendCounted appends a text with its length before it.
func appendCounted(dst, text []byte) []byte {
	return append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
}

// eventChannel returns the name of the channel for a keyspace event.
func eventChannel(prefix string, db int, suffix []byte) []byte {
	return append(strconv.AppendInt([]byte(prefix), int64(db), 10), append([]byte("__:"), suffix...)...)
}

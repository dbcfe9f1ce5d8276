package pubsub

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/resp"
)

// Publish sends a text to the subscribers of a channel in a world, and to no replica. It is called
// under the lock.
func Publish(w *engine.World, channel, text string) {
	tablesOf(w).publish([]byte(channel), []byte(text))
}

// publish sends a message to the subscribers of a channel and of matching patterns, and returns
// their number.
func (t *tables) publish(channel, text []byte) (receivers int) {
	if listeners := t.of[channels].subscribers(channel); len(listeners) > 0 {
		receivers = t.deliver(listeners, "message", channel, text)
	}
	for _, pattern := range t.patternsOf(channel) {
		receivers += t.deliver(t.of[patterns][pattern].list, "pmessage", []byte(pattern), channel, text)
	}
	return receivers
}

// patternsOf returns the patterns that a channel matches, in the order of their bytes: a client
// with several of them gets its messages in the same order every time. The slice is valid until the
// next call.
func (t *tables) patternsOf(channel []byte) []string {
	t.matching = t.matching[:0]
	for pattern := range t.of[patterns] {
		if glob.Match(pattern, channel) {
			t.matching = append(t.matching, pattern)
		}
	}
	slices.Sort(t.matching)
	return t.matching
}

// publishShard is publish for the channels of SSUBSCRIBE.
func (t *tables) publishShard(channel, text []byte) (receivers int) {
	if listeners := t.of[shards].subscribers(channel); len(listeners) > 0 {
		receivers = t.deliver(listeners, "smessage", channel, text)
	}
	return receivers
}

// deliver sends a message to sessions and returns their number.
func (t *tables) deliver(listeners []*engine.Session, kind string, parts ...[]byte) int {
	m := &t.message
	m.reset(kind, parts)
	for _, s := range listeners {
		s.Push(m.encode(s.Reply.Proto()))
	}
	clear(m.parts)
	return len(listeners)
}

// message is encoded once for each version of the protocol that a subscriber uses, not once for
// each subscriber.
type message struct {
	kind    string
	parts   [][]byte
	encoded [2]*resp.Writer // of versions 2 and 3
}

// maxMessageKept is the size in bytes up to which the buffer of an encoded message is kept for the
// next one.
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

package miniredis

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// PubsubMessage is a message on a channel.
type PubsubMessage struct {
	Channel string
	Message string
}

// PubsubPmessage is a message on a channel that matches a pattern.
type PubsubPmessage struct {
	Pattern string
	Channel string
	Message string
}

// Publish sends a message to those who listen to a channel, and returns how many they are. It does
// not wait until they have read it.
func (m *Miniredis) Publish(channel, message string) int {
	n, _ := m.DB(0).number("PUBLISH", channel, message)
	return n
}

// PubSubChannels returns the channels to which somebody listens, sorted: those that match a
// pattern, or all if it is "".
func (m *Miniredis) PubSubChannels(pattern string) []string {
	if pattern == "" {
		pattern = "*"
	}
	reply, _ := m.DB(0).do("PUBSUB", "CHANNELS", pattern)
	channels := reply.Strings()
	slices.Sort(channels)
	return channels
}

// PubSubNumSub returns how many listen to each of some channels.
func (m *Miniredis) PubSubNumSub(channels ...string) map[string]int {
	reply, _ := m.DB(0).do(append([]string{"PUBSUB", "NUMSUB"}, channels...)...)
	numbers := make(map[string]int)
	for i := 0; i+1 < len(reply.Elems); i += 2 {
		numbers[reply.Elems[i].Text] = int(reply.Elems[i+1].Int)
	}
	return numbers
}

// PubSubNumPat returns to how many patterns somebody listens.
func (m *Miniredis) PubSubNumPat() int {
	n, _ := m.DB(0).number("PUBSUB", "NUMPAT")
	return n
}

// Subscriber listens to channels and patterns without a connection.
type Subscriber struct {
	m       *Miniredis
	session *engine.Session

	mu        sync.Mutex // held from taking messages until they are queued
	channels  map[string]bool
	patterns  map[string]bool
	messages  feed[PubsubMessage]
	pmessages feed[PubsubPmessage]
	closed    bool
}

// NewSubscriber returns who listens to nothing yet. The caller must Close it.
func (m *Miniredis) NewSubscriber() *Subscriber {
	s := &Subscriber{m: m, channels: make(map[string]bool), patterns: make(map[string]bool)}
	s.messages.open()
	s.pmessages.open()
	s.session = m.engine.NewOperator(s, m.engine.Home())
	return s
}

// Close ends it, and closes the channels of Messages and Pmessages. Messages that nobody has read
// are gone.
func (s *Subscriber) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.m.engine.Close(s.session)
	clear(s.channels)
	clear(s.patterns)
	s.messages.close()
	s.pmessages.close()
}

// Messages returns the messages of channels to which it listens, in order. They wait until they are
// read.
func (s *Subscriber) Messages() <-chan PubsubMessage { return s.messages.out }

// Pmessages is Messages for patterns.
func (s *Subscriber) Pmessages() <-chan PubsubPmessage { return s.pmessages.out }

// Subscribe listens to a channel, and returns how many channels and patterns it listens to.
func (s *Subscriber) Subscribe(c string) int { return s.change("SUBSCRIBE", s.channels, c, true) }

// Unsubscribe ends Subscribe.
func (s *Subscriber) Unsubscribe(c string) int { return s.change("UNSUBSCRIBE", s.channels, c, false) }

// Psubscribe listens to the channels that match a pattern, and returns how many channels and
// patterns it listens to.
func (s *Subscriber) Psubscribe(pat string) int { return s.change("PSUBSCRIBE", s.patterns, pat, true) }

// Punsubscribe ends Psubscribe.
func (s *Subscriber) Punsubscribe(pat string) int {
	return s.change("PUNSUBSCRIBE", s.patterns, pat, false)
}

// change executes a command that adds a name to a set, or removes it.
func (s *Subscriber) change(command string, names map[string]bool, name string, add bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0
	}
	unlocked(func() {
		s.receive(s.m.engine.Do(s.session, [][][]byte{words(command, []string{name})}).Out)
	})
	if names[name] = true; !add {
		delete(names, name)
	}
	return len(s.channels) + len(s.patterns)
}

// Count returns how many channels and patterns it listens to.
func (s *Subscriber) Count() int { return len(s.Channels()) + len(s.Patterns()) }

// Channels returns the channels to which it listens, sorted.
func (s *Subscriber) Channels() []string { return s.sorted(s.channels) }

// Patterns returns the patterns to which it listens, sorted.
func (s *Subscriber) Patterns() []string { return s.sorted(s.patterns) }

func (s *Subscriber) sorted(names map[string]bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(names))
}

// Publish is that of Miniredis.
func (s *Subscriber) Publish(c, msg string) int { return s.m.Publish(c, msg) }

// Wake implements engine.Peer.
func (s *Subscriber) Wake() {
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.receive(s.m.engine.Collect(s.session).Out)
	}()
}

// receive queues the messages among replies.
func (s *Subscriber) receive(replies []byte) {
	in := resp.NewReader(bytes.NewReader(replies))
	for {
		reply, err := in.Read()
		if err != nil || s.closed {
			return
		}
		switch m := reply.Strings(); {
		case len(m) == 3 && m[0] == "message":
			s.messages.add(PubsubMessage{m[1], m[2]})
		case len(m) == 4 && m[0] == "pmessage":
			s.pmessages.add(PubsubPmessage{m[1], m[2], m[3]})
		}
	}
}

// feed is a channel that takes any number of messages before they are read.
type feed[T any] struct {
	out   chan T
	ended chan struct{} // closed by close

	mu      sync.Mutex
	queue   []T
	sending bool // a goroutine sends what is in the queue
	closed  bool
}

func (f *feed[T]) open() { f.out, f.ended = make(chan T), make(chan struct{}) }

// add adds a message.
func (f *feed[T]) add(message T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queue = append(f.queue, message); !f.sending {
		f.sending = true
		go f.send()
	}
}

// send sends what is in the queue until it is empty. It closes the channel of a feed that is
// closed.
func (f *feed[T]) send() {
	for {
		next, ok := f.next()
		if !ok {
			return
		}
		select {
		case f.out <- next:
		case <-f.ended:
		}
	}
}

// next takes the next message from the queue; ok is false if send must end.
func (f *feed[T]) next() (message T, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) > 0 {
		message, f.queue = f.queue[0], f.queue[1:]
		return message, true
	}
	if f.sending = false; f.closed {
		close(f.out)
	}
	return message, false
}

// close closes the channel. Nothing may be added from then on.
func (f *feed[T]) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue, f.closed = nil, true
	if close(f.ended); !f.sending {
		close(f.out)
	}
}

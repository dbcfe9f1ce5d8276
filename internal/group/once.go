package group

import (
	"cmp"
	"slices"
)

// once is what GROUP ONCE remembers: for each client that gave itself a name, the replies to its
// last commands. It is part of the data: it follows from the log, and is in snapshots.
type once struct {
	clients map[string]*client // by the names that they gave themselves
	used    uint64             // counts uses; no clock, so that all members forget the same
	bytes   int                // of the replies
}

// client is what is remembered of one name.
type client struct {
	used    uint64  // the higher, the later
	replies []reply // the oldest first; never empty
}

type reply struct {
	Sequence int64
	Text     []byte
}

// record is a client in a snapshot.
type record struct {
	Name    string
	Replies []reply
}

// What is remembered at most: names, replies of each, and bytes of all replies. The name that was
// longest idle is forgotten first; the last reply is remembered, however large it is.
const (
	maxNames   = 10_000
	maxReplies = 16
	maxName    = 128 // bytes
	maxBytes   = 64 << 20
)

// find returns the recorded reply. known is false if the command has not run; old is whether it is
// not known whether it did.
func (o *once) find(name []byte, sequence int64) (text []byte, known, old bool) {
	c := o.clients[string(name)]
	if c == nil {
		return nil, false, false
	}
	for _, r := range c.replies {
		if r.Sequence == sequence {
			return r.Text, true, false
		}
	}
	return nil, false, sequence < c.replies[len(c.replies)-1].Sequence
}

// add records a reply.
func (o *once) add(name []byte, sequence int64, text []byte) {
	c := o.clients[string(name)]
	if c == nil {
		c = o.newClient(string(name))
	}
	o.used++
	c.used = o.used
	c.replies = append(c.replies, reply{sequence, slices.Clone(text)})
	for o.bytes += len(text); len(c.replies) > maxReplies || o.bytes > maxBytes && len(c.replies) > 1; {
		o.bytes -= len(c.replies[0].Text)
		c.replies = slices.Delete(c.replies, 0, 1)
	}
	for o.bytes > maxBytes && len(o.clients) > 1 {
		o.forgetIdle()
	}
}

func (o *once) newClient(name string) *client {
	if len(o.clients) >= maxNames {
		o.forgetIdle()
	}
	if o.clients == nil {
		o.clients = make(map[string]*client)
	}
	c := &client{}
	o.clients[name] = c
	return c
}

// merge adds a reply that another group remembers, in its place among the others.
func (o *once) merge(name []byte, sequence int64, text []byte) {
	if _, known, _ := o.find(name, sequence); known {
		return
	}
	o.add(name, sequence, text)
	slices.SortFunc(o.clients[string(name)].replies,
		func(a, b reply) int { return cmp.Compare(a.Sequence, b.Sequence) })
}

// forgetIdle forgets the tenth of the names that were longest idle, or one of few.
func (o *once) forgetIdle() {
	names := o.byUse()
	for _, name := range names[:max(1, len(names)/10)] {
		for _, r := range o.clients[name].replies {
			o.bytes -= len(r.Text)
		}
		delete(o.clients, name)
	}
}

// byUse returns the names, the one that was longest idle first.
func (o *once) byUse() (names []string) {
	for name := range o.clients {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(o.clients[a].used, o.clients[b].used) })
	return names
}

// records returns what is remembered, for a snapshot.
func (o *once) records() (list []record) {
	for _, name := range o.byUse() {
		list = append(list, record{name, slices.Clone(o.clients[name].replies)})
	}
	return list
}

// restore replaces what is remembered.
func (o *once) restore(list []record) {
	*o = once{}
	for _, r := range list {
		for _, each := range r.Replies {
			o.add([]byte(r.Name), each.Sequence, each.Text)
		}
	}
}

package engine

import (
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// The relay is what replicas follow: the commands that reproduce each change, as the journal has them, in
// one sequence of bytes whose offsets both sides count.
//
//	change ─▶ feed ─┬▶ backlog    the last of it, for a replica that was cut off for a moment
//	                └▶ replicas   into their reply buffers; held back while they receive a snapshot
//
// It runs from the coming of the first replica until repl-backlog-ttl after the going of the last. At all
// other times nobody feeds it, and a change costs nothing more than without it.
type relay struct {
	running  bool
	offset   int64 // of the last byte; the history that it counts is serverInfo.replID
	changed  int64 // of the last byte of a change
	db       int   // selected at the end of it; -1 if none is
	backlog  backlog
	text     *resp.Writer // the command being fed
	replicas []*Replica   // attached, in the order of their coming
	awaiting []*confirmation

	tended, pinged, left int64 // when it was looked after, a PING was fed, the last replica went; microseconds

	full, partial, refused int64 // synchronizations

	backlogSize, backlogTTL, pingPeriod, timeout int64 // parameters; bytes and seconds
}

func newRelay() relay {
	return relay{text: resp.NewWriter(2), backlogSize: 1 << 20, backlogTTL: 3600, pingPeriod: 10, timeout: 60}
}

// minBacklog is the least bytes of a backlog, as in Redis.
const minBacklog = 16 << 10

// relayParams are the parameters of replication that have an effect.
func (e *Engine) relayParams() []Param {
	st := &e.relay
	size := MemoryParam("repl-backlog-size", &st.backlogSize, 1)
	size.Apply = func() error {
		if st.running {
			st.backlog.resize(int(max(st.backlogSize, minBacklog)))
		}
		return nil
	}
	return []Param{size,
		IntParam("repl-backlog-ttl", &st.backlogTTL, 0, 1<<62),
		IntParam("repl-ping-replica-period", &st.pingPeriod, 1, maxInt32, "repl-ping-slave-period"),
		IntParam("repl-timeout", &st.timeout, 1, maxInt32),
	}
}

// startRelay has changes fed from now on.
func (e *Engine) startRelay() {
	st := &e.relay
	if st.running {
		return
	}
	st.running, st.db, st.pinged = true, -1, e.micros
	st.offset++ // as Redis counts
	st.changed = st.offset
	st.backlog.resize(int(max(st.backlogSize, minBacklog)))
	e.connectPropagation()
}

// stopRelay ends the history: what changes from now on nobody counts.
func (e *Engine) stopRelay() {
	e.relay.running, e.relay.backlog = false, backlog{}
	e.info.replID = e.newID()
	e.connectPropagation()
}

// feed hands a change to the replicas.
func (e *Engine) feed(db int, args [][]byte) {
	st := &e.relay
	st.text.Reset()
	if db != st.db {
		st.db = db
		st.command([]byte("SELECT"), strconv.AppendInt(nil, int64(db), 10))
	}
	st.command(args...)
	e.pass()
	st.changed = st.offset
}

// feedMessage hands a message that a client published to the replicas, whose clients may listen too.
func (e *Engine) feedMessage(c *Call) {
	if e.relay.running {
		e.relay.text.Reset()
		e.relay.command(c.Args...)
		e.pass()
	}
}

// ask feeds a command that changes nothing.
func (e *Engine) ask(words ...string) {
	st := &e.relay
	st.text.Reset()
	st.text.Array(len(words))
	for _, word := range words {
		st.text.BulkString(word)
	}
	e.pass()
}

func (st *relay) command(args ...[]byte) {
	st.text.Array(len(args))
	for _, arg := range args {
		st.text.Bulk(arg)
	}
}

// pass hands on what was written to text.
func (e *Engine) pass() {
	st, text := &e.relay, e.relay.text.Bytes()
	st.offset += int64(len(text))
	st.backlog.add(text)
	for _, r := range st.replicas {
		r.follow(text)
	}
	if cap(text) > maxMessageKept {
		st.text = resp.NewWriter(2)
	}
}

// tendReplicas does what is to be done once a second.
func (e *Engine) tendReplicas() {
	st := &e.relay
	if !st.running && len(st.replicas) == 0 || e.micros-st.tended < 1e6 {
		return
	}
	st.tended = e.micros
	for _, r := range st.replicas {
		switch {
		case r.stage == awaitingSnapshot:
			r.say([]byte("\n")) // so that it does not give up
		case r.stage >= settling && (!r.plain || r.Request.OnlyOnce) && e.micros-r.heard > st.timeout*1e6:
			r.Drop()
		}
	}
	switch {
	case !st.running:
	case len(st.replicas) == 0 && e.micros-st.left > st.backlogTTL*1e6:
		e.stopRelay()
	case len(st.replicas) > 0 && e.micros-st.pinged >= st.pingPeriod*1e6:
		st.pinged = e.micros
		e.ask("ping")
	}
}

// backlog is the last bytes of the relay.
type backlog struct {
	ring []byte
	at   int // where the next byte goes
	held int // bytes that are there
}

// add appends text.
func (b *backlog) add(text []byte) {
	if over := len(text) - len(b.ring); over > 0 {
		text = text[over:]
	}
	b.held = min(b.held+len(text), len(b.ring))
	for len(text) > 0 {
		n := copy(b.ring[b.at:], text)
		text, b.at = text[n:], (b.at+n)%len(b.ring)
	}
}

// last returns a copy of the last n bytes, which must be held.
func (b *backlog) last(n int) []byte {
	from := b.at - n
	if from >= 0 {
		return append([]byte(nil), b.ring[from:b.at]...)
	}
	return append(append([]byte(nil), b.ring[len(b.ring)+from:]...), b.ring[:b.at]...)
}

// resize gives the backlog room for n bytes. What fits of it stays.
func (b *backlog) resize(n int) {
	if n == len(b.ring) {
		return
	}
	kept := b.last(min(n, b.held))
	*b = backlog{ring: make([]byte, n)}
	b.add(kept)
}

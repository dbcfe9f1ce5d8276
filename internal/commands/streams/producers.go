package streams

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// A producer that gives each entry an idempotent ID can send it again when it does not know whether
// it arrived: XADD then replies with the ID that the entry got the first time. See
// [stream.Producers].
//
// The journal and the replicas receive XADD with the same words and the ID of the entry, and an
// entry that was sent again as it came. An XADD with an ID is a new entry there: whether its
// idempotent ID was forgotten in time is what the master has decided.

// producerLines returns the lines of the commands on idempotent IDs.
func producerLines() []command.Line {
	return []command.Line{
		{Name: "xcfgset", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdXCfgSet, Reply: "status", Since: "8.6.0",
			Syntax: "key idmp-duration-block=[idmp-duration-token=IDMP-DURATION duration:integer] " +
				"idmp-maxsize-block=[idmp-maxsize-token=IDMP-MAXSIZE maxsize:integer]",
			Summary:    "Sets how long a stream remembers idempotent IDs, and how many of each producer.",
			Complexity: "O(1)"},
		{Name: "xidmprecord", Arity: 5, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW update"),
			Run:  cmdXIdmpRecord, Reply: "status", Since: "8.6.2", Syntax: "key pid iid stream-id",
			Summary: "An internal command that gives an entry an idempotent ID.", Complexity: "O(1)"},
	}
}

// idempotent are the options IDMP and IDMPAUTO of XADD.
type idempotent struct {
	producer []byte // nil without them
	iid      []byte // nil for IDMPAUTO, until it is computed
}

// idempotentOption reads IDMPAUTO producer-id or IDMP producer-id idempotent-id, and reports
// whether it found one.
func idempotentOption(c *engine.Call, o *idempotent) bool {
	at, empty := c.Pos(), errAutoProducer
	again := o.producer != nil
	switch {
	case c.Left() > 1 && c.Word("IDMPAUTO"):
		o.producer = c.Arg()
	case c.Left() > 2 && c.Word("IDMP"):
		o.producer, o.iid, empty = c.Arg(), c.Arg(), errProducer
	default:
		return false
	}
	switch {
	case again:
		c.Refuse(errProducerTwice)
	case len(o.producer) == 0:
		c.Refuse(empty)
	case c.Pos()-at > 2 && len(o.iid) == 0:
		c.Refuse(errIdempotentEmpty)
	}
	return true
}

// repeats reports whether a producer has sent the entry before. If so it replies with the ID of
// that entry.
func repeats(c *engine.Call, key []byte, s *stream.Stream, a *addOptions) bool {
	if a.sent.producer == nil || !a.auto {
		return false
	}
	id, again := s.Sent(a.sent.producer, a.sent.iid, recallTime(c))
	if again {
		s.CountDuplicate()
		c.ChangedUnwatched(key, event.Event{})
		replyID(c, id)
	}
	return again
}

// remember remembers that a producer has sent the new entry.
func (o *idempotent) remember(c *engine.Call, s *stream.Stream, id stream.ID) {
	if o.producer != nil {
		s.Remember(o.producer, o.iid, id, recallTime(c))
	}
}

// recallTime returns the time that decides what is forgotten. In the journal nothing is: what an
// entry found when it came is in it.
func recallTime(c *engine.Call) int64 {
	if c.World.Keyspace.Replaying {
		return stream.Always
	}
	return c.Date()
}

// fingerprint returns the idempotent ID that IDMPAUTO gives an entry. The order of the fields does
// not matter. Redis computes another, with XXH3.
func fingerprint(pairs [][]byte) []byte {
	var low, high uint64
	for i := 0; i+1 < len(pairs); i += 2 {
		text := binary.LittleEndian.AppendUint64(nil, uint64(len(pairs[i])))
		sum := sha256.Sum256(append(append(text, pairs[i]...), pairs[i+1]...))
		low += binary.LittleEndian.Uint64(sum[:])
		high += binary.LittleEndian.Uint64(sum[8:])
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
}

// The greatest limits for idempotent IDs.
const (
	maxIDSeconds = 86400
	maxIDs       = 10_000
)

// XCFGSET key [IDMP-DURATION duration] [IDMP-MAXSIZE maxsize]
func cmdXCfgSet(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	if !found {
		c.Fail(engine.ErrNoKey)
		return
	}
	limits := s.IDLimits()
	var seconds, most bool
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("IDMP-DURATION"):
			seconds = limitArg(c, &limits.Seconds, maxIDSeconds, seconds, errDurationTwice, errDuration)
		case c.Left() > 1 && c.Word("IDMP-MAXSIZE"):
			most = limitArg(c, &limits.Most, maxIDs, most, errMaxSizeTwice, errMaxSize)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if !seconds && !most {
		c.Refuse(errNoLimit)
	}
	if !c.OK() {
		return
	}
	if s.SetIDLimits(limits) {
		c.ChangedUnwatched(key, event.Event{})
	}
	c.Reply.Status("OK")
}

// limitArg reads a limit for idempotent IDs, and returns true. given says that it was given before,
// which is an error.
func limitArg(c *engine.Call, limit *int, most int64, given bool, twice, outside command.Error) bool {
	if given {
		c.Refuse(twice)
	}
	n := c.Int()
	if n < 1 || n > most {
		c.Refuse(outside)
	}
	*limit = int(n)
	return true
}

// XIDMPRECORD key pid iid stream-id
func cmdXIdmpRecord(c *engine.Call) {
	key, producer, iid := c.Arg(), c.Arg(), c.Arg()
	id := idArg(c, 0)
	switch {
	case len(producer) == 0:
		c.Refuse(errRecordProducer)
	case len(iid) == 0:
		c.Refuse(errRecordID)
	}
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Edit[*stream.Stream](c, key)
	switch {
	case !found:
		c.Fail(engine.ErrNoKey)
		return
	case !s.Has(id):
		c.Fail(errNoMessage)
		return
	}
	switch was, again := s.Sent(producer, iid, recallTime(c)); {
	case !again:
		s.Remember(producer, iid, id, recallTime(c))
		c.ChangedUnwatched(key, event.Event{})
	case was != id:
		c.Fail(errOtherMessage)
		return
	}
	c.Reply.Status("OK")
}

// createStream returns the stream at key, and creates it if the key is absent. ok is false if an
// error was latched.
func createStream(c *engine.Call, key []byte) (s *stream.Stream, ok bool) {
	s, found := engine.Edit[*stream.Stream](c, key)
	if found || c.Failed() {
		return s, found
	}
	if s, ok = engine.Upsert[*stream.Stream](c, key, stream.Type); ok {
		s.SetIDLimits(c.Engine.Config.StreamIDs)
	}
	return s, ok
}

// Package streams is the family of stream commands: XADD, XREAD, XGROUP and their like, on
// [stream.Stream].
//
//	streams.go  the table of commands; XADD, XLEN, XDEL, XSETID
//	range.go    XRANGE and XREVRANGE, and how an entry is written
//	producers.go  XCFGSET and XIDMPRECORD, and the options IDMP and IDMPAUTO of XADD
//	trim.go     XTRIM, and the trimming options of XADD
//	read.go     XREAD and XREADGROUP, which may block
//	refs.go     XDELEX and XACKDEL, which say what becomes of the messages of deleted entries
//	claimed.go  CLAIM of XREADGROUP
//	group.go    the table of the commands on consumer groups; XGROUP and XACK
//	pending.go  XPENDING
//	nack.go     XNACK
//	claim.go    XCLAIM and XAUTOCLAIM
//	info.go     XINFO
//	id.go       IDs as arguments and in replies
//	older.go    what older releases do otherwise
//
// A message is an entry that a group delivered to a consumer. It is pending until the consumer
// acknowledges it.
//
// The journal and the replicas do not receive calls whose effect depends on the clock, on the
// layout of nodes or on reading. They receive the effect instead: XADD with the generated ID, an
// exact MAXLEN, and for a group XCLAIM for each message and XGROUP SETID for the last delivered ID.
// Redis does the same.
//
// With --like redis:7.0 one difference from Redis 7.0 stays:
//
//   - XREAD stays blocked if the entry that would unblock it is deleted in the same transaction, as
//     in 7.2. 7.0 replies without entries.
//
// Other than in Redis, the journal also receives the delivery counts of a consumer's history, and
// each consumer that a command creates, even if there is no message for it. Redis loses both at a
// restart; replicas do not receive them.
package streams

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// Family is the family of stream commands.
var Family = command.Family{Group: "stream", Commands: append([]command.Line{
	{Name: "xadd", Arity: -5, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW update"),
		Run: cmdXAdd, Reply: "text?", Since: "5.0.0",
		Syntax: "key [NOMKSTREAM]@6.2.0 condition=[KEEPREF|DELREF|ACKED]@(8.2.0) " +
			"idmp=[idmpauto-with-pid=<idmpauto-token=IDMPAUTO pid>|idmp-with-pid-iid=<idmp-token=IDMP pid " +
			"iid>]@(8.6.0) trim=[strategy=<MAXLEN|MINID@6.2.0> operator=[equal==|approximately=~] threshold [LIMIT " +
			"count]@6.2.0] id-selector(/id_or_auto)=<auto-id(/auto_id)=*|id> data(/field_value)=<field value>...",
		Summary:    "Appends a new message to a stream. Creates the key if it doesn't exist.",
		Tips:       "nondeterministic_output",
		Complexity: "O(1), and O(N) when trimming, N being the number of entries removed",
		History: "6.2.0 The options `NOMKSTREAM`, `MINID` and `LIMIT`.\n" +
			"7.0.0 Takes IDs whose sequence number is `*`.\n" +
			"8.2.0@8.6.0 The options `KEEPREF`, `DELREF` and `ACKED`."},
	{Name: "xlen", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdXLen, Reply: "integer", Since: "5.0.0",
		Syntax: "key", Summary: "Returns the number of messages in a stream.", Complexity: "O(1)"},
	{Name: "xrange", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdXRange, Reply: "array?", Since: "5.0.0",
		Syntax: "key start end [COUNT count]", Summary: "Returns the messages from a stream within a range of IDs.",
		Complexity: "O(log N + M), N being the number of nodes of the stream, and M the number of entries returned",
		History:    "6.2.0 Ranges may be exclusive."},
	{Name: "xrevrange", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdXRevRange, Reply: "array?", Since: "5.0.0", Syntax: "key end start [COUNT count]",
		Summary:    "Returns the messages from a stream within a range of IDs in reverse order.",
		Complexity: "O(log N + M), N being the number of nodes of the stream, and M the number of entries returned",
		History:    "6.2.0 Ranges may be exclusive."},
	{Name: "xdel", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
		Run: cmdXDel, Reply: "integer", Since: "5.0.0",
		Syntax: "key id...", Summary: "Returns the number of messages after removing them from a stream.",
		Complexity: "O(1) for each entry removed"},
	{Name: "xtrim", Arity: -4, Flags: command.Write, Keys: command.Key(1, "RW delete"),
		Run: cmdXTrim, Reply: "integer", Since: "5.0.0",
		Syntax: "key trim=<strategy=<MAXLEN|MINID@6.2.0> operator=[equal==|approximately=~] threshold [LIMIT " +
			"count]@6.2.0 condition=[KEEPREF|DELREF|ACKED]@(8.2.0)>",
		Summary: "Deletes messages from the beginning of a stream.", Tips: "nondeterministic_output",
		Complexity: "O(N), N being the number of entries removed",
		History:    "6.2.0 The options `MINID` and `LIMIT`.\n8.2.0@8.6.0 The options `KEEPREF`, `DELREF` and `ACKED`."},
	{Name: "xsetid", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW update"),
		Run:  cmdXSetID, Reply: "status", Since: "5.0.0", Was: []command.Was{command.Before("7.0.0", "arity=3"),
			{Before: "7.0.0", Edit: func(cmd *command.Line) { cmd.Run = olderSetID }}},
		Syntax: "key last-id [ENTRIESADDED entries-added(/entries_added)]@7.0.0 [MAXDELETEDID " +
			"max-deleted-id(/max_deleted_entry_id)]@7.0.0",
		Summary: "An internal command for replicating stream values.", Complexity: "O(1)",
		History: "7.0.0 The options `ENTRIESADDED` and `MAXDELETEDID`."},
	{Name: "xread", Arity: -4, Flags: command.ReadOnly | command.Blocking, Keys: trustingStreams(1),
		Run: cmdXRead, Was: pairsStreams(1), Reply: "array?", Since: "5.0.0",
		Syntax: "[COUNT count] [MAXCOUNT maxcount:integer]@8.10.0 [MAXSIZE maxsize:integer]@8.10.0 " +
			"[BLOCK milliseconds] <STREAMS key... id...>",
		History: "8.10.0 The options `MAXCOUNT` and `MAXSIZE`.",
		Summary: "Returns messages from multiple streams with IDs greater than the ones requested. " +
			"Blocks until a message is available otherwise.",
		Complexity: "O(M) for each stream, M being the number of entries returned"},
	{Name: "xreadgroup", Arity: -7, Flags: command.Write | command.Blocking, Keys: trustingStreams(4),
		Run: cmdXReadGroup, Was: pairsStreams(4), Reply: "array?", Since: "5.0.0",
		Syntax: "group-block(/group_consumer)=<GROUP group consumer> [COUNT count] " +
			"[MAXCOUNT maxcount:integer]@8.10.0 [MAXSIZE maxsize:integer]@8.10.0 [BLOCK milliseconds] " +
			"[CLAIM min-idle-time:integer]@(8.4.0) [NOACK] <STREAMS key... id...>",
		History: "8.10.0 The options `MAXCOUNT` and `MAXSIZE`.",
		Summary: "Returns new or historical messages from a stream for a consumer in a group. " +
			"Blocks until a message is available otherwise.",
		Complexity: "O(M) for each stream, M being the number of entries returned"},
}, append(append(producerLines(), nackLine()), append(refLines(), groupLines()...)...)...), Wordings: wordings}

// emptyStream stands for an absent key when a command only reads. It is never changed.
var emptyStream stream.Stream

// readStream returns the stream at key for reading, an empty one if the key is absent. ok is false
// if an error was sent.
func readStream(c *engine.Call, key []byte) (s *stream.Stream, ok bool) {
	s, found := engine.Read[*stream.Stream](c, key)
	if !found {
		s = &emptyStream
	}
	return s, c.OK()
}

// XLEN key
func cmdXLen(c *engine.Call) {
	if s, ok := readStream(c, c.Arg()); ok {
		c.Reply.Int(int64(s.Len()))
	}
}

// addOptions are the options of XADD.
type addOptions struct {
	id         stream.ID
	auto       bool // "*": the server generates the ID
	autoSeq    bool // "ms-*": it generates the sequence number only
	noMkStream bool // an absent key stays absent, and the reply is nil
	trim       trimOptions
	sent       idempotent
	idAt       int // position of the ID in the arguments; 0 until it was read
}

// XADD key [NOMKSTREAM] [KEEPREF | DELREF | ACKED] [IDMPAUTO producer-id | IDMP producer-id
// idempotent-id] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] <* | id> field value [field
// value ...]
func cmdXAdd(c *engine.Call) {
	key := c.Arg()
	a := parseAddOptions(c)
	pairs := c.Rest()
	switch {
	case len(pairs) < 2 || len(pairs)%2 == 1:
		c.Refusef(engine.ErrPairsArity, c.Cmd.FullName(), "XADD")
	case !a.auto && !a.autoSeq && a.id.IsZero():
		c.Refuse(errZeroID)
	}
	if c.Failed() {
		c.OK()
		return
	}
	s, found := streamToAdd(c, key, a.noMkStream)
	switch {
	case !c.OK():
		return
	case !found:
		c.Reply.Null()
		return
	}
	if a.sent.producer != nil && a.sent.iid == nil {
		a.sent.iid = fingerprint(pairs)
	}
	if repeats(c, key, s, &a) {
		return
	}
	if id, ok := newID(c, s, &a, pairs); ok {
		s.Append(id, pairs, c.Engine.Config.Stream)
		a.sent.remember(c, s, id)
		trimmed := a.trim.given && s.Trim(a.trim.Trim) > 0
		c.Changed(key, event.Stream("xadd"))
		if trimmed {
			c.Changed(key, event.Stream("xtrim"))
			c.AddChanges(-1)
		}
		propagateAdd(c, s, id, &a)
		replyID(c, id)
	}
}

// streamToAdd returns the stream at key, and creates it unless noMkStream is set. found is false if
// there is no stream to add to.
func streamToAdd(c *engine.Call, key []byte, noMkStream bool) (s *stream.Stream, found bool) {
	if noMkStream {
		return engine.Edit[*stream.Stream](c, key)
	}
	return createStream(c, key)
}

// parseAddOptions reads the options of XADD and the ID, which ends them: the first argument that is
// no option is the ID, so a misspelt option is a bad ID, as in Redis. Of an entry with an
// idempotent ID the server chooses the ID, except in a replay, where the master has.
func parseAddOptions(c *engine.Call) (a addOptions) {
	for a.idAt == 0 && c.More() {
		switch {
		case c.Word("*"):
			a.auto, a.idAt = true, c.Pos()-1
		case trimOption(c, &a.trim):
		case c.Word("NOMKSTREAM"):
			a.noMkStream = true
		case idempotentOption(c, &a.sent):
		default:
			a.idAt = c.Pos()
			a.id, a.autoSeq = newIDArg(c)
			if a.sent.producer != nil && !c.World.Keyspace.Replaying {
				c.Refuse(errIdempotentID)
			}
		}
	}
	checkTrim(c, &a.trim)
	return a
}

// newID returns the ID of the entry that XADD adds. ok is false if an error was sent. IDs only
// grow, also if the clock goes back: a generated one is then the next one after the last.
func newID(c *engine.Call, s *stream.Stream, a *addOptions, pairs [][]byte) (id stream.ID, ok bool) {
	last := s.Last()
	if last == stream.MaxID {
		return id, c.Fail(errExhausted)
	}
	id = a.id
	switch {
	case a.auto && uint64(c.Date()) > last.Ms:
		id = stream.ID{Ms: uint64(c.Date())}
	case a.auto:
		id, _ = last.Next()
	case a.autoSeq && id.Ms == last.Ms && last.Seq == math.MaxUint64:
		return id, c.Fail(errSmallID) // Redis' text, although the sequence number is exhausted
	case a.autoSeq && id.Ms == last.Ms:
		id.Seq = last.Seq + 1
	}
	size := 0
	for _, v := range pairs {
		size += len(v)
	}
	switch {
	case !last.Before(id):
		return id, c.Fail(errSmallID)
	case size > stream.MaxEntryBytes:
		return id, c.Fail(errTooLarge)
	}
	return id, true
}

// propagateAdd propagates XADD with the generated ID. An approximate trim becomes an exact one. A
// call that leaves nothing to chance is propagated as it came.
func propagateAdd(c *engine.Call, s *stream.Stream, id stream.ID, a *addOptions) {
	if !c.Propagates() || !a.auto && !a.autoSeq && !a.trim.Nodes {
		return
	}
	args := exactTrim(c, s, &a.trim)
	args[a.idAt] = id.Append(nil)
	c.PropagateAs(args...)
}

// XDEL key id [id ...]
func cmdXDel(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	if !found {
		if c.OK() {
			c.Reply.Int(0)
		}
		return
	}
	var room [8]stream.ID
	ids, ok := idArgs(c, room[:0])
	if !ok {
		return
	}
	n := 0
	for _, id := range ids {
		if s.Delete(id) {
			n++
		}
	}
	if n > 0 {
		c.Changed(key, event.Stream("xdel"))
		c.AddChanges(n - 1)
	}
	c.Reply.Int(int64(n))
}

// XSETID key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]
func cmdXSetID(c *engine.Call) {
	key, id := c.Arg(), idArg(c, 0)
	added, deleted := setIDOptions(c, id)
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Edit[*stream.Stream](c, key)
	if !found {
		c.Fail(engine.ErrNoKey)
		return
	}
	if checkSetID(c, s, id, added) {
		s.SetLast(id)
		if added >= 0 {
			s.SetAdded(added)
		}
		if !deleted.IsZero() {
			s.SetMaxDeleted(deleted)
		}
		c.ChangedUnwatched(key, event.Stream("xsetid"))
		c.Reply.Status("OK")
	}
}

// setIDOptions reads [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]. Without them,
// added is -1 and deleted is zero.
func setIDOptions(c *engine.Call, id stream.ID) (added int64, deleted stream.ID) {
	added = -1
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("ENTRIESADDED"):
			if added = c.Int(); added < 0 {
				c.Refuse(errAddedNegative)
			}
		case c.Left() > 1 && c.Word("MAXDELETEDID"):
			if deleted = idArg(c, 0); id.Before(deleted) {
				c.Refuse(errLastBelowDeleted)
			}
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return added, deleted
}

// checkSetID reports whether the stream can have id as its last ID and added as its count of
// entries added. If not, it sends an error.
func checkSetID(c *engine.Call, s *stream.Stream, id stream.ID, added int64) bool {
	top, ok := s.LastEntry()
	switch {
	case id.Before(s.MaxDeleted()) && c.Has(setsBehindDeleted):
		return c.Fail(errLastBelowMaxDeleted)
	case !ok:
		return true
	case id.Before(top):
		return c.Fail(errLastBelowTop)
	case added >= 0 && int64(s.Len()) > added:
		return c.Fail(errAddedSmall)
	}
	return true
}

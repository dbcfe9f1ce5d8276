package streams

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// refLines returns the lines of the commands that delete entries with regard to the groups.
func refLines() []command.Line {
	return []command.Line{
		{Name: "xdelex", Arity: -5, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
			Run: cmdXDelEx, Reply: "integers", Since: "8.2.0 valkey:9.2.0",
			Syntax: "key condition=[KEEPREF|DELREF|ACKED] <IDS numids:integer id...>",
			Summary: "Deletes messages from a stream, " +
				"and says what becomes of references to them in consumer groups.",
			Complexity: "O(1) for each ID, and O(N) for DELREF and ACKED, N being the number of groups"},
		{Name: "xackdel", Arity: -6, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete update"),
			Run: cmdXAckDel, Reply: "integers", Since: "8.2.0",
			Syntax:     "key group condition=[KEEPREF|DELREF|ACKED] <IDS numids:integer id...>",
			Summary:    "Acknowledges messages of a consumer group and deletes them from the stream.",
			Complexity: "O(1) for each ID, and O(N) for DELREF and ACKED, N being the number of groups"},
	}
}

// refWords are the words for what becomes of the references to deleted entries.
var refWords = [...]string{stream.KeepRefs: "KEEPREF", stream.DropRefs: "DELREF", stream.AckedOnly: "ACKED"}

// refOption reads one of these words, and reports whether it found one.
func refOption(c *engine.Call, refs *stream.Refs) bool {
	for i, word := range refWords {
		if c.Word(word) {
			*refs = stream.Refs(i)
			return true
		}
	}
	return false
}

// What XDELEX and XACKDEL reply for an ID.
const (
	idMissing = -1 // the entry does not exist, or is not pending
	idDeleted = 1
	idNeeded  = 2 // a group needs the entry, which stays
)

// XDELEX key [KEEPREF | DELREF | ACKED] IDS numids id [id ...]
func cmdXDelEx(c *engine.Call) {
	key := c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	ids, refs, ok := refIDs(c, found)
	if !ok {
		return
	}
	deleted, changed := 0, false
	c.Reply.Array(len(ids))
	for _, id := range ids {
		may, forgot := s.Release(id, refs)
		changed = changed || forgot
		switch {
		case !may:
			c.Reply.Int(idNeeded)
		case s.Delete(id):
			deleted++
			c.Reply.Int(idDeleted)
		default:
			c.Reply.Int(idMissing)
		}
	}
	reportDeleted(c, key, deleted, changed)
}

// XACKDEL key group [KEEPREF | DELREF | ACKED] IDS numids id [id ...]
func cmdXAckDel(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	var g *stream.Group
	if found {
		g = s.Group(name)
	}
	ids, refs, ok := refIDs(c, g != nil)
	if !ok {
		return
	}
	deleted, changed := 0, false
	c.Reply.Array(len(ids))
	for _, id := range ids {
		if !g.Ack(id) {
			c.Reply.Int(idMissing)
			continue
		}
		changed = true
		if may, _ := s.Release(id, refs); !may {
			c.Reply.Int(idNeeded)
			continue
		}
		if s.Delete(id) {
			deleted++
		}
		c.Reply.Int(idDeleted)
	}
	reportDeleted(c, key, deleted, changed)
}

// reportDeleted reports that entries were deleted, or else that groups changed.
func reportDeleted(c *engine.Call, key []byte, deleted int, changed bool) {
	switch {
	case deleted > 0:
		c.Changed(key, event.Stream("xdel"))
	case changed:
		c.ChangedUnwatched(key, event.Event{})
	}
}

// refIDs reads [KEEPREF | DELREF | ACKED] IDS numids id [id ...] in any order. ok is false if an
// error was sent, or the reply that nothing exists because found is not set.
func refIDs(c *engine.Call, found bool) (ids []stream.ID, refs stream.Refs, ok bool) {
	var args [][]byte
	for given := false; c.More(); {
		switch {
		case !given && refOption(c, &refs):
			given = true
		case c.Left() > 1 && c.Word("IDS"):
			args = countedIDs(c, math.MaxInt64, errIDCount, errIDCountOff)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if args == nil {
		c.Refuse(errIDsMissing)
	}
	if !c.OK() {
		return nil, refs, false
	}
	if !found {
		c.Reply.Array(len(args))
		for range args {
			c.Reply.Int(idMissing)
		}
		return nil, refs, false
	}
	for _, arg := range args {
		id, isID := parseID(arg, 0)
		if !isID {
			return nil, refs, c.Fail(errID)
		}
		ids = append(ids, id)
	}
	return ids, refs, true
}

// countedIDs reads numids id [id ...]. It latches the first error for a number that is none, and
// the second for one that exceeds the arguments.
func countedIDs(c *engine.Call, most int64, none, exceeds command.Error) [][]byte {
	n := c.IntIn(1, most, none)
	if n > int64(c.Left()) {
		c.Refuse(exceeds)
	}
	if c.Failed() {
		return nil
	}
	return c.Next(int(n))
}

package hashes

import (
	"math"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Redis 8's commands that read or write fields and deal with their deadlines at once.

// fieldLines returns the lines of the hash family that this file has.
func fieldLines() []engine.Command {
	return []engine.Command{
		{Name: "hgetex", Arity: -5, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdHGetEx, Since: "8.0.0",
			Syntax:     "key [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST] <FIELDS numfields field...>",
			Summary:    "Returns the values of fields of a hash and sets or removes their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hsetex", Arity: -6, Flags: engine.Write | engine.DenyOOM | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdHSetEx, Since: "8.0.0",
			Syntax:     "key [FNX|FXX] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL] <FIELDS numfields <field value>...>",
			Summary:    "Sets fields of a hash and their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hgetdel", Arity: -5, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdHGetDel, Since: "8.0.0",
			Syntax: "key <FIELDS numfields field...>", Summary: "Returns the values of fields of a hash and deletes them.",
			Complexity: "O(N), N being the number of fields named"},
	}
}

// replyValues replies with the values of fields, nil for those that are absent.
func replyValues(c *engine.Call, h *hash.Hash, fields [][]byte) {
	c.Reply.Array(len(fields))
	for _, field := range fields {
		replyValue(c, h, field)
	}
}

// editHash returns the hash at key for changing, an empty one that nobody writes to if the key is
// absent.
func editHash(c *engine.Call, key []byte) *hash.Hash {
	h, found := engine.Edit[*hash.Hash](c, key)
	if !found {
		return &noHash
	}
	return h
}

// HGETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds |
// PERSIST] FIELDS numfields field [field ...]
func cmdHGetEx(c *engine.Call) {
	key := c.Arg()
	h := editHash(c, key)
	deadline, dates := fieldTime(c)
	persist := !dates && c.Word("PERSIST")
	fields := elements.Named(c, engine.HashFields, engine.ErrElementsCount)
	if !c.OK() {
		return
	}
	replyValues(c, h, fields)
	switch {
	case dates:
		x := elements.Changes{Call: c, K: engine.HashFields, Key: key}
		for _, field := range fields {
			x.Expire(h, field, deadline, elements.ExpireConditions{})
		}
		x.Report(deadline)
	case persist:
		persistFields(c, key, h, fields)
	}
}

// fieldTime moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds].
func fieldTime(c *engine.Call) (deadline int64, given bool) {
	for _, w := range elements.ExpiryWords {
		if c.Word(w.Word) {
			if !c.More() {
				c.Refuse(errFieldsNoTime)
			}
			return elements.ElementDeadline(c, w.Unit), true
		}
	}
	return 0, false
}

// persistFields removes the deadlines of those fields that have one.
func persistFields(c *engine.Call, key []byte, h *hash.Hash, fields [][]byte) {
	line := [][]byte{[]byte("HPERSIST"), key, []byte("FIELDS"), nil}
	for _, field := range fields {
		if deadline, _ := h.Deadline(field); deadline != 0 {
			h.SetDeadline(field, 0, nil)
			line = append(line, field)
		}
	}
	if len(line) == 4 {
		return
	}
	c.Changed(key, engine.HashFields.Event("persist"))
	line[3] = engine.Decimal(int64(len(line) - 4))
	c.Propagate(line...)
}

// HGETDEL key FIELDS numfields field [field ...]
func cmdHGetDel(c *engine.Call) {
	key := c.Arg()
	h := editHash(c, key)
	fields := elements.Named(c, engine.HashFields, engine.ErrElementsCount)
	if !c.OK() {
		return
	}
	deleted := [][]byte{[]byte("HDEL"), key}
	c.Reply.Array(len(fields))
	for _, field := range fields {
		replyValue(c, h, field)
		if h.Delete(field) {
			deleted = append(deleted, field)
		}
	}
	if len(deleted) > 2 {
		c.Changed(key, "hhdel")
		c.Propagate(deleted...)
	}
}

// fieldOptions are HSETEX's.
type fieldOptions struct {
	fnx, fxx, keep, dates bool
	deadline              int64
	pairs                 [][]byte // field value ...
}

// HSETEX key [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds | KEEPTTL] FIELDS numfields field value [field value ...]
func cmdHSetEx(c *engine.Call) {
	key := c.Arg()
	o := parseFieldOptions(c)
	if !c.OK() {
		return
	}
	h, found := engine.Edit[*hash.Hash](c, key)
	switch {
	case !c.OK():
		return
	case !found && o.fxx, found && !o.allow(h):
		c.Reply.Int(0)
		return
	case !found:
		h = c.DB.Create(key, keyspace.Hash).(*hash.Hash)
	}
	setFieldsUntil(c, key, h, o)
	c.Reply.Int(1)
}

// parseFieldOptions reads HSETEX's arguments behind the key.
func parseFieldOptions(c *engine.Call) (o fieldOptions) {
	for c.More() {
		deadline, given, keep := int64(0), false, false
		if c.Word("FIELDS") {
			o.pairs = fieldPairs(c)
			return o
		}
		switch {
		case c.Word("FNX"):
			o.fnx = true
		case c.Word("FXX"):
			o.fxx = true
		case c.Word("KEEPTTL"):
			given, keep = true, true
		default:
			if deadline, given = fieldTime(c); !given {
				c.Refusef(errFieldsOption, c.Arg())
			}
		}
		if o.fnx && o.fxx {
			c.Refuse(errFieldsOne)
		}
		if given && (o.keep || o.dates) {
			c.Refuse(errFieldsTime)
		}
		if given {
			o.deadline, o.dates, o.keep = deadline, !keep, keep
		}
	}
	c.Refusef(engine.ErrArity, c.Cmd.FullName())
	return o
}

// fieldPairs reads numfields field value [field value ...] up to the end.
func fieldPairs(c *engine.Call) [][]byte {
	if c.Left() < 3 {
		c.Refusef(engine.ErrArity, c.Cmd.FullName())
		return nil
	}
	n, ok := resp.ParseInt(c.Arg())
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		c.Refuse(errFieldsNumber)
	case 2*n != int64(c.Left()):
		c.Refusef(engine.ErrArity, c.Cmd.FullName())
	}
	return c.Rest()
}

// allow reports whether the conditions hold: all fields are there, or none is.
func (o *fieldOptions) allow(h *hash.Hash) bool {
	for i := 0; i < len(o.pairs) && (o.fnx || o.fxx); i += 2 {
		if h.Has(o.pairs[i]) != o.fxx {
			return false
		}
	}
	return true
}

// setFieldsUntil sets fields and their deadlines.
func setFieldsUntil(c *engine.Call, key []byte, h *hash.Hash, o fieldOptions) {
	for i := 0; i < len(o.pairs); i += 2 {
		if o.keep {
			h.Update(o.pairs[i], o.pairs[i+1], c.Engine.Config.Hash)
		} else {
			h.Set(o.pairs[i], o.pairs[i+1], c.Engine.Config.Hash)
		}
	}
	if o.dates && o.deadline <= c.Now() && !c.Engine.Keyspace.Replaying {
		c.Changed(key, "hhset")
		unsetFields(c, key, o)
		return
	}
	for i := 0; i < len(o.pairs) && o.dates; i += 2 {
		h.SetDeadline(o.pairs[i], max(o.deadline, 1), c.Dice())
	}
	c.Changed(key, "hhset")
	if o.dates {
		c.Changed(key, engine.HashFields.Event("expire"))
		c.Engine.TickBy(o.deadline)
	}
	logFields(c, key, o)
}

// unsetFields deletes fields that were set for a time that has passed.
func unsetFields(c *engine.Call, key []byte, o fieldOptions) {
	h := editHash(c, key)
	line := [][]byte{[]byte("HDEL"), key}
	for i := 0; i < len(o.pairs); i += 2 {
		h.Delete(o.pairs[i])
		line = append(line, o.pairs[i])
	}
	c.Changed(key, engine.HashFields.Removed())
	c.Propagate(line...)
}

// logFields journals HSETEX by its effect.
func logFields(c *engine.Call, key []byte, o fieldOptions) {
	if !c.Propagates() {
		return
	}
	line := [][]byte{[]byte("HSETEX"), key}
	switch {
	case o.dates:
		line = append(line, []byte("PXAT"), engine.Decimal(o.deadline))
	case o.keep:
		line = append(line, []byte("KEEPTTL"))
	}
	line = append(line, []byte("FIELDS"), engine.Decimal(int64(len(o.pairs)/2)))
	c.Propagate(append(line, o.pairs...)...)
}

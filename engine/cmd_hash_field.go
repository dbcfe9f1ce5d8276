package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Redis 8's commands that read or write fields and deal with their deadlines at once.

// fieldLines returns the lines of the hash family that this file has.
func fieldLines() []Command {
	return []Command{
		{Name: "hgetex", Arity: -5, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdHGetEx, Since: "8.0.0",
			Syntax:     "key [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST] <FIELDS numfields field...>",
			Summary:    "Returns the values of fields of a hash and sets or removes their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hsetex", Arity: -6, Flags: Write | DenyOOM | Fast, Keys: Key(1, "RW update"), Run: cmdHSetEx, Since: "8.0.0",
			Syntax:     "key [FNX|FXX] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL] <FIELDS numfields <field value>...>",
			Summary:    "Sets fields of a hash and their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hgetdel", Arity: -5, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdHGetDel, Since: "8.0.0",
			Syntax: "key <FIELDS numfields field...>", Summary: "Returns the values of fields of a hash and deletes them.",
			Complexity: "O(N), N being the number of fields named"},
	}
}

// tellValues replies with the values of fields, nil for those that are absent.
func (c *Call) tellValues(h *hash.Hash, fields [][]byte) {
	c.Reply.Array(len(fields))
	for _, field := range fields {
		c.tellValue(h, field)
	}
}

// editHash returns the hash at key for changing, an empty one that nobody writes to if the key is
// absent.
func (c *Call) editHash(key []byte) *hash.Hash {
	h, found := Edit[*hash.Hash](c, key)
	if !found {
		return &noHash
	}
	return h
}

// HGETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds |
// PERSIST] FIELDS numfields field [field ...]
func cmdHGetEx(c *Call) {
	key := c.Arg()
	h := c.editHash(key)
	deadline, dates := c.fieldTime()
	persist := !dates && c.Word("PERSIST")
	fields := c.named(ofHash, ErrElementsCount)
	if !c.OK() {
		return
	}
	c.tellValues(h, fields)
	switch {
	case dates:
		x := elementChanges{call: c, k: ofHash, key: key}
		for _, field := range fields {
			x.expire(h, field, deadline, expireConditions{})
		}
		x.report(deadline)
	case persist:
		c.persistFields(key, h, fields)
	}
}

// fieldTime moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds].
func (c *Call) fieldTime() (deadline int64, given bool) {
	for _, w := range expiryWords {
		if c.Word(w.word) {
			if !c.More() {
				c.Refuse(ErrFieldsNoTime)
			}
			return c.elementDeadline(w.unit), true
		}
	}
	return 0, false
}

// persistFields removes the deadlines of those fields that have one.
func (c *Call) persistFields(key []byte, h *hash.Hash, fields [][]byte) {
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
	c.Changed(key, ofHash.event("persist"))
	line[3] = Decimal(int64(len(line) - 4))
	c.Log(line...)
}

// HGETDEL key FIELDS numfields field [field ...]
func cmdHGetDel(c *Call) {
	key := c.Arg()
	h := c.editHash(key)
	fields := c.named(ofHash, ErrElementsCount)
	if !c.OK() {
		return
	}
	deleted := [][]byte{[]byte("HDEL"), key}
	c.Reply.Array(len(fields))
	for _, field := range fields {
		c.tellValue(h, field)
		if h.Delete(field) {
			deleted = append(deleted, field)
		}
	}
	if len(deleted) > 2 {
		c.Changed(key, "hhdel")
		c.Log(deleted...)
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
func cmdHSetEx(c *Call) {
	key := c.Arg()
	o := c.parseFieldOptions()
	if !c.OK() {
		return
	}
	h, found := Edit[*hash.Hash](c, key)
	switch {
	case !c.OK():
		return
	case !found && o.fxx, found && !o.allow(h):
		c.Reply.Int(0)
		return
	case !found:
		h = c.DB.Create(key, keyspace.Hash).(*hash.Hash)
	}
	c.setFieldsUntil(key, h, o)
	c.Reply.Int(1)
}

// parseFieldOptions reads HSETEX's arguments behind the key.
func (c *Call) parseFieldOptions() (o fieldOptions) {
	for c.More() {
		deadline, given, keep := int64(0), false, false
		if c.Word("FIELDS") {
			o.pairs = c.fieldPairs()
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
			if deadline, given = c.fieldTime(); !given {
				c.Refusef(ErrFieldsOption, c.Arg())
			}
		}
		if o.fnx && o.fxx {
			c.Refuse(ErrFieldsOne)
		}
		if given && (o.keep || o.dates) {
			c.Refuse(ErrFieldsTime)
		}
		if given {
			o.deadline, o.dates, o.keep = deadline, !keep, keep
		}
	}
	c.Refusef(ErrArity, c.Cmd.FullName())
	return o
}

// fieldPairs reads numfields field value [field value ...] up to the end.
func (c *Call) fieldPairs() [][]byte {
	if c.Left() < 3 {
		c.Refusef(ErrArity, c.Cmd.FullName())
		return nil
	}
	n, ok := resp.ParseInt(c.Arg())
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		c.Refuse(ErrFieldsNumber)
	case 2*n != int64(c.Left()):
		c.Refusef(ErrArity, c.Cmd.FullName())
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
func (c *Call) setFieldsUntil(key []byte, h *hash.Hash, o fieldOptions) {
	for i := 0; i < len(o.pairs); i += 2 {
		if o.keep {
			h.Update(o.pairs[i], o.pairs[i+1], c.Engine.Config.Hash)
		} else {
			h.Set(o.pairs[i], o.pairs[i+1], c.Engine.Config.Hash)
		}
	}
	if o.dates && o.deadline <= c.Now() && !c.Engine.Keyspace.Replaying {
		c.Changed(key, "hhset")
		c.unsetFields(key, o)
		return
	}
	for i := 0; i < len(o.pairs) && o.dates; i += 2 {
		h.SetDeadline(o.pairs[i], max(o.deadline, 1), c.Dice())
	}
	c.Changed(key, "hhset")
	if o.dates {
		c.Changed(key, ofHash.event("expire"))
		c.Engine.due(o.deadline)
	}
	c.logFields(key, o)
}

// unsetFields deletes fields that were set for a time that has passed.
func (c *Call) unsetFields(key []byte, o fieldOptions) {
	h := c.editHash(key)
	line := [][]byte{[]byte("HDEL"), key}
	for i := 0; i < len(o.pairs); i += 2 {
		h.Delete(o.pairs[i])
		line = append(line, o.pairs[i])
	}
	c.Changed(key, ofHash.removed())
	c.Log(line...)
}

// logFields journals HSETEX by its effect.
func (c *Call) logFields(key []byte, o fieldOptions) {
	if !c.Propagates() {
		return
	}
	line := [][]byte{[]byte("HSETEX"), key}
	switch {
	case o.dates:
		line = append(line, []byte("PXAT"), Decimal(o.deadline))
	case o.keep:
		line = append(line, []byte("KEEPTTL"))
	}
	line = append(line, []byte("FIELDS"), Decimal(int64(len(o.pairs)/2)))
	c.Log(append(line, o.pairs...)...)
}

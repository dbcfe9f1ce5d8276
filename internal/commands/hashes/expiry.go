package hashes

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Redis 8's commands that read or write fields together with their deadlines.

// expiryLines returns the lines of this file's commands.
func expiryLines() []command.Line {
	return []command.Line{
		{Name: "hgetex", Arity: -5, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access update"),
			Run: cmdHGetEx, Reply: "texts?", Since: "8.0.0 valkey:9.0.0", Was: []command.Was{elements.CountsByKey},
			Syntax: "key expiration=[EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT " +
				"unix-time-milliseconds|PERSIST] <FIELDS numfields field...>",
			Summary:    "Returns the values of fields of a hash and sets or removes their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hsetex", Arity: -6, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW update"), Run: cmdHSetEx, Reply: "integer", Since: "8.0.0 valkey:9.0.0",
			Was: []command.Was{elements.CountsByKey, {Before: release.NoValkey, Edit: hsetexInValkey}},
			Syntax: "key condition=[FNX|FXX] expiration=[EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT " +
				"unix-time-milliseconds|KEEPTTL] <FIELDS numfields data=<field value>...>",
			Summary:    "Sets fields of a hash and their expiration time.",
			Complexity: "O(N), N being the number of fields named"},
		{Name: "hgetdel", Arity: -5, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
			Run: cmdHGetDel, Reply: "texts?", Since: "8.0.0 valkey:9.1.0", Was: []command.Was{elements.CountsByKey},
			Syntax:     "key <FIELDS numfields field...>",
			Summary:    "Returns the values of fields of a hash and deletes them.",
			Complexity: "O(N), N being the number of fields named"},
	}
}

// hsetexInValkey is the line of HSETEX there.
func hsetexInValkey(line *command.Line) {
	command.Writes("condition=[FNX|FXX]", "key-condition=[NX|XX] fields-condition=[FNX|FXX]")(line)
	command.HasKeys(command.Key(1, "RW insert"))(line)
}

// replyValues replies with the values of fields, nil for those that are absent.
func replyValues(c *engine.Call, h *hash.Hash, fields [][]byte) {
	c.Reply.Array(len(fields))
	for _, field := range fields {
		replyValue(c, h, field)
	}
}

// editHash returns the hash at key for changing, noHash if the key is absent. Callers set no fields
// in it.
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
	h, o := hashAndGetExOptions(c, key)
	if !c.OK() {
		return
	}
	if o.given {
		replyAndExpire(c, key, h, o)
		return
	}
	replyValues(c, h, o.fields)
	if o.persist {
		persistFields(c, key, h, o)
	}
}

// hashAndGetExOptions returns the hash of HGETEX and reads the arguments after the key. Valkey
// looks at the hash in between.
func hashAndGetExOptions(c *engine.Call, key []byte) (h *hash.Hash, o fieldOptions) {
	if elements.AsValkey(c, Type.Elements) {
		o.parseAsValkey(c, 1)
		h = editHash(c, key)
		o.parseTime(c)
		return h, o
	}
	h = editHash(c, key)
	return h, parseGetExOptions(c)
}

// parseGetExOptions reads the arguments of HGETEX after the key.
func parseGetExOptions(c *engine.Call) (o fieldOptions) {
	if c.Has(elements.AnyOrder) {
		o.parse(c, 1)
		if o.fnx || o.fxx || o.keepTTL {
			c.Refuse(errFieldsUnknown)
		}
		return o
	}
	o.deadline, o.given = fieldDeadline(c)
	o.persist = !o.given && c.Word("PERSIST")
	o.word = c.Pos()
	o.fields = elements.ParseNames(c, Type.Elements, engine.ErrElementsCount)
	return o
}

// replyAndExpire replies with the value of each field and then gives it a deadline: if that has
// passed, the field is absent where it is named again.
func replyAndExpire(c *engine.Call, key []byte, h *hash.Hash, o fieldOptions) {
	x := elements.Expiration{Call: c, Kind: Type.Elements, Key: key, Deadline: o.deadline,
		Head: [][]byte{[]byte("HPEXPIREAT"), key, resp.Decimal(o.deadline), o.fieldsWord(c)}}
	if !elements.AsValkey(c, Type.Elements) {
		x.Named = o.fields
	}
	c.Reply.Array(len(o.fields))
	elements.ExpectDeadlines(c, Type.Elements, h)
	for _, field := range o.fields {
		replyValue(c, h, field)
		x.Expire(h, field)
	}
	x.Report()
}

// fieldDeadline reads [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds]. given is false if there is none of them.
func fieldDeadline(c *engine.Call) (deadline int64, given bool) {
	u, given := deadlineWord(c)
	if !given {
		return 0, false
	}
	return timeArg(c, u), true
}

// deadlineWord moves past [EX | PX | EXAT | PXAT] and returns the unit; given is false if it is
// none of them.
func deadlineWord(c *engine.Call) (u elements.Unit, given bool) {
	for _, w := range elements.ExpiryWords {
		if c.Word(w.Word) {
			return w.Unit, true
		}
	}
	return u, false
}

// timeArg reads the time behind such a word as a deadline.
func timeArg(c *engine.Call, u elements.Unit) int64 {
	if !c.More() {
		c.Refuse(errFieldsNoTime)
	}
	return elements.Deadline(c, u)
}

// persistFields removes the deadlines of fields. If one had a deadline, it propagates the HPERSIST
// of all.
func persistFields(c *engine.Call, key []byte, h *hash.Hash, o fieldOptions) {
	var persisted [][]byte
	elements.ExpectDeadlines(c, Type.Elements, h)
	for _, field := range o.fields {
		if deadline, _ := h.Deadline(field); deadline != 0 {
			h.SetDeadline(field, 0, nil)
			persisted = append(persisted, field)
		}
	}
	if len(persisted) == 0 {
		c.DB.Commit(key)
		return
	}
	named := o.fields
	if elements.AsValkey(c, Type.Elements) {
		named = persisted
	}
	c.Changed(key, Type.Elements.Persist, persisted...)
	c.AddChanges(len(persisted) - 1)
	c.PropagateAs(append([][]byte{[]byte("HPERSIST"), key, o.fieldsWord(c), resp.Decimal(int64(len(named)))},
		named...)...)
}

// writesFields is when HGETEX began to be propagated with a FIELDS of the server's own.
var writesFields = release.From("8.6.0 valkey:9.0.0")

// fieldsWord returns the word FIELDS as HGETEX is propagated.
func (o *fieldOptions) fieldsWord(c *engine.Call) []byte {
	if c.Has(writesFields) {
		return []byte("FIELDS")
	}
	return c.Args[o.word]
}

// HGETDEL key FIELDS numfields field [field ...]
func cmdHGetDel(c *engine.Call) {
	key, v, fields := elements.KeyAndNames(c, Type.Elements, true, elements.ErrNumFields)
	if !c.OK() {
		return
	}
	h, found := v.(*hash.Hash)
	if !found {
		h = &noHash
	}
	var deleted [][]byte
	c.Reply.Array(len(fields))
	for _, field := range fields {
		replyValue(c, h, field)
		if h.Delete(field) {
			deleted = append(deleted, field)
		}
	}
	if len(deleted) > 0 {
		c.Changed(key, event.Hash("hdel"), deleted...)
		c.AddChanges(len(deleted) - 1)
		if c.Propagates() && !elements.AsValkey(c, Type.Elements) {
			c.PropagateAs(append([][]byte{[]byte("HDEL"), key}, fields...)...)
		}
	}
}

// fieldOptions are the arguments of HGETEX and HSETEX after the key.
type fieldOptions struct {
	nx, xx   bool // the key's, in Valkey
	fnx, fxx bool
	keepTTL  bool
	persist  bool
	given    bool // a deadline
	deadline int64
	at       int             // position of the word that gives it
	expiry   elements.Expiry // Valkey's: what deadline, persist and keepTTL come from
	word     int             // position of FIELDS
	fields   [][]byte        // HSETEX: field value ...
}

// parse reads the options of both commands and the fields, per arguments for each, in any order.
func (o *fieldOptions) parse(c *engine.Call, per int) {
	l := elements.Clause{Kind: Type.Elements, Per: per, Least: 1, Arity: true, BadCount: errFieldsNumber}
	l.Parse(c, func() bool { return o.parseCondition(c) || o.parseExpiry(c, per) })
	o.fields, o.word = l.List, l.At
}

// parseCondition moves past [FNX | FXX] and reports whether it did.
func (o *fieldOptions) parseCondition(c *engine.Call) bool {
	had := o.fnx || o.fxx
	switch {
	case c.Word("FNX"):
		o.fnx = true
	case c.Word("FXX"):
		o.fxx = true
	default:
		return false
	}
	if had {
		c.Refuse(errFieldsOne)
	}
	return true
}

// parseExpiry moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds | KEEPTTL | PERSIST] and reports whether it did. KEEPTTL beside PERSIST is
// refused later, since no command has both.
func (o *fieldOptions) parseExpiry(c *engine.Call, per int) bool {
	at, had := c.Pos(), o.given
	switch u, given := deadlineWord(c); {
	case given:
		o.refuseSecond(c, had || o.keepTTL || o.persist, per)
		o.deadline, o.given, o.at = timeArg(c, u), true, at
	case c.Word("KEEPTTL"):
		o.refuseSecond(c, had || o.keepTTL, per)
		o.keepTTL = true
	case c.Word("PERSIST"):
		o.refuseSecond(c, had || o.persist, per)
		o.persist = true
	default:
		return false
	}
	return true
}

// refuseSecond latches the error for a second option of which there may be one, if there was one.
func (o *fieldOptions) refuseSecond(c *engine.Call, had bool, per int) {
	switch {
	case had && per == 1:
		c.Refuse(errFieldsPersist)
	case had:
		c.Refuse(errFieldsTime)
	}
}

// HSETEX key [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds | KEEPTTL] FIELDS numfields field value [field value ...]
func cmdHSetEx(c *engine.Call) {
	key := c.Arg()
	h, found, o := hashAndSetExOptions(c, key)
	switch {
	case !c.OK():
		return
	case found && o.nx, !found && o.xx, !found && o.fxx, found && !o.allow(h):
		c.Reply.Int(0)
		return
	case !found:
		h = c.DB.Create(key, keyspace.Hash).(*hash.Hash)
	}
	setFieldsUntil(c, key, h, o)
	c.Reply.Int(1)
}

// hashAndSetExOptions reads the arguments of HSETEX after the key, and returns the hash. Valkey
// looks at the time last, unless NX or XX has been decided.
func hashAndSetExOptions(c *engine.Call, key []byte) (h *hash.Hash, found bool, o fieldOptions) {
	if !elements.AsValkey(c, Type.Elements) {
		if o = parseSetExOptions(c); !c.Failed() {
			h, found = engine.Edit[*hash.Hash](c, key)
		}
		return h, found, o
	}
	if o.parseAsValkey(c, 2); c.Failed() {
		return nil, false, o
	}
	h, found = engine.Edit[*hash.Hash](c, key)
	if !(found && o.nx || !found && o.xx) {
		o.parseTime(c)
	}
	return h, found, o
}

// parseSetExOptions reads the arguments of HSETEX after the key.
func parseSetExOptions(c *engine.Call) (o fieldOptions) {
	if c.Has(elements.AnyOrder) {
		o.parse(c, 2)
		if o.persist {
			c.Refuse(errFieldsUnknown)
		}
		return o
	}
	conditions, expiries := 0, 0 // expiries are deadlines and KEEPTTL
	for c.More() {
		if c.Word("FIELDS") {
			o.fields = fieldPairs(c)
			return o
		}
		switch {
		case c.Word("FNX"):
			o.fnx = true
			conditions++
		case c.Word("FXX"):
			o.fxx = true
			conditions++
		case c.Word("KEEPTTL"):
			o.keepTTL = true
			expiries++
		default:
			o.at = c.Pos()
			if o.deadline, o.given = fieldDeadline(c); !o.given {
				c.Refusef(errFieldsOption, c.Arg())
			}
			expiries++
		}
		if conditions > 1 {
			c.Refuse(errFieldsOne)
		}
		if expiries > 1 {
			c.Refuse(errFieldsTime)
		}
	}
	c.Refusef(command.ErrArity, c.Cmd.FullName())
	return o
}

// fieldPairs reads numfields field value [field value ...] up to the end.
func fieldPairs(c *engine.Call) [][]byte {
	if c.Left() < 3 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return nil
	}
	n, ok := resp.ParseInt(c.Arg())
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		c.Refuse(errFieldsNumber)
	case 2*n != int64(c.Left()):
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	return c.Rest()
}

// allow reports whether the conditions hold: FXX if all fields exist, FNX if no field exists.
func (o *fieldOptions) allow(h *hash.Hash) bool {
	for i := 0; i < len(o.fields) && (o.fnx || o.fxx); i += 2 {
		if h.Has(o.fields[i]) != o.fxx {
			return false
		}
	}
	return true
}

// setFieldsUntil sets fields and their deadlines.
func setFieldsUntil(c *engine.Call, key []byte, h *hash.Hash, o fieldOptions) {
	for i := 0; i < len(o.fields); i += 2 {
		if o.keepTTL {
			h.Update(o.fields[i], o.fields[i+1], c.World.HashLimits())
		} else {
			h.Set(o.fields[i], o.fields[i+1], c.World.HashLimits())
		}
	}
	if o.given {
		elements.ExpectDeadlines(c, Type.Elements, h)
	}
	// A deadline in a journal was ahead when it was written: the fields are set, and expire.
	if o.given && o.deadline <= c.Now() && !c.World.Keyspace.Replaying {
		c.Changed(key, event.Hash("hset"), fieldsOf(c, o.fields)...)
		if elements.AsValkey(c, Type.Elements) {
			c.Changed(key, Type.Elements.Expire, fieldsOf(c, o.fields)...)
		}
		deleteSetFields(c, key, o)
		return
	}
	for i := 0; i < len(o.fields) && o.given; i += 2 {
		Type.Elements.Expect(c, h)
		h.SetDeadline(o.fields[i], max(o.deadline, 1), c.Dice()) // 0 stands for no deadline
	}
	c.Changed(key, event.Hash("hset"), fieldsOf(c, o.fields)...)
	if o.given {
		c.Changed(key, Type.Elements.Expire, fieldsOf(c, o.fields)...)
		c.AddChanges(-1)
		c.World.TickBy(o.deadline)
	}
	c.AddChanges(len(o.fields)/2 - 1)
	switch {
	case !c.Propagates():
	case elements.AsValkey(c, Type.Elements):
		c.PropagateAs(o.asSet(c)...)
	case o.given && !command.IsWord(c.Args[o.at], "PXAT"):
		line := slices.Clone(c.Args)
		line[o.at], line[o.at+1] = []byte("PXAT"), resp.Decimal(o.deadline)
		c.PropagateAs(line...)
	}
}

// deleteSetFields deletes fields that were set with a deadline that has passed.
func deleteSetFields(c *engine.Call, key []byte, o fieldOptions) {
	h := editHash(c, key) // the earlier view ended with Changed
	var fields [][]byte
	for i := 0; i < len(o.fields); i += 2 {
		h.Delete(o.fields[i])
		fields = append(fields, o.fields[i])
	}
	elements.PropagateRemoval(c, Type.Elements, key, fields)
	c.Changed(key, elements.RemovedByDeadline(c, Type.Elements), fieldsOf(c, o.fields)...)
	c.AddChanges(len(o.fields)/2 - 2)
}

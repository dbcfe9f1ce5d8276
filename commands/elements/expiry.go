package elements

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands on deadlines of elements: Redis' nine for the fields of hashes, and the same nine,
// letter for letter, for members of sets and sorted sets and for elements of lists. An element of a
// list is named by its text, and a command means all that have it.

// lines returns the nine lines of a kind's family.
func Lines(k engine.ElementKind, since string) []engine.Command {
	what := map[keyspace.Type]string{keyspace.Hash: "fields of a hash", keyspace.Set: "members of a set",
		keyspace.ZSet: "members of a sorted set", keyspace.List: "elements of a list"}[k.Type]
	elements := " <" + k.Word + " num" + k.Noun + " " + strings.TrimSuffix(k.Noun, "s") + "...>"
	const named = "O(N), N being the number of elements named"
	set := func(name string, u Unit, deadline, how string) engine.Command {
		return engine.Command{Name: k.Letter + name, Arity: -6, Flags: engine.Write | engine.DenyOOM | engine.Fast, Keys: engine.Key(1, "RW update"), Since: since,
			Syntax:  "key " + deadline + " [NX|XX|GT|LT]" + elements,
			Summary: "Sets the expiration time of " + what + " " + how + ".", Complexity: named,
			Run: func(c *engine.Call) { expireElements(c, k, u) }}
	}
	ask := func(name string, absolute bool, count func(ms int64) int64, how string) engine.Command {
		return engine.Command{Name: k.Letter + name, Arity: -5, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Since: since,
			Syntax: "key" + elements, Summary: "Returns the expiration time of " + what + " " + how + ".", Complexity: named,
			Run: func(c *engine.Call) { replyElementDeadlines(c, k, absolute, count) }}
	}
	return []engine.Command{
		set("expire", InSeconds, "seconds", "in seconds"),
		set("pexpire", InMillis, "milliseconds", "in milliseconds"),
		set("expireat", AtSeconds, "unix-time-seconds", "to a Unix timestamp"),
		set("pexpireat", AtMillis, "unix-time-milliseconds", "to a Unix milliseconds timestamp"),
		ask("ttl", false, SecondsUp, "in seconds"),
		ask("pttl", false, Millis, "in milliseconds"),
		ask("expiretime", true, SecondsUp, "as a Unix timestamp"),
		ask("pexpiretime", true, Millis, "as a Unix milliseconds timestamp"),
		{Name: k.Letter + "persist", Arity: -5, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Since: since,
			Syntax: "key" + elements, Summary: "Removes the expiration time of " + what + ".", Complexity: named,
			Run: func(c *engine.Call) { persistElements(c, k) }},
	}
}

// What became of an element, as commands tell it.
const (
	Absent           = -2
	NoTTL            = -1
	elementRefused   = 0 // by a condition
	elementExpirySet = 1
	elementDeleted   = 2 // the time has passed
)

// collection returns the value at key, to be changed if it is for editing; nil if it is absent.
// A value of another kind latches ErrWrongType.
func Collection(c *engine.Call, key []byte, k engine.ElementKind, edits bool) keyspace.Collection {
	var v keyspace.Value
	if edits {
		v, _ = c.DB.Edit(key)
	} else {
		var found bool
		v, found = c.DB.Find(key)
		c.CountLookup(key, found)
	}
	if v == nil {
		return nil
	}
	if v.Type() != k.Type {
		c.Refuse(engine.ErrWrongType)
		return nil
	}
	return v.(keyspace.Collection)
}

// named reads FIELDS numfields field [field ...] up to the end. A number that is none, or not positive,
// latches one of two errors.
func Named(c *engine.Call, k engine.ElementKind, notPositive string) [][]byte {
	if !c.Word(k.Word) {
		c.Refusef(errElementsWord, k.Word)
	}
	if c.Failed() {
		return nil
	}
	if c.Left() == 0 {
		c.Refusef(engine.ErrArity, c.Cmd.FullName())
	}
	switch n, ok := resp.ParseInt(c.Arg()); {
	case (!ok || n < 1) && notPositive == errElementsZero:
		c.Refusef(notPositive, k.Word[:1]+k.Noun[1:])
	case !ok || n < 1:
		c.Refusef(notPositive, k.Noun)
	case n != int64(c.Left()):
		c.Refusef(errElementsMatch, k.Noun)
	}
	return c.Rest()
}

// elementDeadline reads the next argument as an element's deadline.
func ElementDeadline(c *engine.Call, u Unit) int64 {
	n := c.Int()
	if n < 0 {
		c.Refuse(errNegativeExpire)
	}
	if c.Failed() {
		return 0
	}
	ms, ok := u.millis(n, c.Now())
	if !ok || ms > keyspace.MaxElementDeadline {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
	}
	return ms
}

// elementCondition moves past [NX | XX | GT | LT], of which there is one at most.
func elementCondition(c *engine.Call) (on ExpireConditions) {
	switch {
	case c.Word("NX"):
		on.nx = true
	case c.Word("XX"):
		on.xx = true
	case c.Word("GT"):
		on.gt = true
	case c.Word("LT"):
		on.lt = true
	}
	return on
}

// HEXPIRE key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]
// and its kin.
func expireElements(c *engine.Call, k engine.ElementKind, u Unit) {
	key := c.Arg()
	v := Collection(c, key, k, true)
	deadline := ElementDeadline(c, u)
	on := elementCondition(c)
	if l, ok := v.(*list.List); ok && u == AtMillis && c.Word("INDEXES") {
		expireIndexes(c, key, l, deadline)
		return
	}
	elements := Named(c, k, errElementsZero)
	if c.OK() {
		ExpireEach(c, key, v, k, deadline, on, elements)
	}
}

// expireEach gives elements a deadline and replies with a code for each. v is nil if the key is absent.
func ExpireEach(c *engine.Call, key []byte, v keyspace.Collection, k engine.ElementKind, deadline int64, on ExpireConditions, elements [][]byte) {
	x := Changes{Call: c, K: k, Key: key}
	c.Reply.Array(len(elements))
	for _, e := range elements {
		code := Absent
		if v != nil {
			code = x.Expire(v, e, deadline, on)
		}
		c.Reply.Int(int64(code))
	}
	x.Report(deadline)
}

// elementChanges collects what a command did to elements of a key.
type Changes struct {
	Call        *engine.Call
	K           engine.ElementKind
	Key         []byte
	set, lost   int      // elements that got a deadline, and that are gone
	dated, gone [][]byte // for the journal, if there is one
}

// expire gives an element a deadline and returns the code for it. One that has passed removes the
// element, unless the deadline is a journal's, as for keys.
func (x *Changes) Expire(v keyspace.Collection, element []byte, deadline int64, on ExpireConditions) (code int) {
	c := x.Call
	old, ok := v.Deadline(element)
	switch {
	case !ok:
		return Absent
	case !on.Allow(old, deadline):
		return elementRefused
	case deadline <= c.Now() && !c.Engine.Keyspace.Replaying:
		v.Discard(element)
		x.lost++
		if c.Propagates() {
			x.gone = append(x.gone, element)
		}
		return elementDeleted
	}
	v.SetDeadline(element, max(deadline, 1), c.Dice())
	x.set++
	if c.Propagates() {
		x.dated = append(x.dated, element)
	}
	return elementExpirySet
}

// report reports the changes, and journals them by absolute time and by name.
func (x *Changes) Report(deadline int64) {
	switch {
	case x.lost > 0:
		x.Call.Changed(x.Key, x.K.Removed())
	case x.set > 0:
		x.Call.Changed(x.Key, x.K.Event("expire"))
	}
	if x.set > 0 {
		x.Call.Engine.TickBy(deadline)
	}
	if len(x.dated) > 0 {
		LogElements(x.Call, x.K, strings.ToUpper(x.K.Letter)+"PEXPIREAT", x.Key, deadline, x.dated)
	}
	if len(x.gone) > 0 {
		logDiscarded(x.Call, x.K, x.Key, x.gone)
	}
}

// logElements journals a command that gives elements a deadline.
func LogElements(c *engine.Call, k engine.ElementKind, name string, key []byte, deadline int64, elements [][]byte) {
	line := [][]byte{[]byte(name), key, engine.Decimal(deadline), []byte(k.Word), engine.Decimal(int64(len(elements)))}
	c.Propagate(append(line, elements...)...)
}

// logDiscarded journals that elements were removed.
func logDiscarded(c *engine.Call, k engine.ElementKind, key []byte, elements [][]byte) {
	if k.Type != keyspace.List {
		c.Propagate(append([][]byte{[]byte(k.Removal), key}, elements...)...)
		return
	}
	for _, e := range elements {
		c.Propagate([]byte(k.Removal), key, []byte("0"), e)
	}
}

// LPEXPIREAT key unix-time-milliseconds INDEXES numindexes index [index ...]
//
// It tells elements of the same text apart, for who restores a list. A time that has passed makes them
// due.
func expireIndexes(c *engine.Call, key []byte, l *list.List, deadline int64) {
	n := c.IntIn(1, math.MaxInt64, engine.ErrNotPositive)
	if !c.Failed() && n != int64(c.Left()) {
		c.Refusef(errElementsMatch, "indexes")
	}
	indexes := make([]int, 0, c.Left())
	for c.More() {
		i := c.IntIn(math.MinInt32, math.MaxInt32, engine.ErrNotInt)
		if i < 0 {
			i += int64(l.Len())
		}
		if i < 0 || i >= int64(l.Len()) {
			c.Refuse(engine.ErrIndex)
		}
		indexes = append(indexes, int(i))
	}
	if !c.OK() {
		return
	}
	for _, i := range indexes {
		l.SetDeadlineAt(i, max(deadline, 1))
	}
	c.Changed(key, "llexpire")
	c.Engine.TickBy(deadline)
	c.Reply.Array(len(indexes))
	for range indexes {
		c.Reply.Int(elementExpirySet)
	}
}

// HTTL key FIELDS numfields field [field ...]
// and its kin.
func replyElementDeadlines(c *engine.Call, k engine.ElementKind, absolute bool, count func(ms int64) int64) {
	v := Collection(c, c.Arg(), k, false)
	elements := Named(c, k, engine.ErrElementsCount)
	if !c.OK() {
		return
	}
	from := c.Now()
	if absolute {
		from = 0
	}
	c.Reply.Array(len(elements))
	for _, e := range elements {
		c.Reply.Int(TTL(v, e, from, count))
	}
}

// elementTime returns an element's deadline counted from a time, or the code for none.
func TTL(v keyspace.Collection, element []byte, from int64, count func(ms int64) int64) int64 {
	if v == nil {
		return Absent
	}
	deadline, ok := v.Deadline(element)
	switch {
	case !ok:
		return Absent
	case deadline == 0:
		return NoTTL
	}
	return count(deadline - from)
}

// HPERSIST key FIELDS numfields field [field ...]
// and its kin.
func persistElements(c *engine.Call, k engine.ElementKind) {
	key := c.Arg()
	v := Collection(c, key, k, true)
	elements := Named(c, k, engine.ErrElementsCount)
	if !c.OK() {
		return
	}
	changed := false
	c.Reply.Array(len(elements))
	for _, e := range elements {
		code := TTL(v, e, 0, func(int64) int64 { return elementExpirySet })
		if code == elementExpirySet {
			v.SetDeadline(e, 0, c.Dice())
			changed = true
		}
		c.Reply.Int(code)
	}
	if changed {
		c.Changed(key, k.Event("persist"))
	}
}

// LAPSE key unix-time-milliseconds
//
// It removes the elements that were due at a time, and returns how many. Whatever is due now is gone
// before anybody looks, so it finds nothing unless a journal is replayed, which has this line in place
// of elements that it cannot name.
func ExpireAsOf(c *engine.Call) {
	key := c.Arg()
	until, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Refuse(engine.ErrNotInt)
	}
	v, found := c.DB.Edit(key)
	collection, ok := v.(keyspace.Collection)
	if found && !ok {
		c.Refuse(engine.ErrWrongType)
	}
	if !c.OK() {
		return
	}
	removed := 0
	if found && c.Engine.Keyspace.Replaying {
		removed = collection.Expire(until, math.MaxInt, nil)
	}
	if removed > 0 {
		c.Changed(key, "")
	}
	c.Reply.Int(int64(removed))
}

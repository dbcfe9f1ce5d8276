package engine

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands on deadlines of elements: Redis' nine for the fields of hashes, and the same nine,
// letter for letter, for members of sets and sorted sets and for elements of lists. An element of a
// list is named by its text, and a command means all that have it.

// lines returns the nine lines of a kind's family.
func (k kind) lines(since string) []Command {
	what := map[keyspace.Type]string{keyspace.Hash: "fields of a hash", keyspace.Set: "members of a set",
		keyspace.ZSet: "members of a sorted set", keyspace.List: "elements of a list"}[k.of]
	elements := " <" + k.word + " num" + k.noun + " " + strings.TrimSuffix(k.noun, "s") + "...>"
	const named = "O(N), N being the number of elements named"
	set := func(name string, u unit, deadline, how string) Command {
		return Command{Name: k.letter + name, Arity: -6, Flags: Write | DenyOOM | Fast, Keys: Key(1, "RW update"), Since: since,
			Syntax:  "key " + deadline + " [NX|XX|GT|LT]" + elements,
			Summary: "Sets the expiration time of " + what + " " + how + ".", Complexity: named,
			Run: func(c *Call) { c.expireElements(k, u) }}
	}
	ask := func(name string, absolute bool, count func(ms int64) int64, how string) Command {
		return Command{Name: k.letter + name, Arity: -5, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Since: since,
			Syntax: "key" + elements, Summary: "Returns the expiration time of " + what + " " + how + ".", Complexity: named,
			Run: func(c *Call) { c.tellElementDeadlines(k, absolute, count) }}
	}
	return []Command{
		set("expire", inSeconds, "seconds", "in seconds"),
		set("pexpire", inMillis, "milliseconds", "in milliseconds"),
		set("expireat", atSeconds, "unix-time-seconds", "to a Unix timestamp"),
		set("pexpireat", atMillis, "unix-time-milliseconds", "to a Unix milliseconds timestamp"),
		ask("ttl", false, secondsUp, "in seconds"),
		ask("pttl", false, millis, "in milliseconds"),
		ask("expiretime", true, secondsUp, "as a Unix timestamp"),
		ask("pexpiretime", true, millis, "as a Unix milliseconds timestamp"),
		{Name: k.letter + "persist", Arity: -5, Flags: Write | Fast, Keys: Key(1, "RW update"), Since: since,
			Syntax: "key" + elements, Summary: "Removes the expiration time of " + what + ".", Complexity: named,
			Run: func(c *Call) { c.persistElements(k) }},
	}
}

// What became of an element, as commands tell it.
const (
	elementAbsent  = -2
	elementNoTTL   = -1
	elementRefused = 0 // by a condition
	elementDated   = 1
	elementGone    = 2 // the time has passed
)

// collection returns the value at key, to be changed if it is for editing; nil if it is absent.
// A value of another kind latches ErrWrongType.
func (c *Call) collection(key []byte, k kind, edits bool) keyspace.Collection {
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
	if v.Type() != k.of {
		c.Refuse(ErrWrongType)
		return nil
	}
	return v.(keyspace.Collection)
}

// named reads FIELDS numfields field [field ...] up to the end. A number that is none, or not positive,
// latches one of two errors.
func (c *Call) named(k kind, notPositive string) [][]byte {
	if !c.Word(k.word) {
		c.Refusef(ErrElementsWord, k.word)
	}
	if c.Failed() {
		return nil
	}
	if c.Left() == 0 {
		c.Refusef(ErrArity, c.Cmd.FullName())
	}
	switch n, ok := resp.ParseInt(c.Arg()); {
	case (!ok || n < 1) && notPositive == ErrElementsZero:
		c.Refusef(notPositive, k.word[:1]+k.noun[1:])
	case !ok || n < 1:
		c.Refusef(notPositive, k.noun)
	case n != int64(c.Left()):
		c.Refusef(ErrElementsMatch, k.noun)
	}
	return c.Rest()
}

// elementDeadline reads the next argument as an element's deadline.
func (c *Call) elementDeadline(u unit) int64 {
	n := c.Int()
	if n < 0 {
		c.Refuse(ErrNegativeExpire)
	}
	if c.Failed() {
		return 0
	}
	ms, ok := u.millis(n, c.Now())
	if !ok || ms > keyspace.MaxElementDeadline {
		c.Refusef(ErrExpireTime, c.Cmd.FullName())
	}
	return ms
}

// elementCondition moves past [NX | XX | GT | LT], of which there is one at most.
func (c *Call) elementCondition() (on expireConditions) {
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
func (c *Call) expireElements(k kind, u unit) {
	key := c.Arg()
	v := c.collection(key, k, true)
	deadline := c.elementDeadline(u)
	on := c.elementCondition()
	if l, ok := v.(*list.List); ok && u == atMillis && c.Word("INDEXES") {
		c.expireIndexes(key, l, deadline)
		return
	}
	elements := c.named(k, ErrElementsZero)
	if c.OK() {
		c.expireEach(key, v, k, deadline, on, elements)
	}
}

// expireEach gives elements a deadline and replies with a code for each. v is nil if the key is absent.
func (c *Call) expireEach(key []byte, v keyspace.Collection, k kind, deadline int64, on expireConditions, elements [][]byte) {
	x := elementChanges{call: c, k: k, key: key}
	c.Reply.Array(len(elements))
	for _, e := range elements {
		code := elementAbsent
		if v != nil {
			code = x.expire(v, e, deadline, on)
		}
		c.Reply.Int(int64(code))
	}
	x.report(deadline)
}

// elementChanges collects what a command did to elements of a key.
type elementChanges struct {
	call        *Call
	k           kind
	key         []byte
	set, lost   int      // elements that got a deadline, and that are gone
	dated, gone [][]byte // for the journal, if there is one
}

// expire gives an element a deadline and returns the code for it. One that has passed removes the
// element, unless the deadline is a journal's, as for keys.
func (x *elementChanges) expire(v keyspace.Collection, element []byte, deadline int64, on expireConditions) (code int) {
	c := x.call
	old, ok := v.Deadline(element)
	switch {
	case !ok:
		return elementAbsent
	case !on.allow(old, deadline):
		return elementRefused
	case deadline <= c.Now() && !c.Engine.Keyspace.Replaying:
		v.Discard(element)
		x.lost++
		if c.Propagates() {
			x.gone = append(x.gone, element)
		}
		return elementGone
	}
	v.SetDeadline(element, max(deadline, 1), c.Dice())
	x.set++
	if c.Propagates() {
		x.dated = append(x.dated, element)
	}
	return elementDated
}

// report reports the changes, and journals them by absolute time and by name.
func (x *elementChanges) report(deadline int64) {
	switch {
	case x.lost > 0:
		x.call.Changed(x.key, x.k.removed())
	case x.set > 0:
		x.call.Changed(x.key, x.k.event("expire"))
	}
	if x.set > 0 {
		x.call.Engine.due(deadline)
	}
	if len(x.dated) > 0 {
		x.call.logElements(x.k, strings.ToUpper(x.k.letter)+"PEXPIREAT", x.key, deadline, x.dated)
	}
	if len(x.gone) > 0 {
		x.call.logDiscarded(x.k, x.key, x.gone)
	}
}

// logElements journals a command that gives elements a deadline.
func (c *Call) logElements(k kind, name string, key []byte, deadline int64, elements [][]byte) {
	line := [][]byte{[]byte(name), key, Decimal(deadline), []byte(k.word), Decimal(int64(len(elements)))}
	c.Log(append(line, elements...)...)
}

// logDiscarded journals that elements were removed.
func (c *Call) logDiscarded(k kind, key []byte, elements [][]byte) {
	if k.of != keyspace.List {
		c.Log(append([][]byte{[]byte(k.removal), key}, elements...)...)
		return
	}
	for _, e := range elements {
		c.Log([]byte(k.removal), key, []byte("0"), e)
	}
}

// LPEXPIREAT key unix-time-milliseconds INDEXES numindexes index [index ...]
//
// It tells elements of the same text apart, for who restores a list. A time that has passed makes them
// due.
func (c *Call) expireIndexes(key []byte, l *list.List, deadline int64) {
	n := c.IntIn(1, math.MaxInt64, ErrNotPositive)
	if !c.Failed() && n != int64(c.Left()) {
		c.Refusef(ErrElementsMatch, "indexes")
	}
	indexes := make([]int, 0, c.Left())
	for c.More() {
		i := c.IntIn(math.MinInt32, math.MaxInt32, ErrNotInt)
		if i < 0 {
			i += int64(l.Len())
		}
		if i < 0 || i >= int64(l.Len()) {
			c.Refuse(ErrIndex)
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
	c.Engine.due(deadline)
	c.Reply.Array(len(indexes))
	for range indexes {
		c.Reply.Int(elementDated)
	}
}

// HTTL key FIELDS numfields field [field ...]
// and its kin.
func (c *Call) tellElementDeadlines(k kind, absolute bool, count func(ms int64) int64) {
	v := c.collection(c.Arg(), k, false)
	elements := c.named(k, ErrElementsCount)
	if !c.OK() {
		return
	}
	from := c.Now()
	if absolute {
		from = 0
	}
	c.Reply.Array(len(elements))
	for _, e := range elements {
		c.Reply.Int(elementTime(v, e, from, count))
	}
}

// elementTime returns an element's deadline counted from a time, or the code for none.
func elementTime(v keyspace.Collection, element []byte, from int64, count func(ms int64) int64) int64 {
	if v == nil {
		return elementAbsent
	}
	deadline, ok := v.Deadline(element)
	switch {
	case !ok:
		return elementAbsent
	case deadline == 0:
		return elementNoTTL
	}
	return count(deadline - from)
}

// HPERSIST key FIELDS numfields field [field ...]
// and its kin.
func (c *Call) persistElements(k kind) {
	key := c.Arg()
	v := c.collection(key, k, true)
	elements := c.named(k, ErrElementsCount)
	if !c.OK() {
		return
	}
	changed := false
	c.Reply.Array(len(elements))
	for _, e := range elements {
		code := elementTime(v, e, 0, func(int64) int64 { return elementDated })
		if code == elementDated {
			v.SetDeadline(e, 0, c.Dice())
			changed = true
		}
		c.Reply.Int(code)
	}
	if changed {
		c.Changed(key, k.event("persist"))
	}
}

// LAPSE key unix-time-milliseconds
//
// It removes the elements that were due at a time, and returns how many. Whatever is due now is gone
// before anybody looks, so it finds nothing unless a journal is replayed, which has this line in place
// of elements that it cannot name.
func cmdLapse(c *Call) {
	key := c.Arg()
	until, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Refuse(ErrNotInt)
	}
	v, found := c.DB.Edit(key)
	collection, ok := v.(keyspace.Collection)
	if found && !ok {
		c.Refuse(ErrWrongType)
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

package elements

import (
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// The commands on deadlines of elements: Redis' nine for fields of hashes, and the same nine with
// the same syntax for members of sets and sorted sets and for elements of lists. A list's element
// is named by its text, and a command applies to all elements with that text.

// ExpiryLines returns the lines of the nine commands of a kind: HEXPIRE, HPEXPIRE, HEXPIREAT,
// HPEXPIREAT, HTTL, HPTTL, HEXPIRETIME, HPEXPIRETIME and HPERSIST for fields of hashes.
func ExpiryLines(k *engine.Elements, since string) []command.Line {
	elements := " <" + k.Word + " num" + k.Noun + " " + strings.TrimSuffix(k.Noun, "s") + "...>"
	const complexity = "O(N), N being the number of elements named"
	set := func(name string, u Unit, deadline, how string) command.Line {
		return command.Line{Name: k.Letter + name, Arity: -6, Flags: command.Write | command.Fast,
			Keys: command.Key(1, "RW update"), Reply: "integers", Since: since, Was: deniedOOM(k, name, deadline),
			Syntax: "key " + deadline + " condition=[NX|XX|GT|LT]" + elements, Summary: "Sets the expiration time of " +
				k.What + " " + how + ".", Complexity: complexity, Run: func(c *engine.Call) { expireElements(c, k, u) }}
	}
	get := func(name string, u Unit, how string) command.Line {
		tips := "nondeterministic_output"
		if u.absolute {
			tips = ""
		}
		return command.Line{Name: k.Letter + name, Arity: -5, Flags: command.ReadOnly | command.Fast,
			Keys: command.Key(1, "RO access"), Reply: "integers", Since: since, Tips: tips,
			Was: append(inValkey(k), withoutTips), Syntax: "key" + elements,
			Summary: "Returns the expiration time of " + k.What + " " + how + ".", Complexity: complexity,
			Run: func(c *engine.Call) { replyDeadlines(c, k, u) }}
	}
	return []command.Line{
		set("expire", InSeconds, "seconds", "in seconds"),
		set("pexpire", InMillis, "milliseconds", "in milliseconds"),
		set("expireat", AtSeconds, "unix-time-seconds", "to a Unix timestamp"),
		set("pexpireat", AtMillis, "unix-time-milliseconds", "to a Unix milliseconds timestamp"),
		get("ttl", InSeconds, "in seconds"),
		get("pttl", InMillis, "in milliseconds"),
		get("expiretime", AtSeconds, "as a Unix timestamp"),
		get("pexpiretime", AtMillis, "as a Unix milliseconds timestamp"),
		{Name: k.Letter + "persist", Arity: -5, Flags: command.Write | command.Fast,
			Keys: command.Key(1, "RW update"), Reply: "integers", Since: since, Was: inValkey(k),
			Syntax: "key" + elements, Summary: "Removes the expiration time of " + k.What + ".", Complexity: complexity,
			Run: func(c *engine.Call) { persistElements(c, k) }},
	}
}

// deniedOOM is HEXPIRE when it was refused without memory, and what COMMAND DOCS of Valkey says of
// it.
func deniedOOM(k *engine.Elements, name, deadline string) []command.Was {
	list := []command.Was{command.Before("8.0.0 valkey:9.0.0", "+denyoom")}
	if !k.InValkey || name == "expire" {
		return list
	}
	return append(append(list, inValkey(k)...), command.Was{Before: release.NoValkey, Edit: func(cmd *command.Line) {
		command.Writes("[NX|XX|GT|LT]", "[NX|XX|GT|LT]@valkey:9.0.0")(cmd)
		command.Writes(deadline, deadline+":integer")(cmd)
	}})
}

// withoutTips is HTTL before it had any.
var withoutTips = command.Was{Before: "8.0.0", Edit: command.Advises("")}

// inValkey is a line about fields there: it says that the key finds their number.
func inValkey(k *engine.Elements) []command.Was {
	if !k.InValkey {
		return nil
	}
	return []command.Was{CountsByKey}
}

// CountsByKey is what Valkey says of numfields.
var CountsByKey = command.Was{Before: release.NoValkey, Edit: command.Writes(" numfields ", " numfields#0 ")}

// The codes with which commands reply for each element.
const (
	Absent      = -2
	NoDeadline  = -1
	codeRefused = 0 // by a condition
	codeSet     = 1 // or, for PERSIST, removed
	codeDeleted = 2 // the deadline has passed
)

// Collection returns the collection at key, which is to be changed if edits; nil if the key is
// absent. A value of another kind latches [engine.ErrWrongType].
func Collection(c *engine.Call, key []byte, k *engine.Elements, edits bool) keyspace.Collection {
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
	if c.Engine.Parts.Types.Of(v.Type()).Elements != k {
		c.Refuse(engine.ErrWrongType)
		return nil
	}
	return v.(keyspace.Collection)
}

// ParseNames reads FIELDS numfields field [field ...] up to the end. A number below one latches an
// error with the format notPositive: Redis has errElementsZero for commands that set deadlines and
// [engine.ErrElementsCount] for the others.
func ParseNames(c *engine.Call, k *engine.Elements, notPositive string) [][]byte {
	if !c.Word(k.Word) {
		c.Refusef(errElementsWord, k.Word)
	}
	if c.Failed() {
		return nil
	}
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
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

// Deadline reads the next argument as an element's deadline. Unlike a key's it must not be
// negative, nor beyond [keyspace.MaxElementDeadline].
func Deadline(c *engine.Call, u Unit) int64 {
	n := c.Int()
	if n < 0 {
		c.Refuse(errNegativeExpire)
	}
	if c.Failed() {
		return 0
	}
	ms, ok := u.millis(n, c)
	if !ok || ms > keyspace.MaxElementDeadline {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
	}
	return ms
}

// expireArgs are the arguments of HEXPIRE and its variants.
type expireArgs struct {
	key      []byte
	value    keyspace.Collection // nil if the key is absent
	deadline int64
	on       ExpireConditions
	names    [][]byte
	at       int // position of the word before their number
}

// HEXPIRE key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...], and its variants
func expireElements(c *engine.Call, k *engine.Elements, u Unit) {
	a := expireArgs{key: c.Arg()}
	if AsValkey(c, k) {
		a.parseAsValkey(c, k, u)
	} else {
		a.value = Collection(c, a.key, k, true)
		a.deadline = Deadline(c, u)
		if v, ok := a.value.(keyspace.Sequence); ok && u == AtMillis && c.Word(k.Index) {
			expireIndexes(c, k, a.key, v, a.deadline)
			return
		}
		a.on, a.names, a.at = conditionAndNames(c, k)
	}
	if !c.OK() {
		return
	}
	x := Expiration{Call: c, Kind: k, Key: a.key, Deadline: a.deadline, On: a.on}
	if AsValkey(c, k) {
		x.Named = a.names
	}
	if c.Propagates() {
		x.Head, x.Tail = headWithDeadline(c, k, u, a.deadline, a.at), c.Args[a.at+2+len(a.names):]
	}
	x.Reply(a.value, a.names)
}

// conditionAndNames reads a condition and the names of elements, and returns the position of the
// word before their number.
func conditionAndNames(c *engine.Call, k *engine.Elements) (on ExpireConditions, names [][]byte, at int) {
	if c.Has(AnyOrder) {
		return expiryArgs(c, k)
	}
	on.parse(c) // unlike for keys there is at most one
	at = c.Pos()
	return on, ParseNames(c, k, errElementsZero), at
}

// headWithDeadline returns the arguments of a call before the number of its elements, as those of
// PEXPIREAT. The word at position at is the last of them.
func headWithDeadline(c *engine.Call, k *engine.Elements, u Unit, deadline int64, at int) [][]byte {
	head := slices.Clone(c.Args[:at+1])
	if u != AtMillis {
		head[0], head[2] = k.PExpireAt(), resp.Decimal(deadline)
	}
	return head
}

// Expiration is a command that gives elements of a key a deadline. Expire does it for each, and
// Report follows.
type Expiration struct {
	Call     *engine.Call
	Kind     *engine.Elements
	Key      []byte
	Deadline int64
	On       ExpireConditions
	Named    [][]byte // what is propagated if one of them got the deadline; nil for those that did
	Head     [][]byte // what is propagated before the number of elements; nil for PEXPIREAT of the kind
	Tail     [][]byte // and after the elements

	set, deleted int // elements that got the deadline, or were deleted because it has passed
	// The names of both, collected only if somebody wants to know them.
	setNames, deletedNames [][]byte
}

// Reply gives elements the deadline, replies with a code for each, and reports. v is nil if the key
// is absent.
func (x *Expiration) Reply(v keyspace.Collection, names [][]byte) {
	c := x.Call
	c.Reply.Array(len(names))
	if v != nil {
		ExpectDeadlines(c, x.Kind, v)
	}
	for _, name := range names {
		code := Absent
		if v != nil {
			code = x.Expire(v, name)
		}
		c.Reply.Int(int64(code))
	}
	x.Report()
}

// Expire gives an element the deadline and returns the code for it. A deadline that has passed
// deletes the element, but, as for keys, not during a replay.
func (x *Expiration) Expire(v keyspace.Collection, element []byte) (code int) {
	c := x.Call
	old, ok := v.Deadline(element)
	switch {
	case !ok:
		return Absent
	case !x.On.Allow(old, x.Deadline):
		return codeRefused
	case x.Deadline <= c.Now() && !c.World.Keyspace.Replaying:
		v.Discard(element)
		x.deleted++
		if c.Propagates() || c.TellsFields() {
			x.deletedNames = append(x.deletedNames, element)
		}
		return codeDeleted
	}
	if x.Kind.Expect != nil {
		x.Kind.Expect(c, v)
	}
	v.SetDeadline(element, max(x.Deadline, 1), c.Dice())
	x.set++
	if c.Propagates() || c.TellsFields() {
		x.setNames = append(x.setNames, element)
	}
	return codeSet
}

// Report reports the changes, and propagates them by absolute time and by name.
func (x *Expiration) Report() {
	switch {
	case x.deleted > 0:
		x.Call.Changed(x.Key, RemovedByDeadline(x.Call, x.Kind), x.deletedNames...)
	case x.set > 0:
		x.Call.Changed(x.Key, x.Kind.Expire, x.setNames...)
	default:
		x.Call.DB.Commit(x.Key) // the encoding may have changed
		return
	}
	x.Call.AddChanges(x.deleted + x.set - 1)
	if x.set > 0 {
		x.Call.World.TickBy(x.Deadline)
	}
	if len(x.setNames) > 0 && x.Named != nil {
		x.setNames = x.Named
	}
	if len(x.setNames) > 0 {
		propagateDeadline(x.Call, x.Kind, x.Key, x.Deadline, x.Head, slices.Concat(x.setNames, x.Tail), len(x.setNames))
	}
	if len(x.deletedNames) > 0 {
		PropagateRemoval(x.Call, x.Kind, x.Key, x.deletedNames)
	}
}

// PropagateDeadline propagates the PEXPIREAT of a kind for elements of a key.
func PropagateDeadline(c *engine.Call, k *engine.Elements, key []byte, deadline int64, elements [][]byte) {
	propagateDeadline(c, k, key, deadline, nil, elements, len(elements))
}

// propagateDeadline is PropagateDeadline with the arguments before the number n of elements, nil
// for the usual ones, and after it.
func propagateDeadline(c *engine.Call, k *engine.Elements, key []byte, deadline int64, head, tail [][]byte, n int) {
	if head == nil {
		head = [][]byte{k.PExpireAt(), key, resp.Decimal(deadline), []byte(k.Word)}
	}
	c.Propagate(append(append(head, resp.Decimal(int64(n))), tail...)...)
}

// PropagateRemoval propagates the removal of elements, in Redis one by one; of a list, of all
// elements with each of the texts.
func PropagateRemoval(c *engine.Call, k *engine.Elements, key []byte, elements [][]byte) {
	if AsValkey(c, k) {
		c.Propagate(append([][]byte{[]byte(k.Removal), key}, elements...)...)
		return
	}
	for _, e := range elements {
		if k.Index != "" {
			c.Propagate([]byte(k.Removal), key, []byte("0"), e)
		} else {
			c.Propagate([]byte(k.Removal), key, e)
		}
	}
}

// LPEXPIREAT key unix-time-milliseconds INDEXES numindexes index [index ...]
//
// An index tells elements with the same text apart. The rewrite of a journal needs it to restore a
// list. A deadline that has passed is set all the same, and the elements expire by it.
func expireIndexes(c *engine.Call, k *engine.Elements, key []byte, v keyspace.Sequence, deadline int64) {
	n := c.IntIn(1, math.MaxInt64, engine.ErrNotPositive)
	if !c.Failed() && n != int64(c.Left()) {
		c.Refusef(errElementsMatch, strings.ToLower(k.Index))
	}
	indexes := make([]int, 0, c.Left())
	for c.More() {
		i := c.IntIn(math.MinInt32, math.MaxInt32, engine.ErrNotInt)
		if i < 0 {
			i += int64(v.Len())
		}
		if i < 0 || i >= int64(v.Len()) {
			c.Refuse(engine.ErrIndex)
		}
		indexes = append(indexes, int(i))
	}
	if !c.OK() {
		return
	}
	for _, i := range indexes {
		v.SetDeadlineAt(i, max(deadline, 1))
	}
	c.Changed(key, k.Expire)
	c.World.TickBy(deadline)
	c.Reply.Array(len(indexes))
	for range indexes {
		c.Reply.Int(codeSet)
	}
}

// KeyAndNames reads key FIELDS numfields field [field ...], and the collection at the key, which is
// to be changed if edits. In Valkey the error for another number of fields is mismatch.
func KeyAndNames(c *engine.Call, k *engine.Elements, edits bool,
	mismatch error) (key []byte, v keyspace.Collection, names [][]byte) {
	key = c.Arg()
	if AsValkey(c, k) {
		names = namesUpToEnd(c, k, mismatch)
		return key, Collection(c, key, k, edits), names
	}
	v = Collection(c, key, k, edits)
	return key, v, ParseNames(c, k, engine.ErrElementsCount)
}

// HTTL key FIELDS numfields field [field ...], and its variants
func replyDeadlines(c *engine.Call, k *engine.Elements, u Unit) {
	_, v, names := KeyAndNames(c, k, false, engine.ErrSyntax)
	if !c.OK() {
		return
	}
	from, unit := c.Now(), Millis
	if u.absolute {
		from = -c.World.Lag()
	}
	switch {
	case u.seconds && AsValkey(c, k):
		unit = RoundSeconds
	case u.seconds:
		unit = CeilSeconds
	}
	c.Reply.Array(len(names))
	for _, name := range names {
		c.Reply.Int(TTL(v, name, from, unit))
	}
}

// TTL returns an element's deadline, counted from a time and in a unit, or [Absent] or
// [NoDeadline]. v is nil for an absent key.
func TTL(v keyspace.Collection, element []byte, from int64, unit func(ms int64) int64) int64 {
	if v == nil {
		return Absent
	}
	deadline, ok := v.Deadline(element)
	switch {
	case !ok:
		return Absent
	case deadline == 0:
		return NoDeadline
	}
	return unit(max(deadline-from, 0)) // who sees due elements sees 0
}

// HPERSIST key FIELDS numfields field [field ...], and its variants
func persistElements(c *engine.Call, k *engine.Elements) {
	key, v, names := KeyAndNames(c, k, true, ErrNumFields)
	if !c.OK() {
		return
	}
	var changed [][]byte
	c.Reply.Array(len(names))
	for _, name := range names {
		code := TTL(v, name, 0, Millis)
		if code > 0 {
			v.SetDeadline(name, 0, c.Dice())
			code, changed = codeSet, append(changed, name)
		}
		c.Reply.Int(code)
	}
	if len(changed) > 0 {
		c.Changed(key, k.Persist, changed...)
	}
}

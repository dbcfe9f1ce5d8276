package elements

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Valkey 9 made HEXPIRE, HGETEX and the rest anew. It reads FIELDS numfields field [field ...]
// first, up to the end, then a time, and looks at the key last. Errors are those of EXPIRE and SET.
// A deadline may be as late as a key's. A hash is a table as soon as a field has one.

var valkeyFields = release.From("valkey:9.0.0")

// AsValkey reports whether the commands of a kind are those of Valkey. Those of the other kinds are
// this server's in every release.
func AsValkey(c *engine.Call, k *engine.Elements) bool {
	return k.InValkey && c.Has(valkeyFields)
}

// ParseLast reads options up to the first word of the clause, which may stand from a position on,
// and the elements behind it. What is no option latches the error unknown, a format.
func (l *Clause) ParseLast(c *engine.Call, from int, option func() bool, unknown string) {
	l.At = from + slices.IndexFunc(c.Args[from:len(c.Args)-1],
		func(arg []byte) bool { return command.IsWord(arg, l.Kind.Word) })
	if l.At < from {
		c.Refuse(l.BadCount)
		return
	}
	isKey := l.At < c.Pos()
	for c.Pos() < l.At && !c.Failed() {
		if !option() {
			c.Refusef(unknown, command.CText(c.Arg()))
		}
	}
	if c.Pos() > l.At && !isKey {
		c.Refuse(engine.ErrSyntax) // the word is the argument of an option
	}
	c.Skip(l.At + 1 - c.Pos())
	l.parseRest(c)
}

// parseRest reads the number of elements and the elements, which go up to the end.
func (l *Clause) parseRest(c *engine.Call) {
	n, ok := resp.ParseInt(c.Arg())
	switch l.List = c.Rest(); {
	case !ok:
		c.Refuse(engine.ErrNotInt)
	case n < 1 || n > int64(len(l.List)) || n*int64(l.Per) != int64(len(l.List)):
		c.Refuse(l.BadCount)
	}
}

// namesUpToEnd reads FIELDS numfields field [field ...] up to the end. Another number latches
// mismatch.
func namesUpToEnd(c *engine.Call, k *engine.Elements, mismatch error) [][]byte {
	if !c.Word(k.Word) {
		c.Refuse(engine.ErrSyntax)
		return nil
	}
	l := Clause{Kind: k, Per: 1, BadCount: mismatch}
	l.parseRest(c)
	return l.List
}

// LateDeadline returns the deadline of the options for elements; see lateDeadline.
func (x *Expiry) LateDeadline(c *engine.Call) int64 { return lateDeadline(c, x.amount, x.unit) }

// lateDeadline is [ParseDeadline] for elements: the time may be 0. Deadlines beyond
// [keyspace.MaxElementDeadline] become it.
func lateDeadline(c *engine.Call, amount []byte, u Unit) int64 {
	deadline := ParseDeadline(c, amount, u, 0)
	return min(deadline, keyspace.MaxElementDeadline)
}

// parseAsValkey reads the arguments of HEXPIRE after the key, and the key's value.
func (a *expireArgs) parseAsValkey(c *engine.Call, k *engine.Elements, u Unit) {
	amount := c.Arg()
	l := Clause{Kind: k, Per: 1, BadCount: ErrNumFields}
	l.ParseLast(c, c.Pos(), func() bool { return a.on.parse(c) }, errExpireOption)
	a.on.check(c)
	a.names, a.at = l.List, l.At
	a.deadline = lateDeadline(c, amount, u)
	a.value = Collection(c, a.key, k, true)
}

// ExpectDeadlines prepares a value for deadlines of its elements: Redis does it even if no field of
// a hash gets one.
func ExpectDeadlines(c *engine.Call, k *engine.Elements, v keyspace.Collection) {
	if k.Expect != nil && !AsValkey(c, k) {
		k.Expect(c, v)
	}
}

// RemovedByDeadline returns the event for elements that a command gave a deadline that has passed.
func RemovedByDeadline(c *engine.Call, k *engine.Elements) event.Event {
	if AsValkey(c, k) {
		return k.Expired
	}
	return k.Removed
}

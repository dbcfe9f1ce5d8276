package engine

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Call is one execution of a command: its arguments under a cursor, its session and database, and
// the reply. Handlers use it in the order ask, check, change, tell.
//
// Arguments alias the connection's buffer and are valid until the handler returns; what is kept is
// copied by whoever keeps it.
type Call struct {
	Engine  *Engine
	Session *Session
	DB      *keyspace.DB
	Cmd     *Command
	Args    [][]byte
	Reply   *resp.Writer

	at       int      // next argument
	err      error    // first error of the cursor
	dirty    int64    // changes reported by this call
	logged   bool     // the handler said what to journal
	woken    bool     // a waiter's handler runs again
	readyKey []byte   // the key because of which it does
	blocked  bool     // the handler parked the session
	shown    [][]byte // the arguments as others may see them, if not as they are
	scratch  [64]byte
}

// Nested reports whether the command runs inside another one: a transaction or a script.
func (c *Call) Nested() bool { return c.Engine.stack.depth > 1 }

// Now returns the time of the command in milliseconds since the epoch.
func (c *Call) Now() int64 { return c.Engine.Keyspace.Now }

// --- ask: the cursor ---

// More reports whether arguments are left.
func (c *Call) More() bool { return c.at < len(c.Args) && c.err == nil }

// Left returns the number of arguments left.
func (c *Call) Left() int { return len(c.Args) - c.at }

// Rest returns all arguments left and moves past them.
func (c *Call) Rest() [][]byte {
	rest := c.Args[c.at:]
	c.at = len(c.Args)
	return rest
}

// RestOfKeys is Rest where all that is left is keys, which are fetched together: see [keyspace.DB.Fetch].
func (c *Call) RestOfKeys() [][]byte {
	keys := c.Rest()
	c.DB.Prefetch(keys, 1)
	return keys
}

// Arg returns the next argument; past the end it latches the syntax error.
func (c *Call) Arg() []byte {
	if c.at >= len(c.Args) {
		c.Refuse(ErrSyntax)
		return nil
	}
	c.at++
	return c.Args[c.at-1]
}

// Next returns the next n arguments, which there must be, and moves past them.
func (c *Call) Next(n int) [][]byte {
	c.at += n
	return c.Args[c.at-n : c.at]
}

// Pos returns the position of the next argument in Args.
func (c *Call) Pos() int { return c.at }

// Seek makes the argument at a position in Args the next one.
func (c *Call) Seek(pos int) { c.at = pos }

// Skip moves past n arguments; back, if n is negative.
func (c *Call) Skip(n int) { c.at += n }

// Int returns the next argument as an integer; latches ErrNotInt.
func (c *Call) Int() int64 { return c.IntOr(ErrNotInt) }

// IntOr is Int with another error.
func (c *Call) IntOr(err error) int64 {
	n, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Refuse(err)
	}
	return n
}

// IntIn returns the next argument as an integer between lo and hi; anything else latches err.
func (c *Call) IntIn(lo, hi int64, err error) int64 {
	n := c.IntOr(err)
	if n < lo || n > hi {
		c.Refuse(err)
	}
	return n
}

// Float returns the next argument as a float other than NaN; latches ErrNotFloat.
func (c *Call) Float() float64 { return c.FloatOr(ErrNotFloat) }

// FloatOr is Float with another error.
func (c *Call) FloatOr(err error) float64 {
	f, ok := resp.ParseFloat(c.Arg())
	if !ok || math.IsNaN(f) {
		c.Refuse(err)
		return 0
	}
	return f
}

// LongDouble reads text as INCRBYFLOAT does; latches ErrNotFloat.
func (c *Call) LongDouble(text []byte) resp.LongDouble {
	x, ok := resp.ParseLongDouble(text)
	if !ok {
		c.Refuse(ErrNotFloat)
	}
	return x
}

// Word moves past the next argument if it is the given upper-case word in any case, and reports
// whether it was.
func (c *Call) Word(word string) bool {
	if c.at < len(c.Args) && c.err == nil && IsWord(c.Args[c.at], word) {
		c.at++
		return true
	}
	return false
}

// End latches the syntax error if arguments are left.
func (c *Call) End() {
	if c.at < len(c.Args) {
		c.Refuse(ErrSyntax)
	}
}

// IsWord reports whether arg is the given upper-case word in any case.
func IsWord(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		ch := arg[i]
		if 'a' <= ch && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}

// Failed reports whether an error was latched.
func (c *Call) Failed() bool { return c.err != nil }

// Refuse latches an error; the first one counts.
func (c *Call) Refuse(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Refusef is Refuse with a format.
func (c *Call) Refusef(format string, args ...any) { c.Refuse(fmt.Errorf(format, args...)) }

// OK reports whether no error was latched; if one was, it is sent as the reply and the handler must
// return.
func (c *Call) OK() bool {
	if c.err == nil {
		return true
	}
	c.Reply.Error(c.err)
	return false
}

// Fail latches err, sends it and returns false, for the last line of a check.
func (c *Call) Fail(err error) bool {
	c.Refuse(err)
	return c.OK()
}

// Decimal returns n as text.
func Decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// CText returns b up to its first zero byte, where C's printf ends it in Redis' error texts.
func CText(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// Dice returns the engine's random numbers as a function. Passing it costs no allocation.
func (c *Call) Dice() func(n uint64) uint64 { return c.Engine.random.dice }

// Scratch returns a small buffer for rendering one value, valid until the next call of Scratch.
func (c *Call) Scratch() []byte { return c.scratch[:0] }

// maxBuffer is the most bytes that are kept for Buffer.
const maxBuffer = 1 << 20

// Buffer returns n bytes, whatever they are, to compute something large in. They are valid until the
// next call of Buffer; what is stored must be copied.
func (c *Call) Buffer(n int) []byte {
	if n > maxBuffer {
		return make([]byte, n)
	}
	if n > cap(c.Engine.stack.buffer) {
		c.Engine.stack.buffer = make([]byte, n)
	}
	return c.Engine.stack.buffer[:n]
}

// Kept returns the engine's only T, a zero T at first. A family keeps room in it that it reuses from call to call.
func Kept[T any](e *Engine) *T {
	t := reflect.TypeFor[T]()
	if kept, ok := e.stack.kept[t]; ok {
		return kept.(*T)
	}
	if e.stack.kept == nil {
		e.stack.kept = make(map[reflect.Type]any)
	}
	kept := new(T)
	e.stack.kept[t] = kept
	return kept
}

// --- check: lookups by type ---

// Read returns the value of key for reading. ok is false if the key is absent (v is nil then, and
// no error is sent). A value of another type latches ErrWrongType.
func Read[T keyspace.Value](c *Call, key []byte) (v T, ok bool) {
	found, ok := c.DB.Find(key)
	c.CountLookup(key, ok)
	if !ok {
		return v, false
	}
	return typed[T](c, found)
}

// Exists reports whether key is visible. It is a lookup for reading that leaves no access mark.
func (c *Call) Exists(key []byte) bool {
	ok := c.DB.Exists(key)
	c.CountLookup(key, ok)
	return ok
}

// CountLookup counts a lookup for reading as a hit or a miss.
func (c *Call) CountLookup(key []byte, found bool) {
	if found {
		c.Engine.stats.hits++
		return
	}
	c.Engine.stats.misses++
	if c.Engine.Config.notify != 0 {
		c.Engine.notify(c.DB, key, "mkeymiss")
	}
}

func typed[T keyspace.Value](c *Call, found keyspace.Value) (v T, ok bool) {
	v, ok = found.(T)
	if !ok {
		c.Refuse(ErrWrongType)
	}
	return v, ok
}

// ReplyEntry replies with an element of a collection.
func (c *Call) ReplyEntry(e ziplist.Entry) { c.Reply.Bulk(e.Text(c.Scratch())) }

// Edit returns the value of key for changing; the change takes effect with Changed. ok is false if
// the key is absent, or of another type, which latches ErrWrongType.
func Edit[T keyspace.Value](c *Call, key []byte) (v T, ok bool) {
	found, ok := c.DB.Edit(key)
	if !ok {
		return v, false
	}
	return typed[T](c, found)
}

// Upsert is Edit, or an empty value of type t where the key is absent; ok is false for a value of
// another type, which latches ErrWrongType.
func Upsert[T keyspace.Value](c *Call, key []byte, t keyspace.Type) (v T, ok bool) {
	found, ok := c.DB.Edit(key)
	if !ok {
		found = c.DB.Create(key, t)
	}
	return typed[T](c, found)
}

// --- change: the reports ---

// Changed reports that key was changed, once for each event. It settles the value, removes the key
// if it is empty, and tells whoever watches, waits or listens. The event is its class letter and
// its name, "zzadd", "$set", "gdel"; "" where Redis tells of none.
func (c *Call) Changed(key []byte, event string) {
	c.ChangedIn(c.DB, key, event)
}

// ChangedIn is Changed for a key of another database.
func (c *Call) ChangedIn(db *keyspace.DB, key []byte, event string) {
	c.dirty++
	c.Engine.changed(db, key, event)
	if c.Engine.tracking.sessions > 0 {
		c.Engine.invalidate(string(key), c.Session)
	}
}

// ChangedUnwatched reports a change at key that is none to those who watch it or wait for it: of what a stream's
// groups know. It settles the value like Changed, and tells of the event.
func (c *Call) ChangedUnwatched(key []byte, event string) {
	c.DB.Commit(key)
	c.CountChange(key, event)
}

// note is Noted without settling, where more will come.
func (c *Call) CountChange(key []byte, event string) {
	c.dirty++
	if c.Engine.Config.notify != 0 && event != "" {
		c.Engine.notify(c.DB, key, event)
	}
}

// MarkDirty counts a change that no key's value shows, so that the command is journaled.
func (c *Call) MarkDirty() { c.dirty++ }

// Dirty reports whether the call has reported a change.
func (c *Call) Dirty() bool { return c.dirty > 0 }

// ChangedAll reports that n keys of whole databases were changed, which only the journal and the
// count of changes need to know. It reports even if n is 0.
func (c *Call) ChangedAll(n int) { c.dirty += max(int64(n), 1) }

// Propagates reports whether changes are handed to a journal or to replicas; if not, Log does nothing.
func (c *Call) Propagates() bool { return c.Engine.propagation.to != nil }

// Propagate says what the journal is to hold in place of the command's own arguments: a form whose
// replay gives the same data at any time. It may be called several times, for several commands.
func (c *Call) Propagate(args ...[]byte) {
	c.logged = true
	c.Engine.propagate(c.DB.ID(), args)
}

// PropagateNothing says that the change needs no line of its own in the journal.
func (c *Call) PropagateNothing() { c.logged = true }

// Store puts v at dst in place of what is there, or removes that if v is empty, and replies with the
// number of members.
func (c *Call) Store(dst []byte, v keyspace.Value, event string) {
	n := v.Len()
	switch {
	case n > 0:
		c.DB.Set(dst, v, false)
		c.Changed(dst, event)
	case c.DB.Delete(dst):
		c.Changed(dst, "gdel")
	}
	c.Reply.Int(int64(n))
}

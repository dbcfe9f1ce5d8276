package engine

import (
	"math"
	"reflect"
	"strings"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Call is one execution of a command: its arguments under a cursor, its session and database, and
// the reply. A handler parses, checks, changes and replies, in this order.
//
// Args alias the connection's read buffer and are valid until the handler returns. Code that keeps
// an argument copies it.
type Call struct {
	Engine  *Engine
	World   *World // in which the command runs: that of the session when it began
	Session *Session
	DB      *keyspace.DB
	Cmd     *command.Command
	Args    [][]byte
	Reply   *resp.Writer

	at       int        // position of the next argument
	err      error      // first error of the cursor
	dirty    int64      // changes reported by this call
	forced   bool       // propagated although its changes are counted already, as by Redis' forceCommandPropagation
	logged   bool       // the handler has propagated what there is
	counted  bool       // CountErrors has counted the errors in the reply
	woken    bool       // a blocked command's handler runs again
	readyKey []byte     // the key because of which it does
	blocked  bool       // the handler blocked the session
	effect   [][]byte   // what is propagated in place of Args; nil for Args
	line     [16][]byte // room for what is propagated, see Line
	scratch  [64]byte
}

// Nested reports whether the command runs inside another one of its client: a transaction or a
// script. A slow script of another client may be under way, too.
func (c *Call) Nested() bool {
	st := &c.Engine.stack
	return c.Session.script || st.depth > 1 && st.calls[st.depth-2].Session == c.Session
}

// MayBlock reports whether BlockOnKeys blocks. It does not in a transaction, in a script or for a
// master.
func (c *Call) MayBlock() bool { return c.woken || !c.Nested() && !c.Session.master }

// Now returns the time of the command by which keys and elements expire, in milliseconds since the
// epoch.
func (c *Call) Now() int64 { return c.World.Keyspace.Now }

// Date returns the date of the command, as clients see it in IDs of streams, in milliseconds since
// the epoch. It is Now unless the clock has hands.
func (c *Call) Date() int64 { return c.World.DateMicros() / 1000 }

// The cursor reads the arguments one after the other and latches the first error. So a handler
// checks once, with OK, after it has read everything.

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

// RestOfKeys is Rest for arguments that are all keys. It prefetches them: see
// [keyspace.Keys.Prefetch].
func (c *Call) RestOfKeys() [][]byte {
	keys := c.Rest()
	c.DB.Keys().Prefetch(keys, 1)
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
	f, ok := c.ParseFloat(c.Arg())
	if !ok {
		c.Refuse(err)
	}
	return f
}

// decimalsOnly is since when doubles are decimal: Redis reads hexadecimal ones as well.
var decimalsOnly = release.From("valkey:9.1.0")

// ParseFloat returns text as a double, which is not NaN; ok is false if it is none.
func (c *Call) ParseFloat(text []byte) (f float64, ok bool) {
	f, ok = resp.ParseFloat(text)
	if !ok || math.IsNaN(f) || c.Has(decimalsOnly) && resp.IsHex(text) {
		return 0, false
	}
	return f, true
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
// whether it was. A word that came after the engine's release, by the command's syntax, is none.
func (c *Call) Word(word string) bool {
	return c.at < len(c.Args) && len(c.Args[c.at]) == len(word) && c.word(word)
}

// word is Word for an argument of the word's length. It is apart so that Word is inlined.
func (c *Call) word(word string) bool {
	if c.err != nil || !command.IsWord(c.Args[c.at], word) || !c.Knows(word) {
		return false
	}
	c.at++
	return true
}

// Knows reports whether the engine's release knows a word of the command's syntax.
func (c *Call) Knows(word string) bool {
	return !c.Cmd.Lacks(word)
}

// Has reports whether the engine's release has a change of behaviour.
func (c *Call) Has(change release.Since) bool { return c.Engine.Release.Has(change) }

// End latches the syntax error if arguments are left.
func (c *Call) End() {
	if c.at < len(c.Args) {
		c.Refuse(ErrSyntax)
	}
}

// NoMore refuses further arguments of a subcommand.
func (c *Call) NoMore() {
	if c.at < len(c.Args) {
		c.Refuse(c.SubSyntaxError())
	}
}

// Err returns the latched error, nil if there is none.
func (c *Call) Err() error { return c.err }

// Failed reports whether an error was latched.
func (c *Call) Failed() bool { return c.err != nil }

// Refuse latches an error; the first one counts.
func (c *Call) Refuse(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Refusef is Refuse with a format, as the engine's release has it.
func (c *Call) Refusef(format string, args ...any) {
	c.Refuse(c.Engine.Commands.Errorf(command.Error(format), args...))
}

// OK reports whether no error was latched; if one was, it is sent as the reply and the handler must
// return.
func (c *Call) OK() bool { return c.err == nil || c.fail() }

// fail sends the latched error and returns false. It is apart so that OK is inlined.
func (c *Call) fail() bool {
	c.Reply.Error(c.Engine.Commands.Worded(c.err))
	return false
}

// Fail latches err, sends it and returns false, for the last line of a check.
func (c *Call) Fail(err error) bool {
	c.Refuse(err)
	return c.OK()
}

// Dice returns the world's source of random numbers as a function. The function is made once, so
// that passing it does not allocate.
func (c *Call) Dice() func(n uint64) uint64 { return c.World.random.dice }

// Scratch returns a small buffer for rendering one value, valid until the next call of Scratch.
func (c *Call) Scratch() []byte { return c.scratch[:0] }

// maxBuffer is the most bytes that are kept for Buffer.
const maxBuffer = 1 << 20

// Buffer returns n bytes of arbitrary content for a large intermediate result. They are valid until
// the next call of Buffer, so what is stored must be copied.
func (c *Call) Buffer(n int) []byte {
	if n > maxBuffer {
		return make([]byte, n)
	}
	if n > cap(c.Engine.stack.buffer) {
		c.Engine.stack.buffer = make([]byte, n)
	}
	return c.Engine.stack.buffer[:n]
}

// PerEngine returns the engine's only T, at first a zero T. A family of commands keeps memory there
// that it reuses from call to call.
func PerEngine[T any](e *Engine) *T {
	t := reflect.TypeFor[T]()
	if kept, ok := e.stack.perEngine[t]; ok {
		return kept.(*T)
	}
	if e.stack.perEngine == nil {
		e.stack.perEngine = make(map[reflect.Type]any)
	}
	kept := new(T)
	e.stack.perEngine[t] = kept
	return kept
}

// ReplyEntry replies with an element of a collection.
func (c *Call) ReplyEntry(e ziplist.Entry) { c.Reply.Bulk(e.Text(c.Scratch())) }

// ReplyStrings replies with an array of strings.
func (c *Call) ReplyStrings(list []string) {
	c.Reply.Array(len(list))
	for _, s := range list {
		c.Reply.BulkString(s)
	}
}

// SubSyntaxError is what a container says to a number of arguments that no form of the subcommand
// takes.
func (c *Call) SubSyntaxError() error {
	return c.Engine.Commands.Errorf(ErrSubArgs, command.Clip(c.Args[1], 128), strings.ToUpper(string(c.Args[0])))
}

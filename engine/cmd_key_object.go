package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/str"
)

// objectLines returns the lines of the generic family that this file has.
func objectLines() []Command {
	return []Command{
		{Name: "object", Arity: -2, Since: "2.2.3", Summary: "A container for object introspection commands.", Subs: []Command{
			{Name: "encoding", Arity: 3, Flags: ReadOnly, Keys: Key(2), Run: cmdObjectEncoding, ACL: "keyspace", Since: "2.2.3",
				Summary: "Returns the internal encoding of a Redis object."},
			{Name: "freq", Arity: 3, Flags: ReadOnly, Keys: Key(2), Run: cmdObjectFreq, ACL: "keyspace", Since: "4.0.0",
				Summary: "Returns the logarithmic access frequency counter of a Redis object."},
			{Name: "help", Arity: 2, Flags: Loading | Stale, Run: cmdObjectHelp, ACL: "keyspace", Since: "6.2.0",
				Summary: "Returns helpful text about the different subcommands."},
			{Name: "idletime", Arity: 3, Flags: ReadOnly, Keys: Key(2), Run: cmdObjectIdleTime, ACL: "keyspace", Since: "2.2.3",
				Summary: "Returns the time since the last access to a Redis object."},
			{Name: "refcount", Arity: 3, Flags: ReadOnly, Keys: Key(2), Run: cmdObjectRefCount, ACL: "keyspace", Since: "2.2.3",
				Summary: "Returns the reference count of a value of a key."},
		}},
	}
}

// object returns the key that OBJECT is about. ok is false if it is absent and nil was sent.
func (c *Call) object() (key []byte, ok bool) {
	key = c.Arg()
	if !c.DB.Exists(key) {
		c.Reply.Null()
		return nil, false
	}
	return key, true
}

// OBJECT ENCODING key
func cmdObjectEncoding(c *Call) {
	if key, ok := c.object(); ok {
		v, _ := c.DB.Peek(key)
		c.Reply.BulkString(v.Encoding())
	}
}

// OBJECT FREQ key
func cmdObjectFreq(c *Call) {
	key, ok := c.object()
	switch {
	case !ok:
	case !c.Engine.Keyspace.Access.LFU:
		c.Fail(ErrFreqUnderLRU)
	default:
		c.Reply.Int(c.DB.Frequency(key))
	}
}

// OBJECT IDLETIME key
func cmdObjectIdleTime(c *Call) {
	key, ok := c.object()
	switch {
	case !ok:
	case c.Engine.Keyspace.Access.LFU:
		c.Fail(ErrIdleUnderLFU)
	default:
		c.Reply.Int(c.DB.Idle(key))
	}
}

// sharedInts is how many integers, from 0 on, Redis keeps one object of for all keys.
const sharedInts = 10_000

// OBJECT REFCOUNT key
//
// Nothing is shared here, but Redis tells by this number which integers it shares.
func cmdObjectRefCount(c *Call) {
	key, ok := c.object()
	if !ok {
		return
	}
	v, _ := c.DB.Peek(key)
	if s, isString := v.(*str.Value); isString {
		if n, isInt := s.Int(); isInt && n >= 0 && n < sharedInts {
			c.Reply.Int(math.MaxInt32)
			return
		}
	}
	c.Reply.Int(1)
}

// OBJECT HELP
func cmdObjectHelp(c *Call) {
	c.Help(
		"ENCODING <key>",
		"    Return the kind of internal representation used in order to store the value",
		"    associated with a <key>.",
		"FREQ <key>",
		"    Return the access frequency index of the <key>. The returned integer is",
		"    proportional to the logarithm of the recent access frequency of the key.",
		"IDLETIME <key>",
		"    Return the idle time of the <key>, that is the approximated number of",
		"    seconds elapsed since the last access to the key.",
		"REFCOUNT <key>",
		"    Return the number of references of the value associated with the specified",
		"    <key>.",
	)
}

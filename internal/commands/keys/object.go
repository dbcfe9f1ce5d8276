package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/encodings"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// objectLines returns the lines of OBJECT and its subcommands.
func objectLines() []command.Line {
	return []command.Line{
		{Name: "object", Arity: -2, Since: "2.2.3",
			Complexity: "Depends on the subcommand", Summary: "A container for object introspection commands.",
			Was: []command.Was{command.Before("7.0.0", "+random")}, Subs: []command.Line{
				{Name: "encoding", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(2, "RO"),
					Run: cmdObjectEncoding, Reply: "text?", Since: "2.2.3",
					Syntax: "key", Summary: "Returns the internal encoding of a Redis object.",
					Help: "\nReturn the kind of internal representation used in order to store the value\n" +
						"associated with a <key>.",
					Tips: "nondeterministic_output", Complexity: "O(1)"},
				{Name: "freq", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(2, "RO"),
					Run: cmdObjectFreq, Reply: "integer?", Since: "4.0.0",
					Syntax: "key", Summary: "Returns the logarithmic access frequency counter of a Redis object.",
					Help: "\nReturn the access frequency index of the <key>. The returned integer is\n" +
						"proportional to the logarithm of the recent access frequency of the key.",
					Tips: "nondeterministic_output", Complexity: "O(1)"},
				engine.HelpLine("6.2.0"),
				{Name: "idletime", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(2, "RO"),
					Run: cmdObjectIdleTime, Reply: "integer?", Since: "2.2.3",
					Syntax: "key", Summary: "Returns the time since the last access to a Redis object.",
					Help: "\nReturn the idle time of the <key>, that is the approximated number of\n" +
						"seconds elapsed since the last access to the key.",
					Tips: "nondeterministic_output", Complexity: "O(1)"},
				{Name: "refcount", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(2, "RO"),
					Run: cmdObjectRefCount, Reply: "integer?", Since: "2.2.3",
					Syntax: "key", Summary: "Returns the reference count of a value of a key.",
					Help: "\nReturn the number of references of the value associated with the specified\n" +
						"<key>.",
					Tips: "nondeterministic_output", Complexity: "O(1)"},
			}},
	}
}

// objectKey reads the key of OBJECT. ok is false if it is absent and nil was sent.
func objectKey(c *engine.Call) (key []byte, ok bool) {
	key = c.Arg()
	if !c.DB.Exists(key) {
		c.Reply.Null()
		return nil, false
	}
	return key, true
}

// OBJECT ENCODING key
func cmdObjectEncoding(c *engine.Call) {
	if key, ok := objectKey(c); ok {
		v, _ := c.DB.Peek(key)
		c.Reply.BulkString(encodings.At(c, key, v))
	}
}

// OBJECT FREQ key
func cmdObjectFreq(c *engine.Call) {
	key, ok := objectKey(c)
	switch {
	case !ok:
	case !c.World.Keyspace.Access.LFU:
		c.Fail(errFreqUnderLRU)
	default:
		c.Reply.Int(c.DB.Marks().Frequency(key))
	}
}

// OBJECT IDLETIME key
func cmdObjectIdleTime(c *engine.Call) {
	key, ok := objectKey(c)
	switch {
	case !ok:
	case c.World.Keyspace.Access.LFU:
		c.Fail(errIdleUnderLFU)
	default:
		c.Reply.Int(c.DB.Marks().Idle(key))
	}
}

// sharedInts is the number of integers, from 0 on, whose object all keys share in Redis.
const sharedInts = 10_000

// OBJECT REFCOUNT key
//
// Keys share no values here. The reply is Redis' all the same: the largest integer stands for a
// shared object. Where a key is part of the object, that cannot be shared.
func cmdObjectRefCount(c *engine.Call) {
	key, ok := objectKey(c)
	if !ok {
		return
	}
	v, _ := c.DB.Peek(key)
	if s, isString := v.(*str.Value); isString && !c.Has(encodings.EmbedsKeys) {
		if n, isInt := s.Int(); isInt && n >= 0 && n < sharedInts {
			c.Reply.Int(math.MaxInt32)
			return
		}
	}
	c.Reply.Int(1)
}

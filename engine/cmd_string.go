package engine

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/str"
)

// Strings is the family of string commands.
func Strings() Family {
	return Family{Group: "string", Commands: []Command{
		{Name: "get", Arity: 2, Flags: ReadOnly | Fast, Keys: Key(1), Run: cmdGet, Since: "1.0.0",
			Summary: "Returns the string value of a key."},
		{Name: "set", Arity: -3, Flags: Write | DenyOOM, Keys: Key(1), Run: cmdSet, Since: "1.0.0",
			Summary: "Sets the string value of a key, ignoring its type. The key is created if it doesn't exist."},
	}}
}

// GET key
func cmdGet(c *Call) {
	key := c.Arg()
	v, ok := Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	c.tellString(v, ok)
}

// tellString replies with a string value, or nil.
func (c *Call) tellString(v *str.Value, ok bool) {
	if !ok {
		c.Reply.Null()
		return
	}
	c.Reply.Bulk(v.Text(c.Scratch()))
}

// setOptions are the options of SET.
type setOptions struct {
	deadline    int64 // 0 for none
	nx, xx, get bool
	keep        bool
}

// SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds |
// PXAT unix-time-milliseconds | KEEPTTL]
func cmdSet(c *Call) {
	key, value := c.Arg(), c.Arg()
	o := c.setOptions()
	var old *str.Value
	var had bool
	if o.get {
		old, had = Read[*str.Value](c, key)
	}
	if !c.OK() {
		return
	}
	exists := had || !o.get && (o.nx || o.xx) && c.DB.Exists(key)
	if o.get {
		c.tellString(old, had)
	}
	if o.nx && exists || o.xx && !exists {
		if !o.get {
			c.Reply.Null()
		}
		return
	}
	c.DB.Set(key, c.Engine.Keyspace.String(value), o.keep)
	c.expireAt(key, o.deadline)
	c.Changed(key, "$set")
	c.logSet(key, value, o)
	if !o.get {
		c.Reply.Status("OK")
	}
}

// setOptions reads SET's options in any order.
func (c *Call) setOptions() (o setOptions) {
	for c.More() {
		timed := o.deadline != 0 || o.keep
		switch {
		case !o.xx && c.Word("NX"):
			o.nx = true
		case !o.nx && c.Word("XX"):
			o.xx = true
		case c.Word("GET"):
			o.get = true
		case !timed && c.Word("KEEPTTL"):
			o.keep = true
		case !timed && c.Left() > 1 && c.Word("EX"):
			o.deadline = c.Deadline(inSeconds, 1)
		case !timed && c.Left() > 1 && c.Word("PX"):
			o.deadline = c.Deadline(inMillis, 1)
		case !timed && c.Left() > 1 && c.Word("EXAT"):
			o.deadline = c.Deadline(atSeconds, 1)
		case !timed && c.Left() > 1 && c.Word("PXAT"):
			o.deadline = c.Deadline(atMillis, 1)
		default:
			c.Refuse(ErrSyntax)
		}
	}
	return o
}

// logSet journals a SET by its effect: unconditional, with an absolute deadline.
func (c *Call) logSet(key, value []byte, o setOptions) {
	if c.Engine.log == nil {
		return
	}
	switch {
	case o.keep:
		c.Log([]byte("SET"), key, value, []byte("KEEPTTL"))
	case o.deadline != 0:
		c.Log([]byte("SET"), key, value, []byte("PXAT"), c.decimal(o.deadline))
	default:
		c.Log([]byte("SET"), key, value)
	}
}

// decimal returns n as text.
func (c *Call) decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Generic is the family of commands on keys of any type.
func Generic() Family {
	lines := []Command{
		{Name: "del", Arity: -2, Flags: Write, Keys: KeyRange(1, -1, 1), Run: cmdDel, ACL: "keyspace", Since: "1.0.0",
			Summary: "Deletes one or more keys."},
		{Name: "unlink", Arity: -2, Flags: Write | Fast, Keys: KeyRange(1, -1, 1), Run: cmdDel, ACL: "keyspace", Since: "4.0.0",
			Summary: "Asynchronously deletes one or more keys."},
		{Name: "exists", Arity: -2, Flags: ReadOnly | Fast, Keys: KeyRange(1, -1, 1), Run: cmdExists, ACL: "keyspace", Since: "1.0.0",
			Summary: "Determines whether one or more keys exist."},
		{Name: "touch", Arity: -2, Flags: ReadOnly | Fast, Keys: KeyRange(1, -1, 1), Run: cmdTouch, ACL: "keyspace", Since: "3.2.1",
			Summary: "Returns the number of existing keys out of those specified after updating the time they were last accessed."},
		{Name: "type", Arity: 2, Flags: ReadOnly | Fast, Keys: Key(1), Run: cmdType, ACL: "keyspace", Since: "1.0.0",
			Summary: "Determines the type of value stored at a key."},
		{Name: "keys", Arity: 2, Flags: ReadOnly, Run: cmdKeys, ACL: "keyspace dangerous", Since: "1.0.0",
			Summary: "Returns all key names that match a pattern."},
		{Name: "scan", Arity: -2, Flags: ReadOnly, Run: cmdScan, ACL: "keyspace", Since: "2.8.0",
			Summary: "Iterates over the key names in the database."},
		{Name: "randomkey", Arity: 1, Flags: ReadOnly, Run: cmdRandomKey, ACL: "keyspace", Since: "1.0.0",
			Summary: "Returns a random key name from the database."},
	}
	return Family{Group: "generic", Commands: slices.Concat(lines, moveLines(), expireLines(), objectLines(), sortLines(), memberLines())}
}

// DEL key [key ...]
// UNLINK key [key ...]
func cmdDel(c *Call) {
	n := 0
	for _, key := range c.RestOfKeys() {
		if c.DB.Delete(key) {
			c.Changed(key, "gdel")
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// EXISTS key [key ...]
func cmdExists(c *Call) {
	n := 0
	for _, key := range c.RestOfKeys() {
		if c.Sees(key) {
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// TOUCH key [key ...]
func cmdTouch(c *Call) {
	c.Engine.Keyspace.Access.NoTouch = false // here it is what the client asks for
	n := 0
	for _, key := range c.RestOfKeys() {
		ok := c.DB.Touch(key)
		c.CountLookup(key, ok)
		if ok {
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// TYPE key
func cmdType(c *Call) {
	key := c.Arg()
	t := c.DB.Type(key)
	c.CountLookup(key, t != keyspace.None)
	c.Reply.Status(t.String())
}

// KEYS pattern
func cmdKeys(c *Call) {
	o := scan{pattern: string(c.Arg())}
	at, n := c.Reply.Defer(), 0
	c.DB.Each(func(key string, _ keyspace.Type) bool {
		if o.takesKey(key) {
			c.Reply.BulkString(key)
			n++
		}
		return true
	})
	c.Reply.SetArray(at, n)
}

// takesKey is takes for a key.
func (o *scan) takesKey(key string) bool { return o.pattern == "*" || glob.Match(o.pattern, key) }

// keyScan is the options of SCAN.
type keyScan struct {
	scan
	typed bool
	typ   keyspace.Type // None for a type that there is not: it takes no key
}

func (o *keyScan) takesEntry(key string, t keyspace.Type) bool {
	return (!o.typed || t == o.typ) && o.takesKey(key)
}

// SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]
func cmdScan(c *Call) {
	cursor := c.cursor()
	o := c.keyScanOptions()
	if !c.OK() {
		return
	}
	at, shown, visited := c.Reply.Defer(), 0, 0
	for tries := 10 * o.count; ; tries-- {
		cursor = c.DB.Scan(cursor, func(key string, t keyspace.Type) {
			visited++
			if o.takesEntry(key, t) {
				c.Reply.BulkString(key)
				shown++
			}
		})
		if cursor == 0 || visited >= o.count || tries <= 1 {
			break
		}
	}
	c.Reply.SetArray(at, shown)
	c.tellCursor(at, cursor)
}

func (c *Call) keyScanOptions() keyScan {
	o := keyScan{scan: newScan()}
	for c.More() {
		switch {
		case c.scanOption(&o.scan):
		case c.Left() > 1 && c.Word("TYPE"):
			o.typed = true
			o.typ, _ = keyspace.TypeNamed(string(c.Arg()))
		default:
			c.Refuse(ErrSyntax)
		}
	}
	return o
}

// RANDOMKEY
func cmdRandomKey(c *Call) {
	key, ok := c.DB.Random()
	if !ok {
		c.Reply.Null()
		return
	}
	c.Reply.BulkString(key)
}

package engine

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/keyspace"
)

// The commands that give a value another key or another database.

// moveLines returns the lines of the generic family that this file has.
func moveLines() []Command {
	return []Command{
		{Name: "rename", Arity: 3, Flags: Write, Keys: Key(1, "RW access delete").And(Key(2, "OW update")), Run: cmdRename, Since: "1.0.0",
			Syntax: "key newkey", Summary: "Renames a key and overwrites the destination.", Complexity: "O(1)"},
		{Name: "renamenx", Arity: 3, Flags: Write | Fast, Keys: Key(1, "RW access delete").And(Key(2, "OW insert")), Run: cmdRenameNX, Since: "1.0.0",
			Syntax: "key newkey", Summary: "Renames a key only when the target key name doesn't exist.",
			Complexity: "O(1)"},
		{Name: "copy", Arity: -3, Flags: Write | DenyOOM, Keys: Key(1, "RO access").And(Key(2, "OW update")), Run: cmdCopy, Since: "6.2.0",
			Syntax: "source destination [DB destination-db] [REPLACE]", Summary: "Copies the value of a key to a new key.",
			Complexity: "O(N), N being the size of the value"},
		{Name: "move", Arity: 3, Flags: Write | Fast, Keys: Key(1, "RW access update"), Run: cmdMove, Since: "1.0.0",
			Syntax: "key db", Summary: "Moves a key to another database.", Complexity: "O(1)"},
	}
}

// RENAME key newkey
func cmdRename(c *Call) {
	src, dst := c.Arg(), c.Arg()
	if !c.DB.Exists(src) {
		c.Fail(ErrNoKey)
		return
	}
	c.rename(src, dst)
	c.Reply.Status("OK")
}

// RENAMENX key newkey
func cmdRenameNX(c *Call) {
	src, dst := c.Arg(), c.Arg()
	switch {
	case !c.DB.Exists(src):
		c.Fail(ErrNoKey)
	case c.DB.Exists(dst):
		c.Reply.Int(0)
	default:
		c.rename(src, dst)
		c.Reply.Int(1)
	}
}

// rename renames a visible key. To its own name is no change.
func (c *Call) rename(src, dst []byte) {
	if bytes.Equal(src, dst) {
		return
	}
	c.DB.Rename(src, dst)
	c.Changed(src, "grename_from")
	c.Changed(dst, "grename_to")
}

// COPY source destination [DB destination-db] [REPLACE]
func cmdCopy(c *Call) {
	src, dst := c.Arg(), c.Arg()
	to, replace := c.DB, false
	for c.More() {
		switch {
		case c.Word("REPLACE"):
			replace = true
		case c.Left() > 1 && c.Word("DB"):
			to = c.database(c.DB)
		default:
			c.Refuse(ErrSyntax)
		}
	}
	if to == c.DB && bytes.Equal(src, dst) {
		c.Refuse(ErrSameKey)
	}
	if !c.OK() {
		return
	}
	if !c.Sees(src) || to.Exists(dst) && !replace {
		c.Reply.Int(0)
		return
	}
	c.DB.Copy(src, to, dst)
	c.ChangedIn(to, dst, "gcopy_to")
	c.Reply.Int(1)
}

// MOVE key db
func cmdMove(c *Call) {
	key := c.Arg()
	to := c.database(nil)
	if to == c.DB {
		c.Refuse(ErrSameKey)
	}
	if !c.OK() {
		return
	}
	if !c.DB.Exists(key) || to.Exists(key) {
		c.Reply.Int(0)
		return
	}
	c.DB.Transfer(key, to, key)
	c.Changed(key, "gmove_from")
	c.ChangedIn(to, key, "gmove_to")
	c.Reply.Int(1)
}

// database returns the database whose number is the next argument. If there is none it latches
// ErrDBIndex and returns other.
func (c *Call) database(other *keyspace.DB) *keyspace.DB {
	n := c.IntOr(ErrNotInt)
	switch {
	case c.Failed():
		return other
	case n < math.MinInt32 || n > math.MaxInt32:
		c.Refusef(ErrRange, math.MinInt32, math.MaxInt32)
		return other
	case n < 0 || n >= int64(c.Engine.Keyspace.Len()):
		c.Refuse(ErrDBIndex)
		return other
	}
	return c.Engine.Keyspace.DB(int(n))
}

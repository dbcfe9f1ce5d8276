package keys

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// The commands that move or copy a value to another key or database.

// moveLines returns the lines of this file's commands.
func moveLines() []command.Line {
	return []command.Line{
		{Name: "rename", Arity: 3, Flags: command.Write, Keys: command.Key(1, "RW access delete").
			And(command.Key(2, "OW update")), Run: cmdRename, Reply: "status", Since: "1.0.0",
			Syntax: "key newkey", Summary: "Renames a key and overwrites the destination.", Complexity: "O(1)"},
		{Name: "renamenx", Arity: 3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete").
			And(command.Key(2, "OW insert")), Run: cmdRenameNX, Reply: "integer", Since: "1.0.0",
			Syntax: "key newkey", Summary: "Renames a key only when the target key name doesn't exist.",
			Complexity: "O(1)", History: "3.2.0 Accepts the same name twice."},
		{Name: "copy", Arity: -3, Flags: command.Write | command.DenyOOM,
			Keys: command.Key(1, "RO access").And(command.Key(2, "OW update")),
			Run:  cmdCopy, Reply: "integer", Since: "6.2.0", Syntax: "source destination [DB destination-db] [REPLACE]",
			Databases: copyDatabases,
			Summary:   "Copies the value of a key to a new key.", Complexity: "O(N), N being the size of the value"},
		{Name: "move", Arity: 3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access update"),
			Run: cmdMove, Reply: "integer", Since: "1.0.0", Databases: func([][]byte) []int { return []int{2} },
			Syntax: "key db", Summary: "Moves a key to another database.", Complexity: "O(1)"},
	}
}

// copyDatabases finds the numbers of databases behind each DB of COPY.
func copyDatabases(args [][]byte) (at []int) {
	for i := 3; i < len(args); i++ {
		if command.IsWord(args[i], "DB") {
			i++
			at = append(at, i)
		}
	}
	return at
}

// RENAME key newkey
func cmdRename(c *engine.Call) {
	src, dst := c.Arg(), c.Arg()
	if !c.DB.Exists(src) {
		c.Fail(engine.ErrNoKey)
		return
	}
	rename(c, src, dst)
	c.Reply.Status("OK")
}

// RENAMENX key newkey
func cmdRenameNX(c *engine.Call) {
	src, dst := c.Arg(), c.Arg()
	switch {
	case !c.DB.Exists(src):
		c.Fail(engine.ErrNoKey)
	case c.DB.Exists(dst):
		c.Reply.Int(0)
	default:
		rename(c, src, dst)
		c.Reply.Int(1)
	}
}

// rename renames a visible key. Renaming it to its own name is no change.
func rename(c *engine.Call, src, dst []byte) {
	if bytes.Equal(src, dst) {
		return
	}
	c.DB.Exists(dst) // its removal is propagated if it has expired
	if t := c.Engine.Parts.Types.Of(c.DB.Type(src)); t.Renaming != nil {
		v, _ := c.DB.Edit(src)
		t.Renaming(c, v, src, dst)
	}
	was := c.Replacing(c.DB, dst)
	c.DB.Rename(src, dst)
	c.Changed(src, event.RenameFrom)
	c.Changed(dst, event.RenameTo)
	c.Replaced(c.DB, dst, was)
	c.AddChanges(-1)
}

// COPY source destination [DB destination-db] [REPLACE]
func cmdCopy(c *engine.Call) {
	src, dst := c.Arg(), c.Arg()
	to, replace := c.DB, false
	for c.More() {
		switch {
		case c.Word("REPLACE"):
			replace = true
		case c.Left() > 1 && c.Word("DB"):
			to = parseDatabase(c, c.DB)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if to == c.DB && bytes.Equal(src, dst) {
		c.Refuse(errSameKey)
	}
	if !c.OK() {
		return
	}
	if !c.Exists(src) || to.Exists(dst) && !replace {
		c.Reply.Int(0)
		return
	}
	was := c.Replacing(to, dst)
	c.DB.Copy(src, to, dst)
	c.ChangedIn(to, dst, event.Generic("copy_to"))
	c.Replaced(to, dst, was)
	c.Reply.Int(1)
}

// MOVE key db
func cmdMove(c *engine.Call) {
	if !c.Has(engine.ClusterDatabases) {
		refuseInCluster(c, "MOVE")
	}
	key := c.Arg()
	to := parseDatabase(c, nil)
	if to == c.DB {
		c.Refuse(errSameKey)
	}
	if !c.OK() {
		return
	}
	if !c.DB.Exists(key) || to.Exists(key) {
		c.Reply.Int(0)
		return
	}
	c.DB.Transfer(key, to, key)
	c.Changed(key, event.Generic("move_from"))
	c.ChangedIn(to, key, event.Generic("move_to"))
	c.AddChanges(-1)
	c.Reply.Int(1)
}

// parseDatabase reads the number of a database and returns the database. Any other argument latches
// an error, and other is returned.
func parseDatabase(c *engine.Call, other *keyspace.DB) *keyspace.DB {
	n := c.IntOr(engine.ErrNotInt)
	switch {
	case c.Failed():
		return other
	case n < math.MinInt32 || n > math.MaxInt32:
		c.Refusef(engine.ErrRange, math.MinInt32, math.MaxInt32)
		return other
	case n < 0 || n >= databases(c):
		c.Refuse(errDBIndex)
		return other
	}
	return c.World.Keyspace.DB(int(n))
}

// Package permission joins commands and users: it tells package acl, which knows neither lines nor
// keyspecs, what a command needs, and a caller why a user may not run it.
package permission

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// Catalogue gives package acl access to a command table.
type Catalogue struct{ Table *command.Table }

// Commands implements acl.Catalogue.
func (c Catalogue) Commands(name string) (numbers []int) {
	cmd := c.Table.Original(name)
	if cmd == nil {
		return nil
	}
	numbers = append(numbers, cmd.ID)
	for _, sub := range cmd.Subs {
		numbers = append(numbers, sub.ID)
	}
	return numbers
}

// Category implements acl.Catalogue.
func (c Catalogue) Category(name string) (numbers []int, ok bool) {
	if name != "all" && !slices.Contains(c.Table.Categories(), name) {
		return nil, false
	}
	for _, cmd := range c.Table.InCategory(name) {
		numbers = append(numbers, cmd.ID)
	}
	return numbers, true
}

// Scope is the databases where a command runs.
type Scope struct {
	Selected int
	Count    int // of all
}

// Request returns the command of a user as package acl needs it.
func Request(u *acl.User, cmd *command.Command, args [][]byte, where Scope) *acl.Request {
	r := &acl.Request{Number: cmd.ID, Free: cmd.Flags&command.NoAuth != 0, Args: args, First: 1}
	if cmd.Parent != nil {
		r.First = 2
	}
	if u.LimitsDatabases() {
		addDatabases(r, cmd, where)
	}
	switch f := cmd.Flags; {
	case f&command.ToChannel != 0 && len(args) > 1:
		r.Channels = []int{1}
	case f&(command.ToChannels|command.ToPatterns) != 0:
		for i := 1; i < len(args); i++ {
			r.Channels = append(r.Channels, i)
		}
		r.Patterns = f&command.ToPatterns != 0
	case !cmd.Keys.IsEmpty():
		keys, _ := cmd.Keys.At(args)
		for _, key := range keys {
			r.Keys = append(r.Keys, acl.Key{At: key.At, Access: accessBits(key.Access)})
		}
	}
	return r
}

// addDatabases adds the databases that the command uses. What an argument names is skipped if there
// is no such database: the command will say so.
func addDatabases(r *acl.Request, cmd *command.Command, where Scope) {
	keyed := !cmd.Keys.IsEmpty()
	switch {
	case cmd.Flags&command.AllDatabases != 0:
		r.All = where.Count
	case keyed || cmd.Databases == nil && cmd.Flags&(command.Write|command.ReadOnly) != 0:
		r.Databases = append(r.Databases, acl.Database{ID: where.Selected})
	}
	if cmd.Databases == nil {
		return
	}
	for _, at := range cmd.Databases(r.Args) {
		if at >= len(r.Args) {
			continue
		}
		if id, ok := resp.ParseInt(r.Args[at]); ok && id >= 0 && id < int64(where.Count) {
			r.Databases = append(r.Databases, acl.Database{ID: int(id), At: at})
		}
	}
}

// accessBits returns what a use of a key, in COMMAND's words, needs.
func accessBits(use string) (a acl.Access) {
	for _, word := range strings.Fields(use) {
		switch word {
		case "access":
			a |= acl.Read
		case "insert", "delete", "update":
			a |= acl.Write
		}
	}
	return a
}

// Examine returns why a user may not run a command, and the command, the database, the key or the
// channel that is denied.
func Examine(u *acl.User, cmd *command.Command, args [][]byte, where Scope) (why acl.Denial, object string) {
	why, at := u.Check(Request(u, cmd, args, where))
	if at > 0 {
		return why, string(args[at])
	}
	return why, cmd.FullName()
}

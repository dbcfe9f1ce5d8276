// Package permission joins commands and users: it tells package acl, which knows neither lines nor
// keyspecs, what a command needs, and a caller why a user may not run it.
package permission

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
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

// Request returns the command as package acl needs it.
func Request(cmd *command.Command, args [][]byte) *acl.Request {
	r := &acl.Request{Number: cmd.ID, Free: cmd.Flags&command.NoAuth != 0, Args: args, First: 1}
	if cmd.Parent != nil {
		r.First = 2
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

// Examine returns why a user may not run a command, and the command, the key or the channel that is
// denied.
func Examine(u *acl.User, cmd *command.Command, args [][]byte) (why acl.Denial, object string) {
	why, at := u.Check(Request(cmd, args))
	if why == acl.NoKey || why == acl.NoChannel {
		return why, string(args[at])
	}
	return why, cmd.FullName()
}

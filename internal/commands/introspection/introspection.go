// Package introspection is COMMAND: which commands there are, what they take, and which of their
// arguments are keys. All of it is read from the lines of package command.
package introspection

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/release"
)

// withoutArguments is COMMAND GETKEYS before COMMAND DOCS told of its arguments. Only Redis 7.0
// refuses a command without arguments by the arity.
var withoutArguments = []command.Was{{Before: "7.2.0",
	Edit: func(cmd *command.Line) { cmd.Arity, cmd.Syntax = -4, "" }}, command.Before("7.0.0", "arity=-3")}

// Family is COMMAND.
var Family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "command", Arity: -1, Flags: command.Loading | command.Stale | command.Harmless,
		Run: cmdCommand, Reply: "array", Since: "2.8.13", ACL: "connection", Subs: subs(),
		Complexity: "O(N), N being the number of commands", Tips: "nondeterministic_output_order",
		Summary: "Returns detailed information about all commands.",
		Was:     []command.Was{command.Before("7.0.0", "+random")}},
}}

// subs are the subcommands of COMMAND.
func subs() []command.Line {
	const flags = command.Loading | command.Stale
	help := engine.HelpLine("5.0.0")
	list := []command.Line{
		{Name: "count", Arity: 2, Flags: flags | command.Harmless, Run: cmdCommandCount, Reply: "integer",
			Since: "2.8.13", Summary: "Returns a count of commands.", Complexity: "O(1)"},
		{Name: "list", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandList, Reply: "list", Since: "7.0.0",
			Syntax:  "[FILTERBY filterby=<MODULE module-name|ACLCAT category|PATTERN pattern>]",
			Summary: "Returns a list of command names.", Tips: "nondeterministic_output_order",
			Complexity: "O(N), N being the number of commands"},
		{Name: "info", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandInfo, Reply: "array", Since: "2.8.13",
			Syntax: "[command-name...]", Summary: "Returns information about one, multiple or all commands.",
			Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of commands asked for",
			History: "7.0.0 Without arguments it shows all commands."},
		{Name: "docs", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandDocs, Reply: "array", Since: "7.0.0",
			Syntax:  "[command-name...]",
			Summary: "Returns documentary information about one, multiple or all commands.",
			Tips:    "nondeterministic_output_order", Complexity: "O(N), N being the number of commands asked for"},
		{Name: "getkeys", Arity: -3, Flags: flags | command.Harmless,
			Run: cmdCommandGetKeys, Reply: "list", Since: "2.8.13", Was: withoutArguments,
			Syntax: "command [arg...]", Summary: "Extracts the key names from an arbitrary command.",
			Help: "<full-command>", Complexity: "O(N), N being the number of arguments"},
		{Name: "getkeysandflags", Arity: -3, Flags: flags | command.Harmless,
			Run: cmdCommandGetKeysAndFlags, Reply: "array", Since: "7.0.0", Was: withoutArguments,
			Syntax: "command [arg...]", Summary: "Extracts the key names and access flags for an arbitrary command.",
			Help: "<full-command>", Complexity: "O(N), N being the number of arguments"},
		help,
	}
	for i := range list {
		list[i].ACL = "connection"
	}
	return list
}

// COMMAND
func cmdCommand(c *engine.Call) {
	c.NoMore()
	if !c.OK() {
		return
	}
	all := c.Engine.Commands.All()
	c.Reply.Array(len(all))
	for _, cmd := range all {
		replyCommand(c, cmd)
	}
}

// COMMAND COUNT
func cmdCommandCount(c *engine.Call) { c.Reply.Int(int64(c.Engine.Commands.Len())) }

// COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]
func cmdCommandList(c *engine.Call) {
	keep := func(*command.Command) bool { return true }
	if c.More() {
		keep = commandFilter(c)
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	c.Engine.Commands.Each(func(cmd *command.Command) {
		if keep(cmd) {
			n++
			c.Reply.BulkString(cmd.FullName())
		}
	})
	c.Reply.SetArray(at, n)
}

// commandFilter reads what COMMAND LIST is to show. Without a filter it shows no subcommands.
func commandFilter(c *engine.Call) (keep func(cmd *command.Command) bool) {
	if c.Left() != 3 || !c.Word("FILTERBY") {
		c.Refuse(engine.ErrSyntax)
		return nil
	}
	switch {
	case c.Word("MODULE"):
		module := c.Arg()
		return func(cmd *command.Command) bool {
			return cmd.Module() != "" && strings.EqualFold(cmd.Module(), string(module))
		}
	case c.Word("ACLCAT"):
		category := "@" + strings.ToLower(string(c.Arg()))
		return func(cmd *command.Command) bool { return slices.Contains(cmd.Categories(), category) }
	case c.Word("PATTERN"):
		pattern := strings.ToLower(string(c.Arg()))
		return func(cmd *command.Command) bool { return glob.Match(pattern, cmd.FullName()) }
	}
	c.Refuse(engine.ErrSyntax)
	return nil
}

// COMMAND INFO [command-name [command-name ...]]
func cmdCommandInfo(c *engine.Call) {
	if !c.More() && c.Has(command.Splits) {
		cmdCommand(c)
		return
	}
	c.Reply.Array(c.Left())
	for c.More() {
		if cmd := c.Engine.Commands.Named(string(c.Arg())); cmd != nil {
			replyCommand(c, cmd)
		} else {
			c.Reply.Null()
		}
	}
}

// replyCommand writes a command's entry of COMMAND.
func replyCommand(c *engine.Call, cmd *command.Command) {
	w := c.Reply
	if !c.Has(command.Splits) {
		w.Array(7)
		replyFacts(c, cmd)
		return
	}
	w.Array(10)
	replyFacts(c, cmd)
	tips := strings.Fields(cmd.Tips)
	w.Set(len(tips))
	for _, tip := range tips {
		w.BulkString(tip)
	}
	replyKeyspecs(c, cmd.Keys)
	replySubs(c, cmd)
}

// replyFacts writes the part of the entry that every release has.
func replyFacts(c *engine.Call, cmd *command.Command) {
	w := c.Reply
	w.BulkString(cmd.FullName())
	w.Int(int64(cmd.Arity))
	replyWords(c, c.Engine.Commands.FlagWords(cmd.Flags))
	first, last, step := cmd.Keys.Fixed()
	w.Int(int64(first))
	w.Int(int64(last))
	w.Int(int64(step))
	replyWords(c, cmd.Categories())
}

// listsNoSubs is since when no subcommands are an empty array, as some are an array, and not an
// empty set.
var listsNoSubs = release.From("valkey:9.1.0")

func replySubs(c *engine.Call, cmd *command.Command) {
	if len(cmd.Subs) == 0 && !c.Has(listsNoSubs) {
		c.Reply.Set(0)
		return
	}
	c.Reply.Array(len(cmd.Subs))
	for _, sub := range cmd.Subs {
		replyCommand(c, sub)
	}
}

// replyWords writes a set of simple strings.
func replyWords(c *engine.Call, words []string) {
	c.Reply.Set(len(words))
	for _, word := range words {
		c.Reply.Status(word)
	}
}

// COMMAND GETKEYS command [arg [arg ...]]
func cmdCommandGetKeys(c *engine.Call) {
	args := c.Rest()
	keys := keysOf(c, args)
	if !c.OK() {
		return
	}
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Bulk(args[key.At])
	}
}

// COMMAND GETKEYSANDFLAGS command [arg [arg ...]]
func cmdCommandGetKeysAndFlags(c *engine.Call) {
	args := c.Rest()
	keys := keysOf(c, args)
	if !c.OK() {
		return
	}
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Array(2)
		c.Reply.Bulk(args[key.At])
		replyWords(c, strings.Fields(key.Access))
	}
}

// keysOf returns the keys of a command line.
func keysOf(c *engine.Call, args [][]byte) (keys []command.KeyUse) {
	cmd, err := c.Engine.Commands.Resolve(args)
	switch {
	case cmd == nil:
		c.Refuse(errKeysCommand)
	case cmd.Keys.IsEmpty() && cmd.IsOfWholeWithKeys():
		c.Refuse(errKeysArgs)
	case cmd.Keys.IsEmpty():
		c.Refuse(errKeysNone)
	case err != nil:
		c.Refuse(errKeysArity)
	default:
		keys, _ = cmd.Keys.At(args)
		if len(keys) == 0 && (cmd.Flags&command.NoMandatoryKeys == 0 || !c.Has(command.Splits)) {
			c.Refuse(errKeysArgs)
		}
		if len(keys) > 0 && !c.Has(command.Splits) && cmd.Keys.CountsAfterFirst() {
			keys = append(keys[1:], keys[0])
		}
	}
	return keys
}

package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// withoutArguments is COMMAND GETKEYS before COMMAND DOCS told of its arguments. Only Redis 7.0 refuses a command without arguments by the
// arity.
var withoutArguments = []command.Was{{Before: "7.2.0", Edit: func(cmd *command.Line) { cmd.Arity, cmd.Syntax = -4, "" }}, command.Before("7.0.0", "arity=-3")}

// commandSubs are the subcommands of COMMAND.
func commandSubs() []command.Line {
	const flags = command.Loading | command.Stale
	help := HelpLine("5.0.0")
	subs := []command.Line{
		{Name: "count", Arity: 2, Flags: flags | command.Harmless, Run: cmdCommandCount, Reply: "integer", Since: "2.8.13",
			Summary: "Returns a count of commands.", Complexity: "O(1)"},
		{Name: "list", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandList, Reply: "list", Since: "7.0.0",
			Syntax:  "[FILTERBY filterby=<MODULE module-name|ACLCAT category|PATTERN pattern>]",
			Summary: "Returns a list of command names.", Tips: "nondeterministic_output_order",
			Complexity: "O(N), N being the number of commands"},
		{Name: "info", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandInfo, Reply: "array", Since: "2.8.13",
			Syntax: "[command-name...]", Summary: "Returns information about one, multiple or all commands.",
			Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of commands asked for",
			History: "7.0.0 Without arguments it shows all commands."},
		{Name: "docs", Arity: -2, Flags: flags | command.Harmless, Run: cmdCommandDocs, Reply: "array", Since: "7.0.0",
			Syntax: "[command-name...]", Summary: "Returns documentary information about one, multiple or all commands.",
			Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of commands asked for"},
		{Name: "getkeys", Arity: -3, Flags: flags | command.Harmless, Run: cmdCommandGetKeys, Reply: "list", Since: "2.8.13", Was: withoutArguments,
			Syntax: "command [arg...]", Summary: "Extracts the key names from an arbitrary command.",
			Help: "<full-command>", Complexity: "O(N), N being the number of arguments"},
		{Name: "getkeysandflags", Arity: -3, Flags: flags | command.Harmless, Run: cmdCommandGetKeysAndFlags, Reply: "array", Since: "7.0.0", Was: withoutArguments,
			Syntax: "command [arg...]", Summary: "Extracts the key names and access flags for an arbitrary command.",
			Help: "<full-command>", Complexity: "O(N), N being the number of arguments"},
		help,
	}
	for i := range subs {
		subs[i].ACL = "connection"
	}
	return subs
}

// wholeWordings are the errors about commands, subcommands and their arguments before 7.0.
var wholeWordings = []command.Wording{
	{Before: "7.0.0", Error: ErrSubArgs, Was: "ERR Unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."},
	{Before: "7.0.0", Error: command.ErrUnknownCommand, Was: "ERR unknown command `%s`, with args beginning with: %s"},
	{Before: "7.0.0", Error: command.ErrUnknownArg, Was: "`%s`, "},
	{Before: "7.0.0", Error: ErrPairsArity, Was: "ERR wrong number of arguments for %[2]s"},
	{Before: "7.0.0", Error: ErrExpireTime, Was: "ERR invalid expire time in %s"},
	{Before: "7.0.0", Error: ErrRewriteAll, Was: "ERR CONFIG-REWRITE-FORCE-ALL failed"},
}

// COMMAND
func cmdCommand(c *Call) {
	c.noMore()
	if !c.OK() {
		return
	}
	all := c.Engine.Commands.All()
	c.Reply.Array(len(all))
	for _, cmd := range all {
		c.replyCommand(cmd)
	}
}

// COMMAND COUNT
func cmdCommandCount(c *Call) { c.Reply.Int(int64(c.Engine.Commands.Len())) }

// COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]
func cmdCommandList(c *Call) {
	keep := func(*command.Command) bool { return true }
	if c.More() {
		keep = c.commandFilter()
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
func (c *Call) commandFilter() (keep func(cmd *command.Command) bool) {
	if c.Left() != 3 || !c.Word("FILTERBY") {
		c.Refuse(ErrSyntax)
		return nil
	}
	switch {
	case c.Word("MODULE"):
		c.Arg()
		return func(*command.Command) bool { return false }
	case c.Word("ACLCAT"):
		category := "@" + strings.ToLower(string(c.Arg()))
		return func(cmd *command.Command) bool { return slices.Contains(cmd.Categories(), category) }
	case c.Word("PATTERN"):
		pattern := strings.ToLower(string(c.Arg()))
		return func(cmd *command.Command) bool { return glob.Match(pattern, cmd.FullName()) }
	}
	c.Refuse(ErrSyntax)
	return nil
}

// COMMAND INFO [command-name [command-name ...]]
func cmdCommandInfo(c *Call) {
	if !c.More() && c.Has(command.Splits) {
		cmdCommand(c)
		return
	}
	c.Reply.Array(c.Left())
	for c.More() {
		if cmd := c.Engine.Commands.Named(string(c.Arg())); cmd != nil {
			c.replyCommand(cmd)
		} else {
			c.Reply.Null()
		}
	}
}

// replyCommand writes a command's entry of COMMAND.
func (c *Call) replyCommand(cmd *command.Command) {
	w := c.Reply
	if !c.Has(command.Splits) {
		w.Array(7)
		c.replyFacts(cmd)
		return
	}
	w.Array(10)
	c.replyFacts(cmd)
	tips := strings.Fields(cmd.Tips)
	w.Set(len(tips))
	for _, tip := range tips {
		w.BulkString(tip)
	}
	c.replyKeyspecs(cmd.Keys)
	c.replySubs(cmd)
}

// replyFacts writes the part of the entry that every release has.
func (c *Call) replyFacts(cmd *command.Command) {
	w := c.Reply
	w.BulkString(cmd.FullName())
	w.Int(int64(cmd.Arity))
	c.replyWords(c.Engine.Commands.FlagWords(cmd.Flags))
	first, last, step := cmd.Keys.Fixed()
	w.Int(int64(first))
	w.Int(int64(last))
	w.Int(int64(step))
	c.replyWords(cmd.Categories())
}

// listsNoSubs is since when no subcommands are an empty array, as some are an array, and not an empty set.
var listsNoSubs = release.From("valkey:9.1.0")

func (c *Call) replySubs(cmd *command.Command) {
	if len(cmd.Subs) == 0 && !c.Has(listsNoSubs) {
		c.Reply.Set(0)
		return
	}
	c.Reply.Array(len(cmd.Subs))
	for _, sub := range cmd.Subs {
		c.replyCommand(sub)
	}
}

// replyWords writes a set of simple strings.
func (c *Call) replyWords(words []string) {
	c.Reply.Set(len(words))
	for _, word := range words {
		c.Reply.Status(word)
	}
}

// COMMAND GETKEYS command [arg [arg ...]]
func cmdCommandGetKeys(c *Call) {
	args := c.Rest()
	keys := c.keysOf(args)
	if !c.OK() {
		return
	}
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Bulk(args[key.At])
	}
}

// COMMAND GETKEYSANDFLAGS command [arg [arg ...]]
func cmdCommandGetKeysAndFlags(c *Call) {
	args := c.Rest()
	keys := c.keysOf(args)
	if !c.OK() {
		return
	}
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Array(2)
		c.Reply.Bulk(args[key.At])
		c.replyWords(strings.Fields(key.Access))
	}
}

// keysOf returns the keys of a command line.
func (c *Call) keysOf(args [][]byte) (keys []command.KeyUse) {
	cmd, err := c.Engine.Commands.Resolve(args)
	switch {
	case cmd == nil:
		c.Refuse(ErrKeysCommand)
	case cmd.Keys.IsEmpty() && cmd.IsOfWholeWithKeys():
		c.Refuse(ErrKeysArgs)
	case cmd.Keys.IsEmpty():
		c.Refuse(ErrKeysNone)
	case err != nil:
		c.Refuse(ErrKeysArity)
	default:
		keys, _ = cmd.Keys.At(args)
		if len(keys) == 0 && (cmd.Flags&command.NoMandatoryKeys == 0 || !c.Has(command.Splits)) {
			c.Refuse(ErrKeysArgs)
		}
		if len(keys) > 0 && !c.Has(command.Splits) && cmd.Keys.CountsAfterFirst() {
			keys = append(keys[1:], keys[0])
		}
	}
	return keys
}

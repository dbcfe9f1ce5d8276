package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/glob"
)

// commandSubs are the subcommands of COMMAND.
func commandSubs() []Command {
	const flags = Loading | Stale
	help := helpLine("5.0.0")
	subs := []Command{
		{Name: "count", Arity: 2, Flags: flags, Run: cmdCommandCount, Since: "2.8.13",
			Summary: "Returns a count of commands."},
		{Name: "list", Arity: -2, Flags: flags, Run: cmdCommandList, Since: "7.0.0",
			Args:    "[FILTERBY (MODULE <module-name>|ACLCAT <category>|PATTERN <pattern>)]",
			Summary: "Returns a list of command names."},
		{Name: "info", Arity: -2, Flags: flags, Run: cmdCommandInfo, Since: "2.8.13", Args: "[<command-name> ...]",
			Summary: "Returns information about one, multiple or all commands."},
		{Name: "docs", Arity: -2, Flags: flags, Run: cmdCommandDocs, Since: "7.0.0", Args: "[<command-name> ...]",
			Summary: "Returns documentary information about one, multiple or all commands."},
		{Name: "getkeys", Arity: -3, Flags: flags, Run: cmdCommandGetKeys, Since: "2.8.13", Args: "<full-command>",
			Summary: "Extracts the key names from an arbitrary command."},
		{Name: "getkeysandflags", Arity: -3, Flags: flags, Run: cmdCommandGetKeysAndFlags, Since: "7.0.0", Args: "<full-command>",
			Summary: "Extracts the key names and access flags for an arbitrary command."},
		help,
	}
	for i := range subs {
		subs[i].ACL = "connection"
	}
	return subs
}

// COMMAND
func cmdCommand(c *Call) {
	all := c.Engine.Commands()
	c.Reply.Array(len(all))
	for _, cmd := range all {
		c.tellCommand(cmd)
	}
}

// COMMAND COUNT
func cmdCommandCount(c *Call) { c.Reply.Int(int64(len(c.Engine.table))) }

// COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]
func cmdCommandList(c *Call) {
	keep := func(*Command) bool { return true }
	if c.More() {
		keep = c.commandFilter()
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	c.Engine.eachCommand(func(cmd *Command) {
		if keep(cmd) {
			n++
			c.Reply.BulkString(cmd.full)
		}
	})
	c.Reply.SetArray(at, n)
}

// commandFilter reads what COMMAND LIST is to show. Without a filter it shows no subcommands.
func (c *Call) commandFilter() (keep func(cmd *Command) bool) {
	if c.Left() != 3 || !c.Word("FILTERBY") {
		c.Refuse(ErrSyntax)
		return nil
	}
	switch {
	case c.Word("MODULE"):
		c.Arg()
		return func(*Command) bool { return false }
	case c.Word("ACLCAT"):
		category := "@" + strings.ToLower(string(c.Arg()))
		return func(cmd *Command) bool { return slices.Contains(cmd.Categories(), category) }
	case c.Word("PATTERN"):
		pattern := strings.ToLower(string(c.Arg()))
		return func(cmd *Command) bool { return glob.Match(pattern, cmd.full) }
	}
	c.Refuse(ErrSyntax)
	return nil
}

// COMMAND INFO [command-name [command-name ...]]
func cmdCommandInfo(c *Call) {
	if !c.More() {
		cmdCommand(c)
		return
	}
	c.Reply.Array(c.Left())
	for c.More() {
		if cmd := c.Engine.byFullName(string(c.Arg())); cmd != nil {
			c.tellCommand(cmd)
		} else {
			c.Reply.Null()
		}
	}
}

// byFullName returns the command of a name such as get or config|set, or nil.
func (e *Engine) byFullName(name string) *Command {
	name, sub, nested := strings.Cut(strings.ToLower(name), "|")
	cmd := e.table[name]
	if cmd != nil && nested {
		return cmd.subs[sub]
	}
	return cmd
}

// tellCommand writes a command's entry of COMMAND.
func (c *Call) tellCommand(cmd *Command) {
	w := c.Reply
	w.Array(10)
	w.BulkString(cmd.full)
	w.Int(int64(cmd.Arity))
	c.tellWords(cmd.Flags.Names())
	last, step := cmd.Keys.Last, cmd.Keys.Step
	if last > 0 {
		last = max(last, cmd.Keys.First)
	}
	w.Int(int64(cmd.Keys.First))
	w.Int(int64(last))
	w.Int(int64(step))
	c.tellWords(cmd.Categories())
	tips := cmd.tips()
	w.Set(len(tips))
	for _, tip := range tips {
		w.BulkString(tip)
	}
	c.tellKeySpecs(cmd)
	c.tellSubs(cmd)
}

func (c *Call) tellSubs(cmd *Command) {
	if len(cmd.Subs) == 0 {
		c.Reply.Set(0)
		return
	}
	c.Reply.Array(len(cmd.Subs))
	for i := range cmd.Subs {
		c.tellCommand(&cmd.Subs[i])
	}
}

// tellWords writes a set of simple strings.
func (c *Call) tellWords(words []string) {
	c.Reply.Set(len(words))
	for _, word := range words {
		c.Reply.Status(word)
	}
}

// COMMAND DOCS [command-name [command-name ...]]
func cmdCommandDocs(c *Call) {
	var list []*Command
	if !c.More() {
		list = c.Engine.Commands()
	}
	for c.More() {
		if cmd := c.Engine.byFullName(string(c.Arg())); cmd != nil {
			list = append(list, cmd)
		}
	}
	c.Reply.Map(len(list))
	for _, cmd := range list {
		c.tellDocs(cmd)
	}
}

func (c *Call) tellDocs(cmd *Command) {
	w := c.Reply
	w.BulkString(cmd.full)
	n := 3
	if len(cmd.Subs) > 0 {
		n++
	}
	syntax, hasArguments := syntaxes[cmd.full]
	if hasArguments {
		n++
	}
	w.Map(n)
	for _, text := range [...]string{"summary", cmd.Summary, "since", cmd.Since, "group", cmd.group} {
		w.BulkString(text)
	}
	if hasArguments {
		list, _ := parseSyntax(syntax)
		w.BulkString("arguments")
		c.tellArguments(list)
	}
	if len(cmd.Subs) > 0 {
		w.BulkString("subcommands")
		w.Map(len(cmd.Subs))
		for i := range cmd.Subs {
			c.tellDocs(&cmd.Subs[i])
		}
	}
}

// COMMAND GETKEYS command [arg [arg ...]]
func cmdCommandGetKeys(c *Call) {
	_, args, at := c.keysOf()
	if !c.OK() {
		return
	}
	c.Reply.Array(len(at))
	for _, i := range at {
		c.Reply.Bulk(args[i])
	}
}

// COMMAND GETKEYSANDFLAGS command [arg [arg ...]]
func cmdCommandGetKeysAndFlags(c *Call) {
	cmd, args, at := c.keysOf()
	if !c.OK() {
		return
	}
	c.Reply.Array(len(at))
	for n, i := range at {
		c.Reply.Array(2)
		c.Reply.Bulk(args[i])
		c.tellWords(strings.Fields(cmd.accessIn(args, n)))
	}
}

// keysOf returns the command that the arguments left are, and where its keys are.
func (c *Call) keysOf() (cmd *Command, args [][]byte, at []int) {
	args = c.Rest()
	cmd, err := c.Engine.Resolve(args)
	switch {
	case cmd == nil:
		c.Refuse(ErrKeysCommand)
	case cmd.Keys.First == 0 && cmd.Keys.Find == nil, cmd.access(0) == "not_key":
		c.Refuse(ErrKeysNone)
	case err != nil:
		c.Refuse(ErrKeysArity)
	default:
		var ok bool
		at, ok = cmd.Keys.At(args)
		if (!ok || len(at) == 0) && cmd.Flags&NoMandatoryKeys == 0 {
			c.Refuse(ErrKeysArgs)
		}
	}
	return cmd, args, at
}

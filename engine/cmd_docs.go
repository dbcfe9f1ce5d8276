package engine

import "github.com/miniserver-go/miniserver/release"

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
		c.replyDocs(cmd)
	}
}

func (c *Call) replyDocs(cmd *Command) {
	w := c.Reply
	w.BulkString(cmd.full)
	n := 4
	for _, told := range []bool{cmd.Syntax != "", len(cmd.Subs) > 0} {
		if told {
			n++
		}
	}
	w.Map(n)
	for _, text := range [...]string{"summary", cmd.Summary, "since", release.From(cmd.Since).In(c.Engine.Release), "group", cmd.group, "complexity", cmd.Complexity} {
		w.BulkString(text)
	}
	if cmd.Syntax != "" {
		w.BulkString("arguments")
		c.replyArguments(c.Engine.arguments(cmd.Syntax))
	}
	if len(cmd.Subs) > 0 {
		w.BulkString("subcommands")
		w.Map(len(cmd.Subs))
		for i := range cmd.Subs {
			c.replyDocs(&cmd.Subs[i])
		}
	}
}

// replyArguments writes arguments as COMMAND DOCS shows them.
func (c *Call) replyArguments(list []argument) {
	w := c.Reply
	w.Array(len(list))
	for _, a := range list {
		flags := a.flags()
		n := 2
		for _, told := range []bool{a.hasToken(), a.since != "", flags != nil, a.parts != nil} {
			if told {
				n++
			}
		}
		w.Map(n)
		for _, text := range []string{"name", a.name, "type", a.kind} {
			w.BulkString(text)
		}
		if a.hasToken() {
			w.BulkString("token")
			w.BulkString(a.token)
		}
		if a.since != "" {
			w.BulkString("since")
			w.BulkString(release.From(a.since).In(c.Engine.Release))
		}
		if flags != nil {
			w.BulkString("flags")
			c.replyWords(flags)
		}
		if a.parts != nil {
			w.BulkString("arguments")
			c.replyArguments(a.parts)
		}
	}
}

package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// HelpLine is the HELP subcommand of a container, made from the container's other lines.
func HelpLine(since string) command.Line {
	return command.Line{Name: "help", Arity: 2, Flags: command.Loading | command.Stale | command.Harmless | command.Help, Run: ReplyHelp, Reply: "array", Since: since,
		Summary: "Returns helpful text about the different subcommands.", Complexity: "O(1)"}
}

// CONTAINER HELP
func ReplyHelp(c *Call) {
	var lines []string
	if c.Cmd.Parent.Fits(1) {
		lines = append(lines, "(no subcommand)", command.HelpIndent+c.Cmd.Parent.Summary)
	}
	for _, sub := range c.Cmd.Parent.Subs {
		if sub != c.Cmd && sub.Flags&command.Internal == 0 {
			lines = append(lines, c.Engine.Commands.Help(sub)...)
		}
	}
	c.Help(lines...)
}

// printsHelp is when the last line of HELP lost a letter.
var printsHelp = release.From("7.2.0")

// Help replies with what a container's subcommands do, one line of text each, between the heading
// and the last lines that all of them have in common.
func (c *Call) Help(lines ...string) {
	c.Reply.Array(len(lines) + 3)
	container, _, _ := strings.Cut(c.Cmd.FullName(), "|")
	c.Reply.Status(strings.ToUpper(container) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, line := range lines {
		c.Reply.Status(line)
	}
	c.Reply.Status("HELP")
	if c.Has(printsHelp) {
		c.Reply.Status(command.HelpIndent + "Print this help.")
	} else {
		c.Reply.Status(command.HelpIndent + "Prints this help.")
	}
}

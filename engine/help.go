package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// HelpLine is the HELP subcommand of a container, made from the container's other lines.
func HelpLine(since string) Command {
	return Command{Name: "help", Arity: 2, Flags: Loading | Stale | Harmless, Run: cmdHelp, Since: since,
		Summary: "Returns helpful text about the different subcommands.", Complexity: "O(1)"}
}

// CONTAINER HELP
func cmdHelp(c *Call) {
	var lines []string
	if c.Cmd.parent.Fits(1) {
		lines = append(lines, "(no subcommand)", helpIndent+c.Cmd.parent.Summary)
	}
	for i := range c.Cmd.parent.Subs {
		if sub := &c.Cmd.parent.Subs[i]; sub != c.Cmd && sub.Flags&Internal == 0 {
			lines = append(lines, c.Engine.HelpOf(sub)...)
		}
	}
	c.Help(lines...)
}

const helpIndent = "    "

// printsHelp is when the last line of HELP lost a letter.
var printsHelp = release.From("7.2.0")

// HelpOf returns what HELP shows of a subcommand, or of a command without any. A blank line in the text ends what is said
// of one form of it; the next line is the usage of another.
func (e *Engine) HelpOf(cmd *Command) (lines []string) {
	usage, about, told := strings.Cut(cmd.Help, "\n")
	if usage == "" {
		usage = usages(e.arguments(cmd.Syntax))
	}
	if !told {
		about = cmd.Summary
	}
	lines = append(lines, strings.TrimSpace(strings.ToUpper(cmd.Name)+" "+usage))
	indent := helpIndent
	for line := range strings.SplitSeq(about, "\n") {
		if line == "" {
			indent = ""
			continue
		}
		lines, indent = append(lines, indent+line), helpIndent
	}
	return lines
}

// Help replies with what a container's subcommands do, one line of text each, between the heading
// and the last lines that all of them have in common.
func (c *Call) Help(lines ...string) {
	c.Reply.Array(len(lines) + 3)
	container, _, _ := strings.Cut(c.Cmd.full, "|")
	c.Reply.Status(strings.ToUpper(container) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, line := range lines {
		c.Reply.Status(line)
	}
	c.Reply.Status("HELP")
	if c.Has(printsHelp) {
		c.Reply.Status(helpIndent + "Print this help.")
	} else {
		c.Reply.Status(helpIndent + "Prints this help.")
	}
}

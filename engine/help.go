package engine

import "strings"

// Help replies with what a container's subcommands do, one line of text each, between the heading
// and the last lines that all of them have in common.
func (c *Call) Help(lines ...string) {
	c.Reply.Array(len(lines) + 3)
	c.Reply.Status(strings.ToUpper(c.Cmd.parent.Name) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, line := range lines {
		c.Reply.Status(line)
	}
	c.Reply.Status("HELP")
	c.Reply.Status("    Prints this help.")
}

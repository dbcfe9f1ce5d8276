package testkit

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func helpLines() []command.Line {
	return []command.Line{{Name: "mini.help", Arity: 1, Flags: flags,
		Run: engine.On((*Kit).cmdHelp), Reply: "array", Since: since,
		Summary:    "Returns helpful text about the commands of the test kit.",
		Complexity: "O(N), N being the number of the kit's commands"}}
}

// MINI.HELP
//
// Replies: two lines for each command: how it is written, and what it does.
func (k *Kit) cmdHelp(c *engine.Call) {
	var text []string
	for _, cmd := range k.engine.Commands.All() {
		if cmd.Group() == group {
			text = append(text, k.helpOf(cmd)...)
		}
	}
	c.Reply.Array(len(text))
	for _, line := range text {
		c.Reply.Status(line)
	}
}

// helpOf returns the lines of a command, or those of all its subcommands but HELP.
func (k *Kit) helpOf(cmd *command.Command) (text []string) {
	name := strings.ToUpper(cmd.Name)
	if len(cmd.Subs) == 0 {
		return k.engine.Commands.Help(cmd)
	}
	for _, sub := range cmd.Subs {
		if sub.Flags&command.Help == 0 {
			lines := k.engine.Commands.Help(sub)
			lines[0] = name + " " + lines[0]
			text = append(text, lines...)
		}
	}
	return text
}

package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

const (
	// Setting is the setting of a server with the kit.
	Setting = "test-kit yes"

	// since is what brought the commands.
	since = "miniserver:0.1.0"

	// group is that of every command of the kit.
	group = "test-kit"

	// flags are those of every command of the kit.
	flags = command.Admin | command.NoScript | command.NoMulti | command.SkipSlowlog
)

// What a package needs that brings further commands of the kit.
const (
	Since = since
	Group = group
	Flags = flags
)

// HelpLine returns the HELP subcommand of a container, for such a package.
func HelpLine() command.Line { return helpFor() }

// helpFor returns the HELP subcommand of a container.
func helpFor() command.Line {
	cmd := engine.HelpLine(since)
	cmd.Flags |= flags
	return cmd
}

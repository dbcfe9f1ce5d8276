package command

import "github.com/miniserver-go/miniserver/internal/release"

// Up to Redis 6.2 a command and its subcommands were one command: CONFIG, not CONFIG GET and CONFIG
// SET. COMMAND, ACL CAT and INFO know only this whole, and the gate compares its flags. What tips
// say since then, flags said.

// Splits is when subcommands became commands, and tips, keyspecs and COMMAND DOCS came.
var Splits = release.From("7.0.0")

// tipsToFlags gives a command that has neither flag the one that stood for its tips.
func (c *Command) tipsToFlags() {
	switch {
	case c.Flags&(Random|SortForScript) != 0:
	case c.IsRandom():
		c.Flags |= Random
	case c.hasTip("nondeterministic_output_order"):
		c.Flags |= SortForScript
	}
}

// join makes one command of a container and its subcommands. It has the flags and the keys of all
// of them, beside its own, and they have its name, flags and categories. They keep what runs them,
// and the flags that no such release shows. HELP adds nothing.
func (c *Command) join(shown Flags) {
	c.whole = true
	for _, sub := range c.Subs {
		if sub.Flags&Help == 0 {
			c.Flags |= sub.Flags & shown
			if c.Keys.IsEmpty() && c.Flags&MovableKeys == 0 {
				c.Keys = sub.Keys
			}
		}
	}
	for _, sub := range c.Subs {
		sub.full, sub.ACL, sub.Flags = c.full, c.ACL, sub.Flags&^shown|c.Flags&shown
	}
}

// IsOfWholeWithKeys reports whether a command is a whole, or part of one, that may have keys.
func (c *Command) IsOfWholeWithKeys() bool {
	whole := c
	if c.Parent != nil {
		whole = c.Parent
	}
	return whole.whole && (whole.Flags&MovableKeys != 0 || !whole.Keys.IsEmpty())
}

package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func chaosLines() []command.Line {
	var subs []command.Line
	for i, w := range whims() {
		subs = append(subs, command.Line{Name: w.name, Arity: 3, Flags: flags,
			Run: engine.On(cmdChaos(i)), Reply: "status", Since: since, Syntax: "switch=<ON|OFF>",
			Summary: w.summary, Complexity: "O(N), N being the number of commands"})
	}
	subs = append(subs, helpFor(), command.Line{Name: "status", Arity: 2, Flags: flags,
		Run: engine.On((*Kit).cmdChaosStatus), Reply: "array", Since: since,
		Summary: "Returns what is on in the client's world.", Complexity: "O(1)"})
	return []command.Line{{Name: "mini.chaos", Arity: -2, Flags: flags, Since: since, Subs: subs,
		Summary:    "A container for commands that let the server make legal but unpleasant choices.",
		Complexity: "Depends on the subcommand"}}
}

// MINI.CHAOS <EVICT | ORDER | SCAN | TIME> <ON | OFF>
func cmdChaos(i int) func(k *Kit, c *engine.Call) {
	return func(k *Kit, c *engine.Call) {
		on := c.Word("ON")
		if !on && !c.Word("OFF") {
			c.Refuse(errChaosSwitch)
		}
		if c.OK() {
			k.setWhim(here(c), i, on)
			c.Reply.Status("OK")
		}
	}
}

// MINI.CHAOS STATUS
func (k *Kit) cmdChaosStatus(c *engine.Call) {
	c.Reply.Map(whimCount)
	for i, w := range whims() {
		c.Reply.BulkString(w.name)
		if here(c).chaos[i] {
			c.Reply.BulkString("on")
		} else {
			c.Reply.BulkString("off")
		}
	}
}

package testkit

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func seedLines() []command.Line {
	return []command.Line{{Name: "mini.seed", Arity: 2, Flags: flags,
		Run: engine.On((*Kit).cmdSeed), Reply: "status", Since: since, Syntax: "seed:integer",
		Summary: "Repeats all random choices from a seed on.", Complexity: "O(N), N being the number of databases"}}
}

// MINI.SEED seed
//
// From the same seed the same commands get the same replies, at the same time: see engine.Reseed.
// Passwords are not foretold: ACL GENPASS asks the system.
func (k *Kit) cmdSeed(c *engine.Call) {
	if seed := c.IntIn(0, math.MaxInt64, errSeed); c.OK() {
		c.World.Reseed(uint64(seed))
		c.Reply.Status("OK")
	}
}

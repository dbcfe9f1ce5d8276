package engine

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
)

// What package invariants adds: the databases are walked while commands run. Each command saves up
// some kilobytes, and when there are as many as the databases hold, they are walked. So the walks
// take the same share of the time however large the databases are, and the same commands cause the
// same walks.

const (
	checkedBytes     = 4 << 10  // that a command saves up
	checkedOfComplex = 64 << 10 // and one after which more can be wrong
)

// checkAfter walks the databases after a command of a client, or leaves it to later ones.
func (w *World) checkAfter(cmd *command.Command) {
	w.checking.saved += checkedBytes
	if cmd.Flags&command.RunsTx != 0 || cmd.RunsScripts() || w.checking.lost(w.engine) {
		w.checking.saved += checkedOfComplex
	}
	w.check(cmd.FullName())
}

// checkBetween walks the databases after what happened between commands, if keys or elements were
// evicted or due.
func (w *World) checkBetween() {
	if w.engine.stack.depth == 0 && !w.isMidScript() && w.checking.lost(w.engine) {
		w.checking.saved += checkedOfComplex
		w.check("what was due")
	}
}

// lost reports whether keys or elements were evicted or due since it was last asked.
func (c *checking) lost(e *Engine) bool {
	before := c.gone
	c.gone = e.stats.expired + e.stats.expiredElements + e.eviction.evicted
	return c.gone != before
}

func (w *World) check(after string) {
	if w.checking.saved < w.Keyspace.Bytes() {
		return
	}
	w.checking.saved = 0
	if err := w.Keyspace.Check(); err != nil {
		panic(fmt.Sprintf("engine: after %s: %v", after, err))
	}
}

package search

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// FT.INDEX CHECK index
//
// It replies with OK if the index says of its documents what one says that is made anew of the
// keys, and with an error that tells the first difference if it does not.
func cmdIndexCheck(c *engine.Call) {
	e := searched(c, string(c.Arg()))
	switch {
	case c.Failed():
	case e.partial:
		c.Refuse(errPartial)
	default:
		of(c.World).scanOn(e, func() bool { return false })
		of(c.World).finishCleaning()
		if err := c.World.CheckRoom(e.Bytes()); err != nil {
			c.Refuse(err)
		} else if err := of(c.World).check(e); err != nil {
			c.Refusef(errDiffers, err)
		}
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// check returns an error if an index differs from one that is made anew of the keys.
func (cat *catalogue) check(e *entry) error {
	fresh := e.Fresh()
	for _, key := range e.Keys() {
		cat.read(fresh, key)
	}
	for _, key := range cat.coveredBy(fresh) {
		if e.Number(key) == 0 {
			cat.read(fresh, key)
		}
	}
	return e.Check(fresh, cat.world.Keyspace.Now)
}

// What an update saves up for checks of the indexes in a program that checks itself: see package
// invariants. As the engine's walks through the databases they take the same share of the time
// however large the indexes are.
const checkedBytes = 4 << 10

// checkNow checks the indexes, or leaves it to later updates.
func (cat *catalogue) checkNow() {
	if cat.checking += checkedBytes; cat.checking < cat.kept {
		return
	}
	cat.checking = 0
	for _, e := range cat.indexes {
		if e.partial || e.scan != nil {
			continue
		}
		if err := cat.check(e); err != nil {
			panic(fmt.Sprintf("search: index %q: %v", e.Name, err))
		}
	}
}

package group

import (
	"slices"
	"time"
)

// storedAgain is the pause between two looks, while somebody waits.
const storedAgain = time.Millisecond

// Stored implements topology.Source.
func (t source) Stored(told func(members int) (enough bool)) {
	g := t.member
	w := &stored{seat: g.own.seat, entry: g.own.executed, told: told}
	if g.effects.some() {
		w.entry++
	}
	if g.stored = append(g.stored, w); len(g.stored) == 1 {
		go g.watchStored()
	}
}

func (g *Group) watchStored() {
	for waiting := true; waiting; {
		time.Sleep(storedAgain)
		g.engine.With(func() {
			g.tellStored()
			waiting = len(g.stored) > 0
		})
	}
}

// tellStored tells those whose entries have been applied.
func (g *Group) tellStored() {
	members := g.log.Status().Members
	g.stored = slices.DeleteFunc(g.stored, func(w *stored) bool {
		switch {
		case !g.leading || g.own.seat != w.seat:
			return true
		case g.own.applied < w.entry:
			return false
		case w.index == 0:
			w.index = g.seen.index
		}
		n := 0
		for _, m := range members {
			if m.ID != g.params.id && m.Last >= w.index {
				n++
			}
		}
		return w.told(n)
	})
}

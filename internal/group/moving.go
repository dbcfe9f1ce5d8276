package group

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// noteMoving notes a change whose keys, which are in own.keys, may be in slots that move. Those that
// go are sent to the other group. Those that come only the other group may change.
func (g *Group) noteMoving(db int, cmd *command.Command, args [][]byte, complete bool) {
	if len(g.own.keys) == 0 || !complete {
		if cmd.Name != "function" && (cmd.Parent == nil || cmd.Parent.Name != "function") {
			g.breakMoves(cmd.FullName() + " concerns all hash slots")
		}
		return
	}
	out, in := 0, false
	for _, k := range g.own.keys {
		at := slot.Of(args[k.At])
		in = in || g.sharing.in.Has(at)
		if g.moving != nil && g.moving.slots.Has(at) {
			out++
		}
	}
	if in {
		g.spoil(cmd.FullName() + " has changed keys that came")
	}
	switch {
	case out == 0:
	case out < len(g.own.keys):
		g.breakMoves(cmd.FullName() + " has keys in several hash slots")
	default:
		g.moving.effects.add(db, args)
		if g.moving.effects.text.Len() > maxBehind {
			g.moving.broken = "too many changes while the keys are sent"
		}
	}
}

// breakMoves ends the moves that are under way.
func (g *Group) breakMoves(why string) {
	if g.moving != nil && g.moving.broken == "" {
		g.moving.broken = why
	}
	g.spoil(why)
}

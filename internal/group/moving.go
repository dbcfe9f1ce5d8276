package group

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// maxBehind is how many bytes of changes wait at most for the keys to be sent.
const maxBehind = 256 << 20

// export is a move out of the group that its leader executes.
type export struct {
	id      string
	slots   *slot.Set
	effects effects // that were not sent yet
	broken  string  // why it must end; "" if it need not
}

// wakeMoves has the leader look what there is to do.
func (g *Group) wakeMoves() {
	for _, wake := range []chan struct{}{g.wakes.moves, g.wakes.requests, g.wakes.trim} {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// incoming is what the leader keeps of a move into its group.
type incoming struct {
	session *engine.Session // whose commands build the keys
	spoiled string          // why the keys are not as the source has them; "" if they are
}

// spoil ends moves into the group after somebody else has changed keys that came. What the group
// will own in a moment it keeps.
func (g *Group) spoil(why string) {
	for _, in := range g.incoming {
		if in.spoiled == "" {
			in.spoiled = why
		}
	}
}

// keepDue keeps keys that are due while some come, as only the source knows whether those are.
func (g *Group) keepDue() { g.engine.Home().KeepDue(g.sharing.in != slot.Set{}) }

// noteMoving notes a change whose keys, which are in own.keys, may be in slots that move. Those
// that go are sent to the other group. Those that come only the other group may change.
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

// isRecord reports whether a command is what the log has of GROUP ONCE. The replies that are
// remembered go with the slots: which of them belong to these is not known, so all do.
func isRecord(cmd *command.Command) bool {
	return cmd.Parent != nil && cmd.FullName() == "group|record"
}

// breakMoves ends the moves that are under way.
func (g *Group) breakMoves(why string) {
	if g.moving != nil && g.moving.broken == "" {
		g.moving.broken = why
	}
	g.spoil(why)
}

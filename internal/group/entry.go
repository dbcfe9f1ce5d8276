package group

import (
	"encoding/binary"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// collect is the hook by which the engine tells changes.
func (g *Group) collect(db int, args [][]byte) {
	g.effects.add(db, args)
	g.noteChange(db, args)
}

// collectMessage is the hook by which the engine tells what replicas are to get. Most of it is in
// the effects already.
func (g *Group) collectMessage(db int, args [][]byte) {
	if command.IsWord(args[0], "PUBLISH") || command.IsWord(args[0], "SPUBLISH") {
		g.effects.add(db, args)
	}
}

// entry returns the effects as an entry.
func (g *Group) entry() []byte {
	head := binary.LittleEndian.AppendUint64(make([]byte, 0, entryHead+g.effects.whole), uint64(g.clock.Now()))
	return g.effects.take(head)
}

// noteChange notes the keys of an effect, which will be in the next entry.
func (g *Group) noteChange(db int, args [][]byte) {
	next := g.own.executed + 1
	cmd, err := g.engine.Commands.Resolve(args)
	if err != nil {
		g.settled.all = next
		return
	}
	complete := cmd.Keys.IsComplete()
	if g.own.keys = g.own.keys[:0]; complete {
		g.own.keys, complete = cmd.Keys.AppendTo(g.own.keys, args)
	}
	for _, k := range g.own.keys {
		g.settled.changes(args[k.At], next)
	}
	if !complete && cmd.Flags&command.Write != 0 {
		g.settled.all = next
	}
	if g.moving != nil && isRecord(cmd) {
		g.moving.effects.add(engine.AnyDB, args)
	}
	if (g.moving != nil || len(g.incoming) > 0) && !g.staging && cmd.Flags&command.Write != 0 {
		g.noteMoving(db, cmd, args, complete)
	}
}

// announce puts into the log where clients reach the members, as far as that is news. Members write
// it on the card that the leader gets.
func (g *Group) announce() {
	for _, m := range g.log.Status().Members {
		if m.Card != "" && g.clients[m.ID] != m.Card {
			g.clients[m.ID] = m.Card
			g.collect(engine.AnyDB,
				[][]byte{[]byte("GROUP"), []byte("ANNOUNCE"), fmt.Append(nil, m.ID), []byte(m.Card)})
		}
	}
}

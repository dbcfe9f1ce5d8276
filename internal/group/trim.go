package group

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// The leader removes the keys of slots that went to another group, or did not come, in the
// background. Nobody reads them meanwhile, as the slots are not the group's.

// trimAtOnce is about how many keys are looked at while clients wait.
const trimAtOnce = 200

// trimNext removes the keys of slots that are not the group's, and reports whether there may be
// more.
func (g *Group) trimNext() (more bool) {
	var slots slot.Set
	databases := 0
	g.engine.With(func() {
		if g.leading {
			slots, databases = g.sharing.trim, g.engine.Home().Keyspace.Len()
		}
	})
	if slots.Len() == 0 {
		return false
	}
	for db := range databases {
		for cursor, over := uint64(0), false; !over; {
			leads := false
			g.engine.With(func() {
				if leads = g.leading; leads {
					cursor, over = g.trimSome(db, cursor)
				}
			})
			if !leads || g.certain() != nil { // which is not faster than the log
				return false
			}
		}
	}
	g.engine.With(func() {
		if g.leading {
			g.change(func(s *share) { s.trimmed(&slots, false) })
			more = len(g.sharing.Trim) > 0
		}
	})
	return more
}

// trimSome removes some keys of a database, and returns where to go on, and whether that was the
// end. It does nothing while a script runs.
func (g *Group) trimSome(at int, cursor uint64) (next uint64, over bool) {
	home := g.engine.Home()
	db := home.Keyspace.DB(at)
	if !home.IsFree() || g.effects.open {
		return cursor, false
	}
	line := [][]byte{[]byte("DEL")}
	home.Keyspace.AsStored(func() {
		next = db.Keys().Scan(cursor, trimAtOnce, func(key string, _ keyspace.Type) bool {
			return g.sharing.trim.Has(slot.Of([]byte(key)))
		}, func(key string, _ keyspace.Type) { line = append(line, []byte(key)) })
	})
	if len(line) > 1 {
		g.staging = true
		s := home.NewMaster()
		_ = home.Nested(s, [][]byte{[]byte("SELECT"), strconv.AppendInt(nil, int64(at), 10)})
		_ = home.Nested(s, line)
		g.staging = false
	}
	return next, next == 0
}

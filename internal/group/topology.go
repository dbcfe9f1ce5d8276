package group

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// source implements topology.Source.
type source struct{ member *Group }

// Group implements topology.Source.
func (t source) Group() *topology.Group { return t.member.known }

// Transfer implements topology.Source.
func (t source) Transfer(id uint64, done func(error)) {
	go func() { done(t.member.transfer(id)) }()
}

// Assign implements topology.Shards. The slots must be the group's and empty, or nobody's.
func (t source) Assign(slots *slot.Set, take bool) error {
	g := t.member
	var taken slot.Set
	for _, shard := range g.tells() {
		for _, c := range shard.Claims {
			taken.AddAll(slot.SetOf([][2]int{{int(c.From), int(c.To)}}))
		}
	}
	free := *slots
	free.RemoveAll(&g.sharing.owned)
	switch {
	case !g.leading || g.sharing.ID == "":
		return errNotLeader
	case g.sharing.busy().Meets(slots) || g.sharing.trim.Meets(slots):
		return errBusySlots
	case take && taken.Meets(slots):
		return errTakenSlots
	case !take && free.Len() > 0:
		return errForeignSlots
	}
	epoch := int64(1)
	if m := g.mapOf(); m != nil {
		epoch = m.Epoch() + 1
	}
	g.change(func(s *share) {
		if take {
			s.own(slots, epoch)
			return
		}
		s.disown(slots)
		s.trimmed(slots, true)
	})
	return nil
}

// Moves implements topology.Shards.
func (t source) Moves() (list []topology.MoveStatus) {
	s := &t.member.sharing
	for _, m := range s.Moves {
		list = append(list, m.status(s.ID))
	}
	return list
}

// Move implements topology.Shards.
func (t source) Move(slots *slot.Set, to string) (id string, err error) {
	id = newID()
	return id, t.member.moveOut(id, slots, to)
}

// Fetch implements topology.Shards.
func (t source) Fetch(slots *slot.Set) (id string, err error) {
	g := t.member
	s, from := &g.sharing, ""
	switch m := g.mapOf(); {
	case !g.leading || m == nil:
		return "", errNotLeader
	case s.owned.Meets(slots):
		return "", errOwnSlots
	case s.busy().Meets(slots) || s.trim.Meets(slots) || s.underWay() >= maxMoves:
		return "", errBusySlots
	default:
		for _, r := range slots.Ranges() {
			for at := r[0]; at <= r[1]; at++ {
				owner := m.Owner(uint16(at))
				if owner == nil || from != "" && owner.ID != from {
					return "", errSeveralSources
				}
				from = owner.ID
			}
		}
	}
	id = newID()
	g.change(func(s *share) {
		m := move{ID: id, Slots: slots.Ranges(), Other: from, Began: g.engine.Home().Millis(), Requests: true}
		m.become(asking, m.Began)
		s.add(m)
	})
	g.wakeMoves()
	return id, nil
}

// Cancel implements topology.Shards.
func (t source) Cancel(id string) (n int) {
	g := t.member
	for _, m := range g.sharing.Moves {
		switch {
		case !g.leading || id != "" && m.ID != id:
		case m.Out && g.drop(m.ID, cancelled, "it was cancelled"):
			g.wakeMoves()
			n++
		case !m.Out && (m.State == asking || m.State == importing):
			g.abandon(m.ID, "it was cancelled")
			n++
		}
	}
	return n
}

// Meet implements topology.Shards.
func (t source) Meet(address string) {
	g := t.member
	if !slices.Contains(g.sharing.met, address) && len(g.sharing.met) < maxShards {
		g.sharing.met = append(g.sharing.met, address)
	}
	g.wakeHearsay()
}

package group

import (
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
func (t source) Move(slots *slot.Set, to string) (id string, err error) { return "", errNotLeader }

// Fetch implements topology.Shards.
func (t source) Fetch(slots *slot.Set) (id string, err error) { return "", errNotLeader }

// Cancel implements topology.Shards.
func (t source) Cancel(id string) int { return 0 }

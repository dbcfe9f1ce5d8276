package group

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// share is the group's part of a cluster of several groups: its name among them, the slots that it
// owns, and their moves. It is part of the data: each change of it is an effect in the log, which
// has the share as a whole, and snapshots have it. So whoever leads next goes on where the last one
// was, and to repeat a step does nothing.
//
//	         a group's log                             other groups
//	GROUP SHARE { ID, Owned, Moves ... }  ── GROUP MAP ──▶  hearsay
//
// Invariant: a slot is in Owned of one group at most, as of what the groups' logs have committed
// and the leaders execute. What is heard of other groups decides where clients are sent, and never
// what is in Owned.
type share struct {
	ID    string           `json:",omitempty"` // 40 hexadecimal digits; "" until somebody leads with cluster-enabled
	Rev   uint64           `json:",omitempty"` // counts changes
	Owned []topology.Claim `json:",omitempty"`
	// Slots whose keys are to be removed: they went to another group, or did not come.
	Trim  [][2]int          `json:",omitempty"`
	Moves []move            `json:",omitempty"` // the oldest first
	Heard []*topology.Shard `json:",omitempty"` // of other groups, so that a restart does not forget them
}

// sharing is the share with what follows from it, and what was heard of other groups.
type sharing struct {
	share
	owned  slot.Set
	trim   slot.Set
	in     slot.Set // slots that come
	coming *slot.Set
	heard  map[string]*topology.Shard
	mapped *topology.Map // nil if it must be made anew
	met    []string      // addresses of servers whose groups are not known yet
	saved  int64         // when Heard was written into the log, in nanoseconds
}

// derive finds out what follows from the share.
func (s *sharing) derive() {
	s.owned, s.in, s.trim = slot.Set{}, slot.Set{}, *slot.SetOf(s.Trim)
	s.coming, s.mapped = nil, nil
	for _, c := range s.Owned {
		s.owned.AddAll(slot.SetOf([][2]int{{int(c.From), int(c.To)}}))
	}
	for _, m := range s.Moves {
		switch m.State {
		case ready:
			if s.coming == nil {
				s.coming = new(slot.Set)
			}
			s.coming.AddAll(slot.SetOf(m.Slots))
			s.in.AddAll(slot.SetOf(m.Slots))
		case importing:
			s.in.AddAll(slot.SetOf(m.Slots))
		}
	}
}

// own makes the group the owner of slots, with an epoch.
func (s *share) own(slots *slot.Set, epoch int64) {
	s.disown(slots)
	for _, r := range slots.Ranges() {
		s.Owned = append(s.Owned, topology.Claim{From: uint16(r[0]), To: uint16(r[1]), Epoch: epoch})
	}
	slices.SortFunc(s.Owned, func(a, b topology.Claim) int { return int(a.From) - int(b.From) })
}

// disown ends the ownership of slots, and returns the highest epoch that they had.
func (s *share) disown(slots *slot.Set) (epoch int64) {
	var left []topology.Claim
	for _, c := range s.Owned {
		of := slot.SetOf([][2]int{{int(c.From), int(c.To)}})
		if of.Meets(slots) {
			epoch = max(epoch, c.Epoch)
		}
		of.RemoveAll(slots)
		for _, r := range of.Ranges() {
			left = append(left, topology.Claim{From: uint16(r[0]), To: uint16(r[1]), Epoch: c.Epoch})
		}
	}
	s.Owned = left
	return epoch
}

// trimmed adds slots to those whose keys are to be removed, or takes them from these.
func (s *share) trimmed(slots *slot.Set, add bool) {
	all := slot.SetOf(s.Trim)
	if add {
		all.AddAll(slots)
	} else {
		all.RemoveAll(slots)
	}
	s.Trim = all.Ranges()
}

// change changes the share of the group, which this member leads, and puts it into the log.
func (g *Group) change(how func(s *share)) {
	next := g.sharing.share
	next.Moves = slices.Clone(next.Moves)
	how(&next)
	next.Rev++
	text, err := json.Marshal(&next)
	if err != nil {
		panic(err) // there is nothing in it that JSON does not have
	}
	g.sharing.share = next
	g.sharing.derive()
	g.collect(engine.AnyDB, [][]byte{[]byte("GROUP"), []byte("SHARE"), text})
	g.refresh()
}

// takeShare takes what the log or a snapshot has.
func (g *Group) takeShare(s share) {
	g.sharing.share = s
	g.sharing.derive()
	g.hear(s.Heard)
	g.refresh()
}

// name names the group, and gives it the slots that group-slots says, when it leads in a cluster
// for the first time.
func (g *Group) name() {
	if !g.engine.Config.Cluster || g.sharing.ID != "" {
		return
	}
	g.change(func(s *share) {
		s.ID = newID()
		s.own(&g.params.slots, 1)
	})
}

// newID returns 40 random hexadecimal digits.
func newID() string {
	var id [20]byte
	_, _ = rand.Read(id[:]) // which does not fail
	return hex.EncodeToString(id[:])
}

// isApart reports whether the group is not a cluster by itself: it lacks slots, or has heard of
// other groups.
func (g *Group) isApart() bool {
	s := &g.sharing
	return s.ID != "" && (len(s.heard) > 0 || s.owned.Len() < slot.Count)
}

// mapOf returns which groups own which slots, as this member knows it; nil for a group by itself.
func (g *Group) mapOf() *topology.Map {
	s := &g.sharing
	if !g.isApart() {
		return nil
	}
	if s.mapped == nil {
		s.mapped = topology.NewMap(s.ID,
			append([]*topology.Shard{{ID: s.ID, Rev: s.Rev, Claims: s.Owned, Gave: s.gifts()}}, others(s.heard)...))
	}
	return s.mapped
}

// others returns groups in the order of their IDs.
func others(heard map[string]*topology.Shard) (list []*topology.Shard) {
	for _, id := range slices.Sorted(maps.Keys(heard)) {
		list = append(list, heard[id])
	}
	return list
}

// find returns the move with an ID and a direction; nil for none.
func (s *share) find(id string, out bool) *move {
	i := slices.IndexFunc(s.Moves, func(m move) bool { return m.ID == id && m.Out == out })
	if i < 0 {
		return nil
	}
	return &s.Moves[i]
}

// busy returns the slots of moves that are under way.
func (s *share) busy() *slot.Set {
	all := new(slot.Set)
	for _, m := range s.Moves {
		if !m.State.isOver() {
			all.AddAll(slot.SetOf(m.Slots))
		}
	}
	return all
}

// underWay counts the moves that are not over.
func (s *share) underWay() (n int) {
	for _, m := range s.Moves {
		if !m.State.isOver() {
			n++
		}
	}
	return n
}

// add begins a move, and forgets the oldest ones that are over.
func (s *share) add(m move) {
	ended := len(s.Moves) - s.underWay()
	s.Moves = slices.DeleteFunc(s.Moves, func(m move) bool {
		if ended < maxEnded || !m.State.isOver() {
			return false
		}
		ended--
		return true
	})
	s.Moves = append(s.Moves, m)
}

// gifts returns what the group gave away, for those who have not heard of the new owner yet.
func (s *share) gifts() (list []topology.Gift) {
	for _, m := range s.Moves {
		if !m.Out || m.State != given && m.State != done {
			continue
		}
		for _, r := range m.Slots {
			list = append(list, topology.Gift{To: m.Other,
				Claim: topology.Claim{From: uint16(r[0]), To: uint16(r[1]), Epoch: m.Epoch + 1}})
		}
	}
	return list
}

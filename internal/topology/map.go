package topology

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// Map is which groups of a cluster own which hash slots, as a member of one of them knows it. What
// the member's own group owns is certain, as it is in that group's log. The rest is hearsay: of two
// claims to a slot the one with the higher epoch counts. Nobody changes a Map.
type Map struct {
	Self   string // the ID of the member's own group
	Shards []*Shard
	owners [slot.Count]int16 // indexes in Shards; -1 for none
	free   int               // slots without an owner
}

// Shard is a group as it is told to the members of others.
type Shard struct {
	ID     string // 40 hexadecimal digits
	Rev    uint64 // of the claims: the higher counts
	Claims []Claim
	Gave   []Gift // what it gave to others, lately
	// When the rest was so: the term, and the last entry that the member who told it had executed.
	// Of two reports the later one counts.
	Term, At uint64
	Leader   uint64   // the member that leads; 0 if none does
	Members  []Member // as far as clients reach them
}

// Claim says that a group owns a range of slots, since a move with this epoch.
type Claim struct {
	From, To uint16
	Epoch    int64
}

// Gift is a claim of another group, as the one tells it from which the slots came.
type Gift struct {
	Claim Claim
	To    string // the ID of the group
}

// NewMap returns the map that shards have together. It keeps them.
func NewMap(self string, shards []*Shard) *Map {
	m := &Map{Self: self, Shards: shards, free: slot.Count}
	var epochs [slot.Count]int64
	for at := range m.owners {
		m.owners[at] = -1
	}
	claim := func(i int, claims []Claim, certain bool) {
		for _, c := range claims {
			for at := int(c.From); at <= min(int(c.To), slot.Count-1); at++ {
				if m.owners[at] >= 0 && !certain && c.Epoch <= epochs[at] {
					continue
				}
				m.owners[at], epochs[at] = int16(i), c.Epoch
			}
		}
	}
	own := -1
	for i, s := range shards {
		if s.ID == self {
			own = i
			continue
		}
		claim(i, s.Claims, false)
	}
	for _, s := range shards {
		for _, gift := range s.Gave {
			if i := slices.IndexFunc(shards, func(s *Shard) bool { return s.ID == gift.To }); i >= 0 {
				claim(i, []Claim{gift.Claim}, false)
			}
		}
	}
	if own >= 0 {
		claim(own, shards[own].Claims, true)
	}
	for _, owner := range m.owners {
		if owner >= 0 {
			m.free--
		}
	}
	return m
}

// Owner returns the group that owns a slot; nil if none does.
func (m *Map) Owner(at uint16) *Shard {
	if i := m.owners[at]; i >= 0 {
		return m.Shards[i]
	}
	return nil
}

// Owns reports whether the member's own group owns a slot.
func (m *Map) Owns(at uint16) bool {
	i := m.owners[at]
	return i >= 0 && m.Shards[i].ID == m.Self
}

// IsComplete reports whether each slot has an owner.
func (m *Map) IsComplete() bool { return m.free == 0 }

// Shard returns the group with an ID; nil for none.
func (m *Map) Shard(id string) *Shard {
	i := slices.IndexFunc(m.Shards, func(s *Shard) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return m.Shards[i]
}

// WithNode returns the group one of whose members has an ID as a node; nil for none.
func (m *Map) WithNode(id string) (s *Shard, member uint64) {
	for _, s := range m.Shards {
		for _, each := range s.Members {
			if NodeID(s.ID, each.ID) == id {
				return s, each.ID
			}
		}
	}
	return nil, 0
}

// Slots returns the ranges of slots that a group owns.
func (m *Map) Slots(s *Shard) [][2]int {
	var set slot.Set
	for at, i := range m.owners {
		if i >= 0 && m.Shards[i] == s {
			set.Add(uint16(at))
		}
	}
	return set.Ranges()
}

// Epoch returns the highest epoch of all claims.
func (m *Map) Epoch() (highest int64) {
	for _, s := range m.Shards {
		highest = max(highest, s.Epoch())
	}
	return highest
}

// InOrder returns the groups in the order of their first slots; those without any come last.
func (m *Map) InOrder() (list []*Shard) {
	last := int16(-1)
	for _, i := range m.owners {
		if i >= 0 && i != last && !slices.Contains(list, m.Shards[i]) {
			list = append(list, m.Shards[i])
		}
		last = i
	}
	rest := slices.DeleteFunc(slices.Clone(m.Shards), func(s *Shard) bool { return slices.Contains(list, s) })
	slices.SortFunc(rest, func(a, b *Shard) int { return cmp.Compare(a.ID, b.ID) })
	return append(list, rest...)
}

// Epoch returns the highest epoch of the group's claims.
func (s *Shard) Epoch() (highest int64) {
	for _, c := range s.Claims {
		highest = max(highest, c.Epoch)
	}
	return highest
}

// Group returns the shard as a group whose member nobody here is.
func (s *Shard) Group() *Group {
	return &Group{Shard: s.ID, Leader: s.Leader, Last: s.Leader, Term: s.Term, Members: s.Members}
}

// Merge returns what two reports about the same group tell together, and whether that is something
// else than the first one tells.
func (s *Shard) Merge(other *Shard) (both *Shard, more bool) {
	merged := *s
	if other.Rev > s.Rev {
		merged.Rev, merged.Claims, merged.Gave, more = other.Rev, other.Claims, other.Gave, true
	}
	if cmp.Or(cmp.Compare(other.Term, s.Term), cmp.Compare(other.At, s.At)) > 0 {
		more = more || other.Leader != s.Leader || other.Term != s.Term || !slices.Equal(other.Members, s.Members)
		merged.Term, merged.At, merged.Leader, merged.Members = other.Term, other.At, other.Leader, other.Members
	}
	return &merged, more
}

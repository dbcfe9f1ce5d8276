// Package topology is what a server knows of the group of servers whose member it is: who belongs
// to it, and who leads. Clients are told of it in many places: CLUSTER, ROLE, INFO, SENTINEL, and
// the gate of the engine, which redirects them. All of these read a Group; package group makes it.
package topology

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// Source tells what a member knows of its group. Its methods are called under the engine's lock.
type Source interface {
	// Group returns what the member knows now. Nobody changes the result; it is cheap, since the
	// gate calls it for commands of clients.
	Group() *Group
	// Transfer asks the leader, which must be this member, to hand its seat to another one: to any
	// that is up to date if id is 0. It does not wait. done is called once, without the lock, with
	// the result.
	Transfer(id uint64, done func(error))
	// Stored calls told with the number of other members that have all changes so far, under the
	// lock: soon, and whenever that may be another number, until told returns true or this member
	// leads no more.
	Stored(told func(members int) (enough bool))
}

// Shards is a Source whose group shares the slots of a cluster with other groups. Methods with done
// do not wait: it is called once, without the lock, with the result.
type Shards interface {
	Source
	// Meet has the groups of this server and of another one, by its address, know each other.
	Meet(address string)
	// Assign makes the group the owner of slots that no group owns, or with take false ends that.
	Assign(slots *slot.Set, take bool) error
	// Move begins to move slots of the group to another one, and returns the name of the move.
	Move(slots *slot.Set, to string) (id string, err error)
	// Fetch begins to move slots of another group to this one.
	Fetch(slots *slot.Set) (id string, err error)
	// Cancel cancels moves: the one with a name, or all if that is "". It returns how many.
	Cancel(id string) int
	// Moves returns the moves that are under way, and the last that ended.
	Moves() []MoveStatus
}

// MoveStatus is what is told of a move of slots.
type MoveStatus struct {
	ID       string
	Slots    [][2]int
	From, To string // groups
	Out      bool   // from this group, else to it
	State    string // see package group
	Message  string // why it failed; "" if it did not
	Began    int64  // milliseconds since the epoch
	Changed  int64  // when the state became what it is
	Ended    int64  // 0 while it is under way
	Keys     int64  // that were sent or received so far
	Pause    int64  // for how many microseconds clients waited at the end
}

// Group is a group as one of its members knows it.
type Group struct {
	Name   string // by which clients ask a Sentinel for it
	Shard  string // the 40 hexadecimal digits that tell it from all other groups; "" if it has none
	Self   uint64 // the id of this member; 0 if that is a member of another group
	Leader uint64 // the id of the leader; 0 while none is known
	// The id of the leader, or while none is known of the last one; 0 if this member never heard of
	// one.
	Last    uint64
	Seated  bool     // this member leads, and its data are writable
	Term    uint64   // of the leader
	Members []Member // by id, this one among them
	// How many milliseconds old the data of this member may be: 0 at the leader, -1 if it never
	// heard a leader.
	Age int64
	// Which groups own which slots; nil for a group that has all of them.
	Map *Map
	// The slots that another group is about to give this one, and whose keys are all here; nil for
	// none.
	Coming *slot.Set
}

// Member is one server of a group.
type Member struct {
	ID      uint64
	Host    string // where clients reach it; "" while this is unknown
	Port    int
	TLSPort int    // where clients over TLS reach it, if they have a port of their own; 0 otherwise
	Up      bool   // as far as this member knows: it hears from it, or the leader does
	Heard   int64  // how many milliseconds ago it was heard of; 0 for this member itself, -1 for never
	Applied uint64 // the last entry that it has executed, as far as this member knows; 0 if that is unknown
	Learner bool   // it receives the log, and has no vote
}

// For returns the group with the ports that a client uses, whose connection has TLS or not: those
// for TLS are apart. It is nil for nil.
func (g *Group) For(tls bool) *Group {
	if g == nil || !tls {
		return g
	}
	secure := *g
	secure.Members = slices.Clone(g.Members)
	for i := range secure.Members {
		m := &secure.Members[i]
		m.Port = cmp.Or(m.TLSPort, m.Port)
	}
	return &secure
}

// Confirming returns how many other members have a change, at least, when a reply tells of it.
func (g *Group) Confirming() (n int) {
	for _, m := range g.Members {
		if !m.Learner {
			n++
		}
	}
	return n / 2
}

// Member returns the member with an id; nil for none.
func (g *Group) Member(id uint64) *Member {
	i := slices.IndexFunc(g.Members, func(m Member) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &g.Members[i]
}

// LeadingMember returns the leader; nil while none is known, or where clients reach it is not.
func (g *Group) LeadingMember() *Member { return g.reachable(g.Leader) }

// LastLeader returns the leader, or while none is known the last one; nil if there was none.
func (g *Group) LastLeader() *Member { return g.reachable(g.Last) }

// reachable returns the member with an id, if it is known where clients reach it; nil otherwise.
func (g *Group) reachable(id uint64) *Member {
	if m := g.Member(id); m != nil && m.Host != "" {
		return m
	}
	return nil
}

// Address returns where clients reach the member, as host:port.
func (m *Member) Address() string { return net.JoinHostPort(m.Host, strconv.Itoa(m.Port)) }

// Quorum returns how many members must agree.
func (g *Group) Quorum() int { return g.voters(func(Member) bool { return true })/2 + 1 }

// Reachable returns how many members with a vote are up.
func (g *Group) Reachable() int { return g.voters(func(m Member) bool { return m.Up }) }

// voters counts the members with a vote that satisfy a condition.
func (g *Group) voters(is func(Member) bool) (n int) {
	for _, m := range g.Members {
		if !m.Learner && is(m) {
			n++
		}
	}
	return n
}

// NodeID returns the 40 hexadecimal digits by which cluster clients and Sentinels know a member.
// They are the same at all members and after each start.
func (g *Group) NodeID(id uint64) string { return NodeID(cmp.Or(g.Shard, g.Name), id) }

// ShardID returns those of the group as a whole.
func (g *Group) ShardID() string {
	if g.Shard != "" {
		return g.Shard
	}
	return HexDigest(g.Name)
}

// NodeID is that of a member of a group with a name or an ID.
func NodeID(group string, id uint64) string { return HexDigest(fmt.Sprintf("%s/%d", group, id)) }

// HexDigest returns 40 hexadecimal digits that a name stands for: its SHA-1.
func HexDigest(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

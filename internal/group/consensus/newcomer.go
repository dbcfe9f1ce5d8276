package consensus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// newcomer is a member that starts without the file with its vote. It was just made, or it has lost
// its directory, and cannot tell which: it may have voted, and confirmed entries that it has no
// longer. Until it knows what it has promised, it does not vote, and takes nothing from a leader:
// it has no core. It asks the others:
//
//	no listed member has ever had a leader   this is the group's first start: it founds the group,
//	                                         as they do
//	the group gives it no vote               it is being added, and has never promised anything
//	the group gives it a vote                it has lost what it had: it has a hole
//
// The term of the hole is the highest one that any of the others knows, so all of them must answer.
// Whatever it has promised to a leader was for terms up to that one: of the votes that elected it,
// its own among them, at least one is another member's, who had stored the term. It begins with the
// next term, so it refuses the leaders of these, and the seat is taken anew. From then on it is
// like a member with damage: see openStores.
//
// The list of members that counts is one that most of those who vote there have. A question tells
// what its answer does, so newcomers that ask each other know the same.
type newcomer struct {
	node *Node
	is   atomic.Bool
	news chan struct{}

	mu    sync.Mutex
	asked map[string]bool
	told  map[uint64]account
}

// account is what a member tells a newcomer.
type account struct {
	ID      uint64
	Term    uint64
	Members []member
	Group   uint64 // its identity; that of a newcomer is one that it would found
}

// unknownHole is the hole of a newcomer.
const unknownHole = math.MaxUint64

const (
	askAgain  = 200 * time.Millisecond
	sayMember = 5 * time.Second // how often a newcomer says for whom it waits
	maxMet    = 64              // members that it asks and remembers: strangers can tell of any number
)

func (c *newcomer) init(n *Node) {
	c.node, c.news = n, make(chan struct{}, 1)
	c.asked, c.told = make(map[string]bool), make(map[uint64]account)
}

func (c *newcomer) isOne() bool { return c.is.Load() }

// run asks the others until this member knows what it has promised, and lets it take part then.
func (c *newcomer) run() {
	for _, m := range c.node.options.Members {
		c.meet(m.ID, m.Address)
	}
	tick := time.NewTicker(sayMember)
	defer tick.Stop()
	for !c.settle() {
		select {
		case <-c.news:
		case <-tick.C:
			c.node.options.Log("notice",
				"This member has started without data, and asks the others before it votes."+c.missing())
		case <-c.node.closed:
			return
		}
	}
	c.node.inbox.call(func() {
		if err := c.node.startCore(); err != nil {
			c.node.options.Log("warning", "This member cannot take part: "+err.Error())
			return
		}
		c.node.transport.setMembers(c.node.core.members)
		c.is.Store(false)
	})
}

// meet begins to ask a member.
func (c *newcomer) meet(id uint64, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == c.node.options.ID || c.asked[address] || len(c.asked) >= maxMet || !c.is.Load() {
		return
	}
	c.asked[address] = true
	c.node.transport.tasks.Go(func() { c.ask(address) })
}

func (c *newcomer) ask(address string) {
	for c.is.Load() {
		if a, err := c.node.transport.exchange(address); err == nil {
			c.hear(a)
		}
		if !c.node.sleep(askAgain) {
			return
		}
	}
}

// hear notes what a member tells, and meets those it knows.
func (c *newcomer) hear(a account) {
	if !c.is.Load() {
		return
	}
	c.mu.Lock()
	if _, known := c.told[a.ID]; known || len(c.told) < maxMet || c.isListed(a.ID) {
		c.told[a.ID] = a
	}
	c.mu.Unlock()
	for _, m := range a.Members {
		c.meet(m.ID, m.Address)
	}
	notify(c.news)
}

func (c *newcomer) isListed(id uint64) bool {
	return slices.ContainsFunc(c.node.options.Members, func(m Member) bool { return m.ID == id })
}

// settle stores the hole, if it is known, and the first snapshot of a group that is founded.
func (c *newcomer) settle() bool {
	n := c.node
	hole, known := c.promised()
	if !known {
		return false
	}
	group := c.joined()
	if c.isFirst() {
		group = c.founded()
		if err := n.found(); err != nil {
			n.options.Log("warning", "The group cannot be founded: "+err.Error())
			return false
		}
	}
	err := n.stable.update(func(s *content) {
		s.Group, s.Hole = group, hole
		if hole > 0 {
			s.Term, s.Vote = max(s.Term, hole+1), 0
		}
	})
	if err != nil {
		return false
	}
	if hole > 0 {
		n.options.Log("warning", "This member had a vote in the group, "+
			"and has lost its data: it gets them from the others, and does not vote before it has them")
	}
	return true
}

// promised returns the highest term in which this member may have promised anything, 0 for none,
// and whether that is known.
func (c *newcomer) promised() (term uint64, known bool) {
	if c.isFirst() {
		return 0, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	told, ok := c.members()
	if !ok {
		return 0, false
	}
	own, is := find(told.Members, c.node.options.ID)
	switch {
	case !is:
		if !c.node.options.Join {
			c.node.refused.Store(c.node.clock())
		}
		return 0, false
	case !own.Voter:
		return 0, true
	}
	term = c.node.stable.get().Term
	for _, m := range told.Members {
		a, ok := c.told[m.ID]
		if !ok && m.ID != own.ID && m.Voter {
			return 0, false
		}
		term = max(term, a.Term)
	}
	return term, true
}

// isFirst reports whether the listed members have never had a leader. Term 1 is that of the
// snapshot with which each founds the group.
func (c *newcomer) isFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.node.options.Join || c.node.stable.get().Term > 1 {
		return false
	}
	for _, a := range c.told {
		if a.Term > 1 {
			return false
		}
	}
	return len(c.silent()) == 0
}

// members returns what most of those who vote in a group tell of it, who its members are above all.
// Two lists that follow each other cannot both be such.
func (c *newcomer) members() (told account, ok bool) {
	for _, a := range c.told {
		voters, have := 0, 0
		for _, m := range a.Members {
			if m.Voter {
				voters++
				if c.told[m.ID].sameAs(a) {
					have++
				}
			}
		}
		if 2*have > voters {
			return a, true
		}
	}
	return account{}, false
}

// silent returns the listed members that have told nothing.
func (c *newcomer) silent() (list []Member) {
	for _, m := range c.node.options.Members {
		if _, ok := c.told[m.ID]; !ok && m.ID != c.node.options.ID {
			list = append(list, m)
		}
	}
	return list
}

func (c *newcomer) missing() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, m := range c.silent() {
		names = append(names, fmt.Sprintf("%d (%s)", m.ID, m.Address))
	}
	if names == nil {
		return " If most members have lost their data, group-salvage begins the group anew with what one has"
	}
	return " No answer yet from: " + strings.Join(names, ", ")
}

// found writes the first snapshot of a new group, which tells who its members are. All founders
// write the same.
func (n *Node) found() error {
	if n.snapshots.newest().Index > 0 {
		return nil
	}
	var members []member
	for _, m := range n.options.Members {
		members = append(members, member{m.ID, m.Address, true})
	}
	return n.begin(members)
}

// begin begins a log: with the state before the first entry, and these members.
func (n *Node) begin(members []member) error {
	slices.SortFunc(members, func(a, b member) int { return int(a.ID) - int(b.ID) })
	if err := n.snapshots.write(head{Index: 1, Term: 1, Members: members}, nil, nil); err != nil {
		return err
	}
	if err := n.log.reset(position{1, 1}); err != nil {
		return err
	}
	return n.stable.update(func(c *content) { c.Term = max(c.Term, 1) })
}

// account returns what this member tells newcomers.
func (n *Node) account() account {
	c := n.stable.get()
	a := account{ID: n.options.ID, Term: max(n.view().term, c.Term), Members: n.view().members, Group: c.Group}
	if c.Hole == unknownHole {
		a.Group = n.proposal()
	}
	return a
}

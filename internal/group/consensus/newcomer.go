package consensus

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// newcomer is a member that starts without the file with its vote. It was just made, or it has lost
// its directory, and cannot tell which: it may have voted, and confirmed entries that it has no
// longer. Until it knows what it has promised, it does not vote, and takes nothing from a leader.
// It asks the others:
//
//	no listed member has ever had a leader   this is the group's first start: it founds the group,
//	                                         as they do
//	the group gives it no vote               it is being added, and has never promised anything
//	the group gives it a vote                it has lost what it had: it has a hole
//
// The term of the hole is the highest one that any of the others knows, so all of them must answer.
// Its promises were for terms up to that one: a candidate has stored its term before it asks for
// votes, and so has a leader before it sends entries. It refuses the leaders of these terms, so the
// seat is taken anew. From then on it is like a member with damage: see openStores.
//
// The list of members that counts is one that most of those who vote there have. A question tells
// what its answer does, so newcomers that ask each other know the same.
type newcomer struct {
	node *Node
	news chan struct{}
	over chan struct{} // closed when it knows

	mu    sync.Mutex
	asked map[raft.ServerAddress]bool
	told  map[raft.ServerID]account
}

// account is what a member tells a newcomer.
type account struct {
	Term    uint64
	Servers []raft.Server // the members
	Group   uint64        // its identity; that of a newcomer is one that it would found
}

// unknownHole is the hole of a newcomer.
const unknownHole = math.MaxUint64

const (
	askAgain  = 200 * time.Millisecond
	sayMember = 5 * time.Second // how often a newcomer says for whom it waits
	maxMet    = 64              // members that it asks and remembers: strangers can tell of any number
)

func (c *newcomer) init(n *Node) {
	c.node, c.news, c.over = n, make(chan struct{}, 1), make(chan struct{})
	c.asked, c.told = make(map[raft.ServerAddress]bool), make(map[raft.ServerID]account)
}

// run asks the others until this member knows what it has promised.
func (c *newcomer) run() {
	defer close(c.over)
	for _, m := range c.node.options.Members {
		c.meet(serverID(m.ID), raft.ServerAddress(m.Address))
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
}

// meet begins to ask a member.
func (c *newcomer) meet(id raft.ServerID, address raft.ServerAddress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == c.self() || c.asked[address] || len(c.asked) >= maxMet {
		return
	}
	c.asked[address] = true
	go c.ask(id, address)
}

func (c *newcomer) self() raft.ServerID { return serverID(c.node.options.ID) }

func (c *newcomer) ask(id raft.ServerID, address raft.ServerAddress) {
	for {
		if a, err := c.node.transport.ask(id, address); err == nil {
			c.hear(id, a)
		}
		select {
		case <-time.After(askAgain):
		case <-c.over:
			return
		}
	}
}

// hear notes what a member tells, and meets those it knows.
func (c *newcomer) hear(id raft.ServerID, a account) {
	c.mu.Lock()
	if _, known := c.told[id]; known || len(c.told) < maxMet || c.isListed(id) {
		c.told[id] = a
	}
	c.mu.Unlock()
	for _, s := range a.Servers {
		c.meet(s.ID, s.Address)
	}
	notify(c.news)
}

func (c *newcomer) isListed(id raft.ServerID) bool {
	return slices.ContainsFunc(c.node.options.Members, func(m Member) bool { return serverID(m.ID) == id })
}

// settle stores the hole, if it is known.
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
	if err := cmp.Or(n.stable.setNumber(keyGroup, group), n.stable.setNumber(keyHole, hole)); err != nil {
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
	list := told.Servers
	i := slices.IndexFunc(list, func(s raft.Server) bool { return s.ID == c.self() })
	switch {
	case i < 0:
		if !c.node.options.Join {
			c.node.transport.noteRemoved()
		}
		return 0, false
	case list[i].Suffrage != raft.Voter:
		return 0, true
	}
	for _, s := range list {
		a, ok := c.told[s.ID]
		if !ok && s.ID != c.self() && s.Suffrage == raft.Voter {
			return 0, false
		}
		term = max(term, a.Term)
	}
	return term, true
}

// isFirst reports whether the listed members have never had a leader. Term 1 is that of the entry
// with which each founds the group.
func (c *newcomer) isFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.node.options.Join {
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
		for _, s := range a.Servers {
			if s.Suffrage == raft.Voter {
				voters++
				if c.told[s.ID].sameAs(a) {
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
		if _, ok := c.told[serverID(m.ID)]; !ok && m.ID != c.node.options.ID {
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

// found writes the first entry of a new group's log, which tells who its members are.
func (n *Node) found() error {
	var first raft.Configuration
	for _, m := range n.options.Members {
		first.Servers = append(first.Servers, raft.Server{ID: serverID(m.ID), Address: raft.ServerAddress(m.Address)})
	}
	err := n.raft.BootstrapCluster(first).Error()
	if errors.Is(err, raft.ErrCantBootstrap) {
		return nil // it has a log
	}
	return err
}

// account returns what this member tells newcomers.
func (n *Node) account() account {
	a := account{Term: n.raft.CurrentTerm(), Servers: n.configuration(), Group: n.identity()}
	if n.hole() == unknownHole {
		a.Group = n.proposal()
	}
	return a
}

// Accounts travel in a question for a vote in term 0, which Raft never asks, in place of the
// member's address.

func (a account) header(id uint64) raft.RPCHeader {
	b, _ := json.Marshal(a)
	return raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(serverID(id)), Addr: b}
}

func (t *transport) ask(id raft.ServerID, to raft.ServerAddress) (a account, err error) {
	q := &raft.RequestPreVoteRequest{RPCHeader: t.node.account().header(t.node.options.ID)}
	var answer raft.RequestPreVoteResponse
	if err = t.NetworkTransport.RequestPreVote(id, to, q, &answer); err == nil {
		err = json.Unmarshal(answer.Addr, &a)
	}
	return a, err
}

// tell answers a newcomer's question.
func (n *Node) tell(q *raft.RequestPreVoteRequest) *raft.RequestPreVoteResponse {
	var a account
	if n.hole() == unknownHole && json.Unmarshal(q.Addr, &a) == nil {
		n.newcomer.hear(raft.ServerID(q.ID), a)
	}
	return &raft.RequestPreVoteResponse{RPCHeader: n.account().header(n.options.ID)}
}

// hole returns the term in which this member has lost entries, 0 if it has all.
func (n *Node) hole() uint64 { return n.stable.number(keyHole) }

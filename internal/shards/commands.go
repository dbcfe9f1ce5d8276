package shards

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// family is MINI.CLUSTER.
func family() command.Family {
	line := func(name, syntax, summary string, arity int, run any) command.Line {
		return command.Line{Name: name, Arity: arity, Flags: testkit.Flags, Run: run, Reply: "status",
			Since: testkit.Since, Syntax: syntax, Summary: summary,
			Complexity: "O(N), N being the keys of the nodes concerned"}
	}
	return command.Family{Group: testkit.Group, Commands: []command.Line{{Name: "mini.cluster", Arity: -2,
		Flags: testkit.Flags, Since: testkit.Since, Complexity: "Depends on the subcommand",
		Summary: "A container for commands that change the cluster of the process.", Subs: []command.Line{
			line("cont", "node", "Lets a node that was stopped go on.", 3, engine.On((*Shards).cmdCont)),
			line("failover", "node",
				"Has a replica take the place of a master at once, or this replica that of its master.", 3,
				engine.On((*Shards).cmdFailover)),
			line("heal", "", "Ends partitions, lost writes, and what has killed or stopped nodes.", 2,
				engine.On((*Shards).cmdHeal)),
			testkit.HelpLine(),
			line("kill", "node", "Ends a node as the end of its process would. Its data are gone.", 3,
				engine.On((*Shards).cmdKill)),
			line("lose", "node", "Keeps what a master confirms from now on from its replicas.", 3,
				engine.On((*Shards).cmdLose)),
			line("move", "node slot...", "Moves slots with their keys to a master in one step.", -4,
				engine.On((*Shards).cmdMove)),
			line("partition", "node...", "Puts nodes on a side of their own: they hear only one another.", -3,
				engine.On((*Shards).cmdPartition)),
			line("split", "node", "Puts a master on a side of its own, while a replica takes its place on the other.",
				3, engine.On((*Shards).cmdSplit)),
			line("stop", "node", "Stops a node: it answers nobody until it goes on.", 3, engine.On((*Shards).cmdStop)),
		}}}}
}

// node reads a node: its port, its address or its ID.
func (s *Shards) node(c *engine.Call) *topology.Node {
	name := string(c.Arg())
	if s.cluster == nil {
		c.Refuse(errNoCluster)
		return nil
	}
	n := s.cluster.Find(name)
	if n == nil {
		c.Refusef(errNoNode, name)
	}
	return n
}

// after changes the cluster between commands, and replies.
func (s *Shards) after(c *engine.Call, change func(now int64)) {
	if s.cluster == nil {
		c.Refuse(errNoCluster)
	}
	if !c.OK() {
		return
	}
	c.Afterwards(func() {
		change(s.engine.Home().Millis())
		s.arrange()
	})
	c.Reply.Status("OK")
}

// MINI.CLUSTER KILL node
func (s *Shards) cmdKill(c *engine.Call) {
	n := s.node(c)
	s.after(c, func(now int64) {
		s.listen(n, false)
		s.down(n, now)
		s.kit.Cut(s.worlds[n], c.Session)
		s.worlds[n].FlushAll()
	})
}

// MINI.CLUSTER STOP node
func (s *Shards) cmdStop(c *engine.Call) {
	n := s.node(c)
	s.after(c, func(now int64) {
		s.down(n, now)
		s.kit.Hang(s.worlds[n], true)
	})
}

// MINI.CLUSTER CONT node
func (s *Shards) cmdCont(c *engine.Call) {
	n := s.node(c)
	s.after(c, func(now int64) { s.up(n, now) })
}

// MINI.CLUSTER HEAL
func (s *Shards) cmdHeal(c *engine.Call) {
	s.after(c, func(now int64) {
		clear(s.losing)
		for _, n := range s.cluster.Nodes {
			if n.Down {
				s.up(n, now)
			}
		}
		s.cluster.Heal(now)
	})
}

// MINI.CLUSTER PARTITION node [node ...]
func (s *Shards) cmdPartition(c *engine.Call) {
	var side []*topology.Node
	for c.More() {
		side = append(side, s.node(c))
	}
	s.after(c, func(now int64) { s.cluster.Part(side, now) })
}

// MINI.CLUSTER FAILOVER node
func (s *Shards) cmdFailover(c *engine.Call) {
	heir := s.heir(c, s.node(c))
	s.after(c, func(int64) { s.cluster.Promote(heir.View, heir) })
}

// heir returns a replica, or that of a master which can take its place.
func (s *Shards) heir(c *engine.Call, n *topology.Node) *topology.Node {
	if c.Failed() || s.masterOf(n) != nil {
		return n
	}
	for _, r := range s.cluster.Replicas(n.View, n) {
		if !r.Down {
			return r
		}
	}
	c.Refusef(errNoReplica, strconv.Itoa(n.Port))
	return nil
}

// master reads a node that must be a master.
func (s *Shards) master(c *engine.Call) *topology.Node {
	n := s.node(c)
	if !c.Failed() && s.masterOf(n) != nil {
		c.Refusef(errNotMaster, strconv.Itoa(n.Port))
	}
	return n
}

// MINI.CLUSTER LOSE node
//
// The master goes on to confirm writes. A failover loses them; HEAL gives them to the replicas.
func (s *Shards) cmdLose(c *engine.Call) {
	n := s.master(c)
	s.after(c, func(int64) { s.losing[n] = true })
}

// MINI.CLUSTER SPLIT node
func (s *Shards) cmdSplit(c *engine.Call) {
	n := s.master(c)
	heir := s.heir(c, n)
	s.after(c, func(now int64) {
		s.cluster.Part([]*topology.Node{n}, now)
		s.cluster.Promote(heir.View, heir)
	})
}

// MINI.CLUSTER MOVE node slot [slot ...]
func (s *Shards) cmdMove(c *engine.Call) {
	to := s.master(c)
	var slots []uint16
	for c.More() {
		slots = append(slots, readSlots(c)...)
	}
	s.after(c, func(int64) { s.move(to, slots) })
}

// readSlots reads a slot, or a range of slots.
func readSlots(c *engine.Call) (slots []uint16) {
	first, last, ranged := strings.Cut(string(c.Arg()), "-")
	if !ranged {
		last = first
	}
	from, err1 := strconv.ParseUint(first, 10, 16)
	to, err2 := strconv.ParseUint(last, 10, 16)
	if err1 != nil || err2 != nil || from > to || to >= slot.Count {
		c.Refuse(errSlot)
		return nil
	}
	for at := from; at <= to; at++ {
		slots = append(slots, uint16(at))
	}
	return slots
}

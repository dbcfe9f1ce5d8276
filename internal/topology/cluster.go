package topology

import (
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// Cluster is a whole Redis Cluster: nodes that share the hash slots. All of them are in one
// process, so that what one node tells the others they know at once, without messages. What nodes
// that hear one another agree on is a View, which they share. A partition gives each of its sides a
// view of its own, and when it heals the views become one again: of two claims the one with the
// higher epoch counts, as in Redis.
//
//	Cluster ── Node ──┐
//	        ── Node ──┴─▶ View   who owns each slot, who follows whom, who has failed
//	        ── Node ────▶ View   of a node that does not hear the others
//
// Nothing here runs by itself: Pass says what the time brings about.
type Cluster struct {
	Nodes        []*Node
	Timeout      func() int64 // milliseconds after which a silent node has failed
	FullCoverage func() bool  // no slot is served unless all are
	Changed      func()       // is called between commands after a change of who serves what
}

// Node is one server of a cluster.
type Node struct {
	Cluster   *Cluster
	ID, Shard string // 40 hexadecimal digits each
	Host      string
	Port      int
	View      *View
	Down      bool         // it neither hears nor is heard
	Offset    func() int64 // of its data
	// Slots that move, with the node they move to or come from.
	Migrating, Importing map[uint16]*Node

	side int // of the partition
}

// View is what nodes that hear one another agree on.
type View struct {
	Epoch  int64
	owners [slot.Count]*Node
	served map[*Node]int // how many slots each node owns
	facts  map[*Node]fact
}

// fact is what a view knows of a node.
type fact struct {
	master *Node // that it follows; nil for a master
	epoch  int64
	silent int64 // since when it has not been heard, in milliseconds since the epoch; 0 if it is
	failed bool  // most masters have agreed on that
	heir   *Node // it has lost its slots to this one, which it will follow when it is heard; or nil
}

// electionDelay is how long after a failure a replica takes its master's place, in milliseconds. In
// Redis it is between this and twice as long.
const electionDelay = 500

// NewCluster returns a cluster of nodes, of which the first are the masters of the shards, which
// share the slots evenly, and the others follow them in turn.
func NewCluster(nodes []*Node, shards int) *Cluster {
	v := &View{served: make(map[*Node]int), facts: make(map[*Node]fact)}
	for i, n := range nodes {
		n.View, n.Migrating, n.Importing = v, make(map[uint16]*Node), make(map[uint16]*Node)
		if i < shards {
			v.Epoch++
			v.facts[n] = fact{epoch: v.Epoch}
		} else {
			v.facts[n] = fact{master: nodes[i%shards]}
		}
	}
	for at := range v.owners {
		v.give(at, nodes[firstShare(at, shards)])
	}
	c := &Cluster{Nodes: nodes, Timeout: func() int64 { return 15000 }, FullCoverage: func() bool { return true }}
	for _, n := range nodes {
		n.Cluster = c
	}
	return c
}

// firstShare returns the shard of a slot at the beginning, as redis-cli shares them out: each bound
// is rounded to the nearest slot.
func firstShare(at, shards int) int {
	for i := range shards - 1 {
		bound := (2*slot.Count*(i+1) + shards) / (2 * shards) // the first slot of the next shard
		if at < bound {
			return i
		}
	}
	return shards - 1
}

// Address returns where clients reach the node, as host:port.
func (n *Node) Address() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// Find returns the node with an ID, an address or a port; nil if there is none.
func (c *Cluster) Find(name string) *Node {
	i := slices.IndexFunc(c.Nodes, func(n *Node) bool {
		return n.ID == name || n.Address() == name || strconv.Itoa(n.Port) == name
	})
	if i < 0 {
		return nil
	}
	return c.Nodes[i]
}

// Owner returns the master that serves a slot; nil if none does.
func (v *View) Owner(at uint16) *Node { return v.owners[at] }

// Master returns the node that another one follows; nil for a master.
func (v *View) Master(n *Node) *Node { return v.facts[n].master }

// EpochOf returns the epoch of a node's configuration: a replica has that of its master.
func (v *View) EpochOf(n *Node) int64 {
	if f := v.facts[n]; f.master == nil {
		return f.epoch
	}
	return v.facts[v.facts[n].master].epoch
}

// Failed reports whether most masters agree that a node has failed.
func (v *View) Failed(n *Node) bool { return v.facts[n].failed }

// Suspected reports whether a node has not been heard for longer than the timeout.
func (c *Cluster) Suspected(v *View, n *Node, now int64) bool {
	silent := v.facts[n].silent
	return silent != 0 && now-silent > c.Timeout()
}

// Silent returns since when a node has not been heard, in milliseconds since the epoch; 0 if it is.
func (v *View) Silent(n *Node) int64 { return v.facts[n].silent }

// Slots returns the ranges of slots that a node serves, each with its first and last one.
func (v *View) Slots(n *Node) (ranges [][2]int) {
	for at, owner := range v.owners {
		switch last := len(ranges) - 1; {
		case owner != n:
		case last >= 0 && ranges[last][1] == at-1:
			ranges[last][1] = at
		default:
			ranges = append(ranges, [2]int{at, at})
		}
	}
	return ranges
}

// owns reports whether a node serves any slot.
func (v *View) owns(n *Node) bool { return v.served[n] > 0 }

// give makes a node the owner of a slot; nil for none.
func (v *View) give(at int, to *Node) {
	v.served[v.owners[at]]--
	v.served[to]++
	v.owners[at] = to
}

// Masters returns the nodes that follow no other one, in the order of their first slots; those
// without any come last.
func (c *Cluster) Masters(v *View) (list []*Node) {
	var last *Node
	for _, n := range slices.Concat(v.owners[:], c.Nodes) {
		if n != last && n != nil && v.facts[n].master == nil && !slices.Contains(list, n) {
			list = append(list, n)
		}
		last = n
	}
	return list
}

// Replicas returns the nodes that follow another one.
func (c *Cluster) Replicas(v *View, of *Node) (list []*Node) {
	for _, n := range c.Nodes {
		if v.facts[n].master == of {
			list = append(list, n)
		}
	}
	return list
}

// voters returns how many masters with slots there are, and how many of them a view hears.
func (c *Cluster) voters(v *View, now int64) (all, heard int) {
	for _, n := range c.Nodes {
		if v.owns(n) {
			all++
			if !c.Suspected(v, n, now) {
				heard++
			}
		}
	}
	return all, heard
}

// OK reports whether the nodes with a view serve their slots: they hear most masters, and each slot
// has a master that has not failed.
func (c *Cluster) OK(v *View, now int64) bool {
	all, heard := c.voters(v, now)
	if heard <= all/2 {
		return false
	}
	covered := 0
	for _, n := range c.Nodes {
		if !v.Failed(n) {
			covered += v.served[n]
		}
	}
	return covered == slot.Count || !c.FullCoverage()
}

// Assign gives slots to a master, nil for none. Its epoch becomes the highest one. A master that
// loses its last slot to another one follows that, with its replicas.
func (c *Cluster) Assign(v *View, to *Node, slots ...uint16) {
	lost := make(map[*Node]bool)
	for _, at := range slots {
		if was := v.owners[at]; was != nil && was != to {
			lost[was] = true
		}
		v.give(int(at), to)
	}
	if to == nil {
		return
	}
	v.Raise(to)
	for was := range lost {
		if !v.owns(was) {
			c.succeed(v, was, to)
		}
	}
}

// Raise gives a node the highest epoch.
func (v *View) Raise(n *Node) {
	f := v.facts[n]
	if f.epoch != v.Epoch || v.Epoch == 0 {
		v.Epoch++
		f.epoch = v.Epoch
		v.facts[n] = f
	}
}

// succeed makes a master that has lost its slots follow another one, when it is heard, and its
// replicas too.
func (c *Cluster) succeed(v *View, n, master *Node) {
	for _, r := range c.Replicas(v, n) {
		if r != master {
			c.Follow(v, r, master)
		}
	}
	f := v.facts[n]
	f.heir = master
	v.facts[n] = f
	if f.silent == 0 {
		c.Follow(v, n, master)
	}
}

// Follow makes a node the replica of a master.
func (c *Cluster) Follow(v *View, n, master *Node) {
	f := v.facts[n]
	f.master, f.heir = master, nil
	v.facts[n] = f
	n.Shard = master.Shard
}

// Promote gives a replica the place of its master, which follows it, with the other replicas.
func (c *Cluster) Promote(v *View, n *Node) {
	old := v.facts[n].master
	f := v.facts[n]
	f.master, f.heir = nil, nil
	v.facts[n] = f
	v.Raise(n)
	for at, owner := range v.owners {
		if owner == old {
			v.give(at, n)
		}
	}
	c.succeed(v, old, n)
}

// Pass does what the time has brought about in all views: nodes that have been silent for longer
// than the timeout have failed if most masters say so, and then a replica takes the place of a
// failed master. It returns when it must be called again, 0 for never. Times are milliseconds since
// the epoch.
func (c *Cluster) Pass(now int64) (next int64) {
	for _, v := range c.views() {
		for _, n := range c.Nodes {
			at := c.judge(v, n, now)
			if next == 0 || at != 0 && at < next {
				next = at
			}
		}
	}
	return next
}

// judge is Pass for what a view knows of a node.
func (c *Cluster) judge(v *View, n *Node, now int64) (next int64) {
	f := v.facts[n]
	if f.silent == 0 {
		return 0
	}
	due := f.silent + c.Timeout() + 1
	if due > now {
		return due
	}
	all, heard := c.voters(v, now)
	if heard <= all/2 {
		return 0
	}
	f.failed = true
	v.facts[n] = f
	heir := c.heir(v, n)
	switch {
	case heir == nil:
		return 0
	case due+electionDelay > now:
		return due + electionDelay
	}
	c.Promote(v, heir)
	return 0
}

// heir returns the replica of a failed master that is to take its place: of those that are heard,
// the one with the most data.
func (c *Cluster) heir(v *View, n *Node) (heir *Node) {
	if !v.owns(n) {
		return nil
	}
	for _, r := range c.Replicas(v, n) {
		if r.View == v && !r.Down && (heir == nil || r.Offset() > heir.Offset()) {
			heir = r
		}
	}
	return heir
}

// views returns the views of the nodes that are not down.
func (c *Cluster) views() (list []*View) {
	for _, n := range c.Nodes {
		if !n.Down && !slices.Contains(list, n.View) {
			list = append(list, n.View)
		}
	}
	return list
}

// Part puts some nodes on a side of their own: they hear one another and nobody else.
func (c *Cluster) Part(nodes []*Node, now int64) {
	side := 0
	for _, n := range c.Nodes {
		side = max(side, n.side+1)
	}
	for _, n := range nodes {
		n.side = side
	}
	c.Meet(now)
}

// Heal ends all partitions, and whatever has kept nodes down.
func (c *Cluster) Heal(now int64) {
	for _, n := range c.Nodes {
		n.side, n.Down = 0, false
	}
	c.Meet(now)
}

// Meet gives all nodes the views of those that they hear now, after partitions or what keeps nodes
// down have changed.
func (c *Cluster) Meet(now int64) {
	met := make(map[int]*View)
	held := make(map[*View]bool) // by nodes that have their view already
	for _, n := range c.Nodes {
		switch {
		case n.Down:
		case met[n.side] == nil && held[n.View]:
			met[n.side] = n.View.clone()
		case met[n.side] == nil:
			met[n.side] = n.View
		case met[n.side] != n.View:
			c.merge(met[n.side], n.View)
		}
		if !n.Down {
			held[met[n.side]] = true
		}
	}
	for _, n := range c.Nodes {
		if v := met[n.side]; n.Down {
			n.View = n.View.clone()
		} else {
			n.View = v
		}
	}
	for _, v := range c.views() {
		c.listen(v, now)
	}
}

// listen notes which nodes a view hears.
func (c *Cluster) listen(v *View, now int64) {
	for _, n := range c.Nodes {
		f := v.facts[n]
		switch heard := n.View == v && !n.Down; {
		case heard:
			f.silent, f.failed = 0, false
		case f.silent == 0:
			f.silent = now
		}
		v.facts[n] = f
		if f.silent == 0 && f.heir != nil {
			c.Follow(v, n, f.heir)
		}
	}
}

func (v *View) clone() *View {
	other := *v
	other.served, other.facts = maps.Clone(v.served), maps.Clone(v.facts)
	return &other
}

// merge adds to a view what another one knows better. A master all of whose slots somebody else
// claims with a higher epoch follows that one.
func (c *Cluster) merge(v, other *View) {
	if other.Epoch > v.Epoch {
		mine := *v
		*v = *other.clone()
		other = &mine
	}
	for _, n := range c.Nodes {
		theirs, f := other.facts[n], v.facts[n]
		if theirs.silent != 0 && (f.silent == 0 || theirs.silent < f.silent) {
			f.silent, f.failed = theirs.silent, theirs.failed
		}
		if theirs.epoch > f.epoch {
			f.epoch, f.master, f.heir = theirs.epoch, theirs.master, theirs.heir
		}
		v.facts[n] = f
	}
	for at, owner := range other.owners {
		if owner != nil && (v.owners[at] == nil || other.EpochOf(owner) > v.EpochOf(v.owners[at])) {
			v.give(at, owner)
		}
	}
}

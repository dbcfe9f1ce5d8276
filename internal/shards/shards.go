// Package shards is a Redis Cluster in one process, for tests: masters and replicas, each on a port
// of its own, whose slots move, whose masters fail and whose network parts when a test says so.
//
//	            one engine, one lock, one clock
//	┌───────────────┬───────────────┬───────────────┐
//	world :7000     world :7001     world :7002        a node is a world, with a listener
//	   │  slots 0-5460  │ 5461-10922    │ 10923-16383
//	   ▼               ▼               ▼               changes: engine.World.Follow
//	world :7003     world :7004     world :7005
//
// Who serves which slots and who follows whom is in topology.Cluster, a plain value. This package
// gives it ports and worlds, has the worlds follow what it says (arrange), and brings MINI.CLUSTER,
// by which tests change it. What a client is told of it, and where it is sent, is decided in
// packages engine and commands/cluster.
//
// Invariants:
//  1. What MINI.CLUSTER does happens between two commands of all nodes, and is over before its
//     reply leaves.
//  2. A replica has executed what its master has, before the reply leaves that tells of it, unless
//     the two do not hear each other or MINI.CLUSTER LOSE says otherwise.
//  3. Time passes for all nodes at once: see testkit.Clock.
//
// It differs from Redis Cluster in that nodes have no bus: what one node learns all know that hear
// it. They share parameters, users, figures, and the limit of time for scripts.
package shards

import (
	"cmp"
	"fmt"
	"net"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/persistence/payload"
)

// Shards is the cluster of one engine. Its methods are called under the engine's lock, unless they
// say otherwise.
type Shards struct {
	engine   *engine.Engine
	kit      *testkit.Kit // nil: the server is not for tests
	masters  int64        // cluster-shards; 0 for no cluster
	replicas int64        // cluster-replicas, of each master
	cluster  *topology.Cluster
	worlds   map[*topology.Node]*engine.World
	losing   map[*topology.Node]bool // masters whose replicas do not hear them
}

// maxNodes bounds the nodes of a cluster.
const maxNodes = 128

// New returns the cluster of an engine, which has nodes once the settings say so and Open is
// called.
func New(e *engine.Engine, kit *testkit.Kit) *Shards {
	return &Shards{engine: e, kit: kit, losing: make(map[*topology.Node]bool)}
}

// Part returns the settings and MINI.CLUSTER.
func (s *Shards) Part() engine.Part {
	p := engine.Part{Name: "shards", State: s, Due: s.due, Params: []config.Param{
		config.Int("cluster-shards", &s.masters, 0, maxNodes).AtStart(),
		config.Int("cluster-replicas", &s.replicas, 0, maxNodes).AtStart(),
	}}
	if s.kit != nil {
		p.Families = append(p.Families, family())
	}
	return p
}

// Open makes the nodes if there are to be any, and opens their ports: those behind that of the
// server, or free ones. It takes the lock itself. The server must run.
func (s *Shards) Open() (err error) {
	if s.masters > 0 {
		s.engine.With(func() { err = s.open() })
	}
	return err
}

func (s *Shards) open() error {
	switch {
	case s.kit == nil:
		return errNoKit
	case s.masters*(s.replicas+1) > maxNodes:
		return fmt.Errorf("cluster-shards: at most %d nodes are possible", maxNodes)
	case s.engine.Parts.Host.OpenTo == nil:
		return errNoPorts
	}
	s.engine.Config.Cluster = true
	host := cmp.Or(s.engine.Params.Text("cluster-announce-ip", ""), "127.0.0.1")
	port, _ := strconv.Atoi(s.engine.Params.Named("port").Get())
	nodes := make([]*topology.Node, s.masters*(s.replicas+1))
	s.worlds = make(map[*topology.Node]*engine.World)
	for i := range nodes {
		w := s.engine.Home()
		at := port
		if i > 0 {
			var err error
			if w, at, err = s.openNode(port + i); err != nil {
				return err
			}
		}
		id := topology.HexDigest(fmt.Sprintf("%s node %d", s.engine.RunID, i))
		shard := topology.HexDigest(fmt.Sprintf("%s shard %d", s.engine.RunID, i%int(s.masters)))
		nodes[i] = &topology.Node{ID: id, Shard: shard, Host: host, Port: at, Offset: w.Offset}
		s.worlds[nodes[i]] = w
	}
	s.cluster = topology.NewCluster(nodes, int(s.masters))
	s.cluster.Timeout = func() int64 {
		ms, _ := strconv.ParseInt(s.engine.Params.Text("cluster-node-timeout", "15000"), 10, 64)
		return ms
	}
	s.cluster.FullCoverage = func() bool {
		return s.engine.Params.Text("cluster-require-full-coverage", "yes") == config.YesNo(true)
	}
	s.cluster.Changed = s.arrange
	for _, n := range nodes {
		s.worlds[n].JoinCluster(n, source{s, n})
	}
	s.arrange()
	return nil
}

// openNode makes a world with a port, that which is given or, if somebody has it, a free one.
func (s *Shards) openNode(port int) (*engine.World, int, error) {
	w := s.kit.Beside("node " + strconv.Itoa(port))
	at, err := s.engine.Parts.Host.OpenTo(w, port)
	if err != nil {
		at, err = s.engine.Parts.Host.OpenTo(w, 0)
		s.engine.Log('#', "Port %d is taken, a node has port %d", port, at)
	}
	return w, at, err
}

// Dialer returns what reaches the nodes within the process, and other servers by d.
func (s *Shards) Dialer(d payload.Dialer) payload.Dialer { return dialer{s, d} }

// due does what the time brings about: failed masters are replaced. It is an engine.Part's Due.
func (s *Shards) due(w *engine.World) (next int64) {
	if s.cluster == nil || !w.IsHome() {
		return 0
	}
	before := s.roles()
	next = s.cluster.Pass(w.Millis())
	if s.roles() != before {
		s.arrange()
	}
	return next
}

// roles returns a number that changes when a node's role does.
func (s *Shards) roles() (sum int64) {
	for _, n := range s.cluster.Nodes {
		sum += n.View.Epoch
	}
	return sum
}

// arrange has the worlds do what the cluster says: who is a master, and who follows whom. Masters
// come first, whose data others get. It is called between commands.
func (s *Shards) arrange() {
	for _, n := range s.cluster.Nodes {
		if s.masterOf(n) == nil && !n.Down {
			s.worlds[n].Follow(nil, false)
			s.worlds[n].SetRole(engine.Role{})
		}
	}
	for _, n := range s.cluster.Nodes {
		if m := s.masterOf(n); m != nil && !n.Down {
			down := !s.hears(n, m)
			s.worlds[n].SetRole(engine.Role{Replica: true, Down: down})
			s.worlds[n].Follow(s.worlds[m], down || s.losing[m])
		} else if n.Down {
			s.worlds[n].Follow(nil, false)
		}
	}
	for _, n := range s.cluster.Nodes {
		s.sendAway(n)
	}
	s.engine.Home().TickBy(s.engine.Home().Millis())
}

// sendAway ends what clients wait for, or listen to, at a node that does not serve it any more.
func (s *Shards) sendAway(n *topology.Node) {
	w := s.worlds[n]
	w.RedirectBlocked()
	pubsub.DropShardChannels(w, func(channel string) bool {
		owner := n.View.Owner(slot.Of([]byte(channel)))
		return owner != nil && owner.Shard == n.Shard
	})
}

// masterOf returns the node that another one follows; nil for a master.
func (s *Shards) masterOf(n *topology.Node) *topology.Node { return n.View.Master(n) }

// hears reports whether two nodes reach each other.
func (s *Shards) hears(a, b *topology.Node) bool { return !a.Down && !b.Down && a.View == b.View }

// at returns the node with an address that it announces, or of this machine; nil for none.
func (s *Shards) at(host, port string) *topology.Node {
	if s.cluster == nil {
		return nil
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return s.cluster.Find(port)
	}
	return s.cluster.Find(net.JoinHostPort(host, port))
}

// Package cluster is a whole Redis Cluster in one process, for tests of programs that use one:
//
//	func TestFailover(t *testing.T) {
//		c := cluster.Run(t, 3, 1) // three masters, a replica for each
//		client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()})
//		...
//		require.NoError(t, c.Kill(c.Addrs()[0]))
//		c.Advance(16 * time.Second) // the failover timeout takes no time
//	}
//
// A program that imports it links it; others do not.
package cluster

import (
	"fmt"
	"slices"

	miniserver "github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/shards"
	"github.com/miniserver-go/miniserver/internal/testkit"
)

func init() {
	assembly.BringCluster(func(e *engine.Engine, kit *testkit.Kit) assembly.Cluster { return shards.New(e, kit) })
}

// Cluster is a running cluster. It has the methods of a server, which is its first node. Its clock
// is that of all nodes.
type Cluster struct {
	*miniserver.Server
	addrs []string
}

// Run starts a cluster of masters with so many replicas each for a test, and ends it with the test.
// Settings are lines of a redis.conf that concern all nodes.
func Run(t miniserver.TB, masters, replicas int, settings ...string) *Cluster {
	t.Helper()
	s := miniserver.Run(t, append([]string{fmt.Sprintf("cluster-shards %d", masters),
		fmt.Sprintf("cluster-replicas %d", replicas)}, settings...)...)
	return &Cluster{s, s.Addrs()}
}

// Addrs returns the addresses of all nodes, also of those that are down: first those that begin as
// masters, then their replicas in the same order.
func (c *Cluster) Addrs() []string { return slices.Clone(c.addrs) }

// Kill ends a node, which is named by its address, as the end of its process would.
func (c *Cluster) Kill(node string) error { return c.change("KILL", node) }

// Stop stops a node: it answers no request until Cont.
func (c *Cluster) Stop(node string) error { return c.change("STOP", node) }

// Cont lets a node that was stopped or killed go on.
func (c *Cluster) Cont(node string) error { return c.change("CONT", node) }

// Failover has a replica of a master take its place at once.
func (c *Cluster) Failover(node string) error { return c.change("FAILOVER", node) }

// Lose keeps what a master confirms from now on from its replicas.
func (c *Cluster) Lose(node string) error { return c.change("LOSE", node) }

// Split has a replica take a master's place, while that, on a side of its own, goes on.
func (c *Cluster) Split(node string) error { return c.change("SPLIT", node) }

// Partition puts nodes on a side of their own.
func (c *Cluster) Partition(nodes ...string) error { return c.change("PARTITION", nodes...) }

// Heal ends all that the methods above have begun.
func (c *Cluster) Heal() error { return c.change("HEAL") }

// Move moves slots with their keys to a master in one step. A slot is a number, or a range such as
// "0-99".
func (c *Cluster) Move(node string, slots ...string) error {
	return c.change("MOVE", append([]string{node}, slots...)...)
}

func (c *Cluster) change(verb string, words ...string) error {
	return c.Steer(append([]string{"MINI.CLUSTER", verb}, words...)...)
}

package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// group is a source that tests change.
type group struct{ topology.Group }

// source is a group as the engine sees it.
type source struct{ *group }

func (t source) Group() *topology.Group         { return &t.group.Group }
func (source) Transfer(uint64, func(err error)) {}
func (source) Stored(func(int) bool)            {}

// newMember returns member 1 of a group of three. The second leads.
func newMember(t *testing.T, clustered bool) (*replica, *group) {
	r := newReplica(t)
	g := &group{topology.Group{Name: "g", Self: 1, Leader: 2, Last: 2, Term: 3, Members: []topology.Member{
		{ID: 1, Host: "10.0.0.1", Port: 7001, Up: true, Applied: 5},
		{ID: 2, Host: "10.0.0.2", Port: 7002, Up: true, Heard: 10, Applied: 6},
		{ID: 3, Host: "10.0.0.3", Port: 7003, Heard: -1},
	}}}
	r.Home().Topology = source{g}
	if clustered {
		require.NoError(t, r.Params.Named("cluster-enabled").Set("yes"))
	}
	require.NoError(t, r.apply("SET k v"))
	return r, g
}

// seat makes member 1 the leader.
func (r *replica) seat(g *group) {
	g.Leader, g.Last, g.Seated, g.Term = 1, 1, true, 4
	r.With(func() { r.SetRole(engine.Role{}) })
}

func TestClientsOfAClusterAreSentToTheLeader(t *testing.T) {
	r, g := newMember(t, true)
	const moved = "-MOVED 7629 10.0.0.2:7002\r\n"
	require.Equal(t, moved, r.do("SET k w"))
	require.Equal(t, moved, r.do("GET k"))
	require.Equal(t, "+PONG\r\n", r.do("PING"))
	require.Equal(t, "-MOVED 7629 10.0.0.2:7002\r\n", r.do("PUBLISH k message"))
	require.Equal(t, "-CROSSSLOT Keys in request don't hash to the same slot\r\n", r.do("DEL k l"))
	require.Equal(t, "+OK\r\n", r.do("MULTI"))
	require.Equal(t, moved, r.do("GET k"))
	require.Contains(t, r.do("EXEC"), "-EXECABORT")

	require.Equal(t, "+OK\r\n", r.do("READONLY"))
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
	require.Equal(t, moved, r.do("SET k w"))
	r.do("MULTI")
	require.Equal(t, "+QUEUED\r\n", r.do("GET k"))
	require.Equal(t, "*1\r\n$1\r\nv\r\n", r.do("EXEC"))
	require.Equal(t, "+OK\r\n", r.do("READWRITE"))
	require.Equal(t, moved, r.do("GET k"))

	g.Leader = 0
	const down = "-CLUSTERDOWN The cluster is down\r\n"
	require.Equal(t, down, r.do("GET k"))
	r.do("READONLY")
	require.Equal(t, down, r.do("GET k"))
	r.do("CONFIG SET cluster-allow-reads-when-down yes")
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
	require.Equal(t, down, r.do("SET k w"))
	g.Leader = 1
	require.Equal(t, down, r.do("SET k w"), "it has not taken its seat")
	r.seat(g)
	require.Equal(t, "+OK\r\n", r.do("SET k w"))
	require.Equal(t, ":0\r\n", r.do("PUBLISH k message"))
}

func TestATransactionIsRefusedWhereTheLeaderHasChanged(t *testing.T) {
	r, g := newMember(t, true)
	r.seat(g)
	r.do("MULTI")
	require.Equal(t, "+QUEUED\r\n", r.do("SET k w"))
	g.Leader, g.Last, g.Seated = 2, 2, false
	r.With(func() { r.SetRole(engine.Role{Replica: true}) })
	require.Equal(t, "-MOVED 7629 10.0.0.2:7002\r\n", r.do("EXEC"))
	require.Equal(t, "-ERR EXEC without MULTI\r\n", r.do("EXEC"))
}

func TestPlainClientsReadFromMembers(t *testing.T) {
	r, g := newMember(t, false)
	const refused = "-READONLY You can't write against a read only replica.\r\n"
	require.Equal(t, refused, r.do("SET k w"))
	require.Equal(t, refused, r.do("PUBLISH k message"))
	require.Equal(t, "$1\r\nv\r\n", r.do("GET k"))
	require.Equal(t, "+OK\r\n", r.do("READONLY"), "some clients of Sentinel ask for it")
	require.NoError(t, r.apply("PUBLISH k message"))
	require.Equal(t, "-ERR This instance has cluster support disabled\r\n", r.do("CLUSTER SLOTS"))
	r.seat(g)
	require.Equal(t, "+OK\r\n", r.do("SET k w"))
}

func TestClientsOfAFormerLeaderConnectAnew(t *testing.T) {
	r, g := newMember(t, false)
	r.seat(g)
	connect := func() *engine.Session { return r.NewSession(silentPeer{}) }
	plain, subscriber := connect(), connect()
	r.Do(subscriber, [][][]byte{{[]byte("SUBSCRIBE"), []byte("channel")}})
	g.Leader, g.Last, g.Seated = 2, 2, false
	r.With(func() { r.SetRole(engine.Role{Replica: true}) })
	require.True(t, r.Collect(plain).Closing)
	require.False(t, r.Collect(subscriber).Closing)
	require.False(t, r.Collect(r.client).Closing, "it is no connection")
}

// silentPeer is a connection that ignores wake-ups.
type silentPeer struct{}

func (silentPeer) Wake() {}

func TestTheNodesOfTheClusterAreTheMembers(t *testing.T) {
	r, g := newMember(t, true)
	id := func(n uint64) string { return g.NodeID(n) }
	require.Contains(t, r.do("CLUSTER MYID"), id(1))
	require.Equal(t, "*1\r\n*4\r\n:0\r\n:16383\r\n*4\r\n$8\r\n10.0.0.2\r\n:7002\r\n$40\r\n"+id(2)+"\r\n*0\r\n"+
		"*4\r\n$8\r\n10.0.0.1\r\n:7001\r\n$40\r\n"+id(1)+"\r\n*0\r\n", r.do("CLUSTER SLOTS"),
		"without the node that fails")
	nodes := r.do("CLUSTER NODES")
	require.Contains(t, nodes, id(2)+" 10.0.0.2:7002@17002 master - 0 1699999999990 3 connected 0-16383\n")
	require.Contains(t, nodes, id(1)+" 10.0.0.1:7001@17001 myself,slave "+id(2)+" 0 0 3 connected\n")
	require.Contains(t, nodes, id(3)+" 10.0.0.3:7003@17003 slave,fail "+id(2)+" 0 1700000000000 3 disconnected\n")
	shards := r.do("CLUSTER SHARDS")
	require.Equal(t, 1, strings.Count(shards, "master"))
	require.Equal(t, 2, strings.Count(shards, "replica\r\n"))
	require.Contains(t, r.do("CLUSTER REPLICAS "+id(2)), id(1)+" 10.0.0.1:7001@17001 myself,slave")
	require.Equal(t, "-ERR The specified node is not a master\r\n", r.do("CLUSTER REPLICAS "+id(1)))
	info := r.do("CLUSTER INFO")
	for _, field := range []string{"cluster_state:ok", "cluster_known_nodes:3", "cluster_current_epoch:3"} {
		require.Contains(t, info, field)
	}
	for _, command := range []string{"FORGET " + id(3), "REPLICATE " + id(2), "FAILOVER", "RESET", "MEET 10.0.0.4 7004",
		"DELSLOTS 1", "SETSLOT 1 STABLE"} {
		require.Contains(t, r.do("CLUSTER "+command), "-ERR A group has all hash slots", command)
	}

	g.Leader = 0
	require.Contains(t, r.do("CLUSTER INFO"), "cluster_state:fail\r\ncluster_slots_assigned:16384\r\n"+
		"cluster_slots_ok:0\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:16384")
	require.Contains(t, r.do("CLUSTER NODES"), "10.0.0.2:7002@17002 master,fail - ")
	require.Contains(t, r.do("CLUSTER SLOTS"), "10.0.0.2",
		"the last leader is shown, as in a cluster whose master is down")
	g.Last = 0
	require.Equal(t, "*0\r\n", r.do("CLUSTER SLOTS"))
}

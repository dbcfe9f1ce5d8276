package replication

import (
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/stretchr/testify/require"
)

// source is a group that a test changes.
type source struct {
	group *topology.Group
	told  func(func(int) bool)
}

func (t source) Group() *topology.Group     { return t.group }
func (source) Transfer(uint64, func(error)) {}
func (t source) Stored(told func(int) bool) { t.told(told) }

func TestTheLeaderOfAGroupIsTheMaster(t *testing.T) {
	b := newBench(t)
	g := &topology.Group{Name: "g", Self: 1, Leader: 1, Last: 1, Seated: true, Members: []topology.Member{
		{ID: 1, Host: "10.0.0.1", Port: 7001, Up: true, Applied: 5},
		{ID: 2, Host: "10.0.0.2", Port: 7002, Up: true, Applied: 4, Heard: 1500},
		{ID: 3, Host: "10.0.0.3", Port: 7003, Heard: -1},
	}}
	b.Home().Topology = source{group: g}
	client := b.NewSession(nil)
	require.Equal(t, "*3\r\n$6\r\nmaster\r\n:5\r\n*1\r\n*3\r\n$8\r\n10.0.0.2\r\n$4\r\n7002\r\n$1\r\n4\r\n",
		b.do(client, "ROLE"))
	info := b.do(client, "INFO replication")
	for _, field := range []string{"role:master", "connected_slaves:1",
		"slave0:ip=10.0.0.2,port=7002,state=online,offset=4,lag=1", "master_repl_offset:5"} {
		require.Contains(t, info, field+"\r\n")
	}

	g.Leader, g.Last, g.Seated, g.Age = 2, 2, false, 20
	require.Equal(t, "*5\r\n$5\r\nslave\r\n$8\r\n10.0.0.2\r\n:7002\r\n$9\r\nconnected\r\n:5\r\n", b.do(client, "ROLE"))
	info = b.do(client, "INFO replication")
	for _, field := range []string{"role:slave", "master_host:10.0.0.2", "master_port:7002", "master_link_status:up",
		"master_last_io_seconds_ago:0", "slave_repl_offset:5", "connected_slaves:0"} {
		require.Contains(t, info, field+"\r\n")
	}
	g.Leader, g.Age = 0, 3000
	require.Contains(t, b.do(client, "ROLE"), "connecting")
	info = b.do(client, "INFO replication")
	require.Contains(t, info, "master_link_status:down\r\n")
	require.Contains(t, info, "master_link_down_since_seconds:3\r\n")

	for _, command := range []string{"REPLICAOF 10.0.0.2 7002", "FAILOVER"} {
		require.Equal(t, "-ERR "+strings.Fields(command)[0]+" not allowed in a group. Use GROUP TRANSFER.\r\n",
			b.do(client, command))
	}
}

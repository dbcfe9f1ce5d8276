package server

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/cluster"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// source is a group as one of its members sees it. Tests change who leads.
type source struct {
	mu sync.Mutex
	topology.Group
}

// seen is a source as the engine sees it.
type seen struct{ *source }

func (v seen) Group() *topology.Group {
	v.mu.Lock()
	defer v.mu.Unlock()
	g := v.source.Group
	return &g
}

func (seen) Transfer(uint64, func(error)) {}
func (seen) Stored(func(int) bool)        {}

// setLeader makes a member the leader, 0 for none.
func (t *source) setLeader(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Leader, t.Seated = id, id == t.Self
	if id != 0 {
		t.Last = id
	}
}

// member is a server of a group, of which it forwards connections to the leader.
type member struct {
	*running
	view *source
}

// startGroup starts servers that know one another. The first leads. A write at another one is
// refused.
func startGroup(t *testing.T, n int) (members []member) {
	for id := range n {
		view := &source{Group: topology.Group{Name: "g", Self: uint64(id + 1)}}
		view.setLeader(1)
		members = append(members, member{view: view, running: startWith(t, Options{}, func(e *engine.Engine) {
			e.Join(cluster.Part(e))
			require.NoError(t, e.Params.Named("group-forward").Set("yes"))
			e.Home().Topology = seen{view}
			e.SetRole(engine.Role{Replica: id > 0})
		})})
	}
	for _, m := range members {
		for i, other := range members {
			host, port, err := net.SplitHostPort(other.Addrs()[0])
			require.NoError(t, err)
			number, err := strconv.Atoi(port)
			require.NoError(t, err)
			m.view.mu.Lock()
			m.view.Members = append(m.view.Members,
				topology.Member{ID: uint64(i + 1), Host: host, Port: number, Up: true})
			m.view.mu.Unlock()
		}
	}
	return members
}

// expect requires that lines arrive.
func (c *client) expect(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		require.Equal(c.t, line, c.line())
	}
}

func TestAMemberPassesConnectionsOnToTheLeader(t *testing.T) {
	members := startGroup(t, 2)
	c := members[1].dial(t)
	c.send("HELLO 3 SETNAME forwarded\r\nPING\r\n")
	require.Equal(t, "%7", c.line())
	for c.line() != "+PONG" {
	}
	c.send("MULTI\r\nSET k v\r\n")
	c.expect("+OK", "+QUEUED")
	c.send("*1\r\n$4\r\nEX")
	c.send("EC\r\nSUBSCRIBE channel\r\n")
	c.expect("*1", "+OK", ">3", "$9", "subscribe", "$7", "channel", ":1")
	leading := members[0].dial(t)
	leading.send("PUBLISH channel message\r\nGET k\r\nCLIENT LIST\r\n")
	leading.expect(":1", "$1", "v")
	leading.line()
	require.Contains(t, leading.line(), " name=forwarded ")
	c.expect(">3", "$7", "message", "$7", "channel", "$7", "message")

	large := members[1].dial(t)
	value := strings.Repeat("x", 1<<20)
	large.send("*3\r\n$3\r\nSET\r\n$1\r\nl\r\n$1048576\r\n" + value + "\r\nGET l\r\n")
	large.expect("+OK", "$1048576", value)
}

func TestCommandsAboutAMemberStay(t *testing.T) {
	members := startGroup(t, 2)
	for _, first := range []string{"READONLY\r\n", "READWRITE\r\n"} {
		c := members[1].dial(t)
		c.send(first + "SET k v\r\n")
		c.expect("+OK", "-READONLY You can't write against a read only replica.")
	}
	c := members[1].dial(t)
	c.send("CONFIG GET port\r\n")
	c.expect("*2", "$4", "port", "$5")
	require.Contains(t, members[1].Addrs()[0], ":"+c.line())
}

func TestAForwardedConnectionEndsWithItsLeader(t *testing.T) {
	members := startGroup(t, 3)
	c := members[2].dial(t)
	c.send("SET k v\r\n")
	c.expect("+OK")
	for _, m := range members {
		m.view.setLeader(2)
	}
	c.closed()

	members[1].engine.With(func() { members[1].engine.SetRole(engine.Role{}) })
	c = members[2].dial(t)
	c.send("SET k w\r\n")
	c.expect("+OK")
	members[1].stop()
	require.NoError(t, members[1].await(t))
	c.closed()

	members[2].view.setLeader(0)
	members[2].relays.patience = time.Millisecond
	require.Equal(t, "+PONG", members[2].dial(t).ask("PING"), "a probe")
	c = members[2].dial(t)
	c.send("SET k x\r\n")
	c.expect("-MASTERDOWN No leader of the group is known. Try again.")
	c.closed()
}

// Two members that take one another for the leader do not pass a connection round.
func TestMembersThatDisagreeRefuse(t *testing.T) {
	members := startGroup(t, 2)
	members[0].view.setLeader(2)
	members[0].engine.With(func() { members[0].engine.SetRole(engine.Role{Replica: true}) })
	c := members[1].dial(t)
	c.send("SET k v\r\n")
	c.expect("-READONLY You can't write against a read only replica.")
}

func TestAServerThatForwardsStopsAtOnce(t *testing.T) {
	members := startGroup(t, 2)
	passed, silent := members[1].dial(t), members[1].dial(t)
	passed.send("SET k v\r\n")
	passed.expect("+OK")
	members[1].stop()
	require.NoError(t, members[1].await(t))
	passed.closed()
	silent.closed()
}

package cluster_test

import (
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/cluster"
	"github.com/miniserver-go/miniserver/resp"
)

// client is a connection to one node.
type client struct {
	t       *testing.T
	conn    net.Conn
	replies *resp.Reader
}

func connect(t *testing.T, address string) *client {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &client{t, conn, resp.NewReader(conn)}
}

// do sends a command, and returns its reply as redis-cli prints it.
func (c *client) do(command string) string {
	w := resp.NewWriter(2)
	w.Command(strings.Fields(command)...)
	_, err := c.conn.Write(w.Bytes())
	require.NoError(c.t, err)
	reply, err := c.replies.Read()
	require.NoError(c.t, err)
	return reply.String()
}

// nodes starts three masters with a replica each, and returns a client of each node and its
// address.
func nodes(t *testing.T) (*cluster.Cluster, []*client, []string) {
	c := cluster.Run(t, 3, 1)
	require.NoError(t, c.Steer("MINI.CLOCK", "FREEZE"))
	var all []*client
	for _, address := range c.Addrs() {
		all = append(all, connect(t, address))
	}
	return c, all, c.Addrs()
}

// TestRedirections sends commands to the wrong nodes. The slot of foo is 12182, that of b is 3300.
func TestRedirections(t *testing.T) {
	_, n, at := nodes(t)
	require.Equal(t, "(error) MOVED 12182 "+at[2], n[0].do("GET foo"))
	require.Equal(t, "(error) MOVED 3300 "+at[0], n[3].do("GET b"))
	require.Equal(t, "(error) CROSSSLOT Keys in request don't hash to the same slot", n[0].do("MGET b foo"))
	require.Equal(t, "OK", n[0].do("SET b 1"))
	require.Equal(t, "OK", n[3].do("READONLY"))
	require.Equal(t, `"1"`, n[3].do("GET b"))
	require.Equal(t, "(error) MOVED 3300 "+at[0], n[3].do("SET b 2"))
	require.Equal(t, "(integer) 1", n[0].do("WAIT 1 100"))
	require.Equal(t, "(error) ERR Script attempted to access a non local key in a cluster node",
		strings.Split(n[0].do("EVAL return(redis.call('get','foo')) 0"), " script:")[0])
}

// TestSlotMoves moves a slot as redis-cli does.
func TestSlotMoves(t *testing.T) {
	_, n, at := nodes(t)
	from, to := strings.Trim(n[0].do("CLUSTER MYID"), `"`), strings.Trim(n[1].do("CLUSTER MYID"), `"`)
	_, port, _ := strings.Cut(at[1], ":")
	require.Equal(t, "OK", n[0].do("SET {b}1 one"))
	require.Equal(t, "OK", n[0].do("SET {b}2 two"))
	require.Equal(t, "OK", n[1].do("CLUSTER SETSLOT 3300 IMPORTING "+from))
	require.Equal(t, "OK", n[0].do("CLUSTER SETSLOT 3300 MIGRATING "+to))
	require.Equal(t, "(error) ASK 3300 "+at[1], n[0].do("GET {b}3"))
	require.Equal(t, "OK", n[0].do("MIGRATE 127.0.0.1 "+port+" {b}1 0 1000"))
	require.Equal(t, "(error) ASK 3300 "+at[1], n[0].do("GET {b}1"))
	require.Equal(t, `"two"`, n[0].do("GET {b}2"))
	const again = "(error) TRYAGAIN Multiple keys request during rehashing of slot"
	require.Equal(t, again, n[0].do("MGET {b}1 {b}2"))
	require.Equal(t, "(error) MOVED 3300 "+at[0], n[1].do("GET {b}1"))
	require.Equal(t, "OK", n[1].do("ASKING"))
	require.Equal(t, `"one"`, n[1].do("GET {b}1"))
	require.Equal(t, "(error) MOVED 3300 "+at[0], n[1].do("GET {b}1"), "ASKING counts once")
	require.Equal(t, "OK", n[1].do("ASKING"))
	require.Equal(t, again, n[1].do("MGET {b}1 {b}2"))
	require.Contains(t, n[0].do("CLUSTER SETSLOT 3300 NODE "+to), "while I still hold keys")
	require.Equal(t, "OK", n[0].do("MIGRATE 127.0.0.1 "+port+" {b}2 0 1000"))
	for _, node := range n[:3] {
		require.Equal(t, "OK", node.do("CLUSTER SETSLOT 3300 NODE "+to))
	}
	require.Equal(t, "(error) MOVED 3300 "+at[1], n[0].do("GET {b}1"))
	require.Equal(t, "1) \"one\"\n2) \"two\"", n[1].do("MGET {b}1 {b}2"))
	require.Equal(t, "OK", n[4].do("READONLY"))
	require.Equal(t, `"two"`, n[4].do("GET {b}2"), "the replica has what was moved")
	require.Equal(t, "(integer) 0", n[3].do("DBSIZE"))
}

// TestSplitLosesWrites has two masters confirm writes to the same slot, and one of them lose.
func TestSplitLosesWrites(t *testing.T) {
	c, n, at := nodes(t)
	require.NoError(t, c.Split(at[0]))
	require.Equal(t, "OK", n[0].do("SET b old"))
	require.Equal(t, "OK", n[3].do("SET b new"))
	c.Advance(16 * time.Second)
	require.Equal(t, "(error) CLUSTERDOWN The cluster is down", n[0].do("SET b older"))
	require.NoError(t, c.Heal())
	require.Equal(t, "(error) MOVED 3300 "+at[3], n[0].do("GET b"))
	require.Equal(t, "OK", n[0].do("READONLY"))
	require.Equal(t, `"new"`, n[0].do("GET b"))
}

// TestStoppedNode stops a master for longer than the timeout.
func TestStoppedNode(t *testing.T) {
	c, n, at := nodes(t)
	require.Equal(t, "OK", n[0].do("SET b 1"))
	require.NoError(t, c.Stop(at[0]))
	c.Advance(16 * time.Second)
	require.Equal(t, `"1"`, n[3].do("GET b"))
	require.NoError(t, c.Cont(at[0]))
	require.Equal(t, "(error) MOVED 3300 "+at[3], n[0].do("GET b"))
	require.Contains(t, n[0].do("CLUSTER INFO"), "cluster_state:ok")
}

// TestKilledFirstNode ends the node whose world is that of the server, and starts it again. It
// follows its heir then, and has its data.
func TestKilledFirstNode(t *testing.T) {
	c, n, at := nodes(t)
	require.Equal(t, "OK", n[0].do("SET b 1"))
	operator := connect(t, at[0])
	require.Equal(t, "OK", operator.do("MINI.WORLD USE default OPERATOR"))
	require.Equal(t, "OK", operator.do("MINI.CLUSTER KILL "+at[0]))
	_, err := n[0].replies.Read()
	require.ErrorIs(t, err, io.EOF)
	_, err = net.Dial("tcp", at[0])
	require.Error(t, err)
	require.Equal(t, "(error) MOVED 3300 "+at[0], n[3].do("GET b"))
	c.Advance(16 * time.Second)
	require.Equal(t, `"1"`, n[3].do("GET b"))
	require.Equal(t, at, c.Addrs())
	require.Equal(t, "OK", operator.do("MINI.CLUSTER CONT "+at[0]), "who steers the cluster stays")
	again := connect(t, at[0])
	require.Equal(t, "(error) MOVED 3300 "+at[3], again.do("GET b"))
	require.Equal(t, "OK", again.do("READONLY"))
	require.Equal(t, `"1"`, again.do("GET b"))
}

// TestMessages publishes to all nodes, and to those of a shard.
func TestMessages(t *testing.T) {
	_, n, _ := nodes(t)
	require.Contains(t, n[4].do("SUBSCRIBE news"), "subscribe")
	require.Contains(t, n[3].do("SSUBSCRIBE b"), "ssubscribe")
	require.Equal(t, "(integer) 0", n[0].do("PUBLISH news hello"))
	require.Equal(t, "(integer) 0", n[0].do("SPUBLISH b hi"))
	for i, want := range map[int]string{4: "hello", 3: "hi"} {
		message, err := n[i].replies.Read()
		require.NoError(t, err)
		require.Contains(t, message.Strings(), want)
	}
}

// TestRedisCLI has redis-cli check the cluster and move slots.
func TestRedisCLI(t *testing.T) {
	cli, err := exec.LookPath("redis-cli")
	if err != nil {
		t.Skip("redis-cli is not installed")
	}
	_, n, at := nodes(t)
	for i := range 20 {
		n[0].do("SET {b}" + strconv.Itoa(i) + " x")
	}
	run := func(args ...string) string {
		out, err := exec.Command(cli, append([]string{"--cluster"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Contains(t, run("check", at[0]), "All 16384 slots covered")
	from, to := strings.Trim(n[0].do("CLUSTER MYID"), `"`), strings.Trim(n[2].do("CLUSTER MYID"), `"`)
	run("reshard", at[0], "--cluster-from", from, "--cluster-to", to, "--cluster-slots", "3400", "--cluster-yes")
	require.Contains(t, run("check", at[0]), "All 16384 slots covered")
	require.Equal(t, "(error) MOVED 3300 "+at[2], n[0].do("GET {b}1"))
	require.Equal(t, `"x"`, n[2].do("GET {b}1"))
	require.Equal(t, "(integer) 20", n[5].do("DBSIZE"))
}

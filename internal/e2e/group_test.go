package e2e

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// members are the processes of a group.
type members struct {
	t       *testing.T
	binary  string
	list    string // group-members
	options []string
	servers map[int]*launch.Server
	dirs    map[int]string
}

func startGroup(t *testing.T, n int, options ...string) *members {
	binary := built(t)
	g := &members{t: t, binary: binary, options: options, servers: make(map[int]*launch.Server),
		dirs: make(map[int]string)}
	var words []string
	for id := 1; id <= n; id++ {
		port, err := launch.FreePort()
		require.NoError(t, err)
		words = append(words, fmt.Sprintf("%d=127.0.0.1:%d", id, port))
		g.dirs[id] = t.TempDir()
	}
	g.list = strings.Join(words, ",")
	for id := 1; id <= n; id++ {
		g.start(id)
	}
	t.Cleanup(func() {
		for _, s := range g.servers {
			s.Stop()
		}
	})
	return g
}

func (g *members) start(id int) {
	s, err := launch.Start(launch.Spec{Path: g.binary, Args: append([]string{"--dir", g.dirs[id], "--group-id",
		strconv.Itoa(id), "--group-members", g.list, "--enable-debug-command", "yes"}, g.options...)})
	require.NoError(g.t, err)
	g.servers[id] = s
}

// kill ends a member with signal 9.
func (g *members) kill(id int) {
	require.NoError(g.t, g.servers[id].Stop())
	delete(g.servers, id)
}

// ask sends a command to a member and returns what it replies; an error if the connection ends.
func (g *members) ask(id int, args ...string) (string, error) {
	c, err := dialGroup(g.servers[id].Address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.ask(args...)
}

// until waits for a reply that satisfies a condition.
func (g *members) until(id int, what string, is func(reply string) bool, args ...string) {
	g.t.Helper()
	var last string
	require.Eventually(g.t, func() bool {
		reply, err := g.ask(id, args...)
		last = reply
		return err == nil && is(reply)
	}, time.Minute, 10*time.Millisecond, "%s: %s", what, &last)
}

// leader waits until one of the members writes, and returns it.
func (g *members) leader() (leader int) {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		for id := range g.servers {
			if reply, err := g.ask(id, "SET", "probe", "1"); err == nil && reply == "OK" {
				leader = id
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond, "no member leads")
	return leader
}

// agree waits until all members have the same data.
func (g *members) agree() {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		digests := make(map[string]bool)
		for id := range g.servers {
			reply, err := g.ask(id, "DEBUG", "DIGEST")
			if err != nil || len(reply) != 40 {
				return false
			}
			digests[reply] = true
		}
		return len(digests) == 1
	}, time.Minute, 20*time.Millisecond, "the members' data differ")
}

// add adds an element to a set. It asks member after member until one confirms that: on a busy
// machine the seat may go round.
func (g *members) add(key, element string) {
	g.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for id := range g.servers {
			if reply, err := g.ask(id, "SADD", key, element); err == nil && (reply == "1" || reply == "0") {
				return
			}
		}
	}
	require.Fail(g.t, "no member writes")
}

// groupClient is a connection to a member.
type groupClient struct {
	net.Conn
	in *resp.Reader
}

func dialGroup(address string) (*groupClient, error) {
	conn, err := net.DialTimeout("tcp", address, time.Minute)
	if err != nil {
		return nil, err
	}
	return &groupClient{conn, resp.NewReader(conn)}, nil
}

// ask sends a command and returns the reply as text.
func (c *groupClient) ask(args ...string) (string, error) {
	w := resp.NewWriter(2)
	w.Command(args...)
	if _, err := c.Write(w.Bytes()); err != nil {
		return "", err
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	v, err := c.in.Read()
	return string(v.Raw()), err
}

// groupWriter writes ascending numbers to a key of its own at the leader, and notes the last one
// that was confirmed.
type groupWriter struct {
	key       string
	n         int
	confirmed int
}

func (c *groupWriter) run(addresses []string, stop <-chan struct{}) {
	for at := 0; ; at++ {
		select {
		case <-stop:
			return
		default:
			c.write(addresses[at%len(addresses)], stop)
		}
	}
}

// write writes at one member until it refuses, or is gone.
func (c *groupWriter) write(address string, stop <-chan struct{}) {
	conn, err := dialGroup(address)
	if err != nil {
		return
	}
	defer conn.Close()
	for {
		c.n++ // what became of the last number may not be known
		reply, err := conn.ask("SET", c.key, strconv.Itoa(c.n))
		if err != nil || reply != "OK" {
			return
		}
		c.confirmed = c.n
		select {
		case <-stop:
			return
		default:
		}
	}
}

func TestAGroupKeepsConfirmedWrites(t *testing.T) {
	g := startGroup(t, 3)
	first := g.leader()
	stop := make(chan struct{})
	var busy sync.WaitGroup
	counters := make([]*groupWriter, 4)
	addresses := []string{g.servers[1].Address, g.servers[2].Address, g.servers[3].Address}
	for i := range counters {
		counters[i] = &groupWriter{key: fmt.Sprint("counter", i)}
		busy.Go(func() { counters[i].run(addresses, stop) })
	}
	time.Sleep(300 * time.Millisecond) // writes under way are what this is about
	g.kill(first)
	second := g.leader()
	require.NotEqual(t, first, second)
	time.Sleep(200 * time.Millisecond)
	close(stop)
	busy.Wait()
	for _, c := range counters {
		n := 0
		require.Eventually(t, func() bool { // on a busy machine the seat may go round
			reply, err := g.ask(g.leader(), "GET", c.key)
			if err == nil {
				n, err = strconv.Atoi(reply)
			}
			return err == nil
		}, time.Minute, 10*time.Millisecond)
		require.Positive(t, c.confirmed)
		require.GreaterOrEqual(t, n, c.confirmed, c.key)
	}
	g.start(first)
	g.agree()
}

func TestTheSeatIsHandedOver(t *testing.T) {
	g := startGroup(t, 3)
	require.Equal(t, "1", g.once("1"))
	first := 0
	require.Eventually(t, func() bool {
		first = g.leader()
		reply, err := g.ask(first, "GROUP", "TRANSFER")
		return err == nil && reply == "OK"
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return g.leader() != first }, time.Minute, 10*time.Millisecond)
	g.agree()
	for _, sequence := range []string{"1", "2"} { // a repeat gets the reply of the first
		require.Equal(t, sequence, g.once(sequence))
	}
	require.Contains(t, g.once("0"), "older")
}

// once sends a command to the leader with GROUP ONCE, until it replies: it may lose the seat
// meanwhile.
func (g *members) once(sequence string) (reply string) {
	g.t.Helper()
	require.Eventually(g.t, func() (replied bool) {
		var err error
		reply, err = g.ask(g.leader(), "GROUP", "ONCE", "me", sequence, "INCR", "n")
		return err == nil && !strings.HasPrefix(reply, "READONLY") && !strings.HasPrefix(reply, "MASTERDOWN")
	}, time.Minute, 10*time.Millisecond)
	return reply
}

func TestAMemberThatMissedMuchLoadsASnapshot(t *testing.T) {
	g := startGroup(t, 3, "--group-snapshot-entries", "100")
	leader := g.leader()
	missing := leader%3 + 1
	g.kill(missing)
	for i := range 200 {
		g.add("set", strconv.Itoa(i))
	}
	g.until(g.leader(), "the log is cut", func(reply string) bool { return infoField(reply, "group_first") > 50 },
		"GROUP", "INFO")
	g.start(missing)
	g.agree()
	g.until(missing, "the set", func(reply string) bool { return reply == "200" }, "SCARD", "set")
}

// TestWaitInAGroup: clients that want to know how many replicas have a write, as Redisson's lock
// does, count members.
func TestWaitInAGroup(t *testing.T) {
	g := startGroup(t, 3)
	leader := g.leader()
	c, err := dialGroup(g.servers[leader].Address)
	require.NoError(t, err)
	defer c.Close()
	wait := func(n, limit string) string {
		reply, err := c.ask("SET", "k", "v")
		require.NoError(t, err)
		require.Equal(t, "OK", reply)
		reply, err = c.ask("WAIT", n, limit)
		require.NoError(t, err, "%s %s", n, limit)
		return reply
	}
	require.Equal(t, "1", wait("0", "0"))
	require.Equal(t, "1", wait("1", "0"), "a reply says that most have it")
	require.Equal(t, "2", wait("2", "0"))
	reply, err := g.ask(leader%3+1, "WAIT", "1", "0")
	require.NoError(t, err)
	require.Contains(t, reply, "WAIT cannot be used with replica instances")
	g.kill(leader%3 + 1)
	require.Equal(t, "1", wait("2", "100"))
}

// TestAMemberTellsTheAgeOfItsData: a member refuses reads while its data may be older than it may
// show.
func TestAMemberTellsTheAgeOfItsData(t *testing.T) {
	g := startGroup(t, 3, "--group-max-staleness", "3000", "--group-heartbeat", "2000")
	leader := g.leader()
	g.agree()
	reader := leader%3 + 1
	g.until(reader, "a stale read", func(reply string) bool { return reply == "1" }, "GET", "probe")
	for id := range g.servers {
		if id != reader {
			g.kill(id)
		}
	}
	g.until(reader, "a refusal", func(reply string) bool { return strings.HasPrefix(reply, "MASTERDOWN") },
		"GET", "probe")
	reply, err := g.ask(reader, "CONFIG", "SET", "group-max-staleness", "0")
	require.NoError(t, err)
	require.Equal(t, "OK", reply)
	g.until(reader, "a stale read", func(reply string) bool { return reply == "1" }, "GET", "probe")
}

// TestEvictionInAGroup: the leader chooses what it evicts, and the others lose the same.
func TestEvictionInAGroup(t *testing.T) {
	g := startGroup(t, 3, "--maxmemory", "3mb", "--maxmemory-policy", "allkeys-random", "--latency-monitor-threshold",
		"1", "--group-heartbeat", "2000")
	leader := g.leader()
	c, err := dialGroup(g.servers[leader].Address)
	require.NoError(t, err)
	defer c.Close()
	for i := range 300 {
		reply, err := c.ask("SETRANGE", fmt.Sprint("key:", i), "19999", "x")
		require.NoError(t, err)
		require.Equal(t, "20000", reply)
	}
	g.until(leader, "evictions", func(reply string) bool { return infoField(reply, "evicted_keys") > 0 },
		"INFO", "stats")
	g.agree()
	for id := range g.servers {
		if id != leader {
			reply, err := g.ask(id, "INFO", "stats")
			require.NoError(t, err)
			require.Zero(t, infoField(reply, "evicted_keys"), "it evicts nothing by itself")
		}
	}
	g.until(leader, "how long commits took", func(reply string) bool { return strings.Contains(reply, "group-commit") },
		"LATENCY", "LATEST")
}

// infoField returns a number of INFO.
func infoField(text, name string) int {
	_, rest, _ := strings.Cut(text, name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	n, _ := strconv.Atoi(value)
	return n
}

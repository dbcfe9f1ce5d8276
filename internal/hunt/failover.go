//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// Sentinels agree after this time that a master is down, and wait twice the second one before they
// try the next failover.
const (
	downAfter       = time.Second
	failoverTimeout = 2 * time.Second
	failoverBound   = 2 * time.Minute // in which the service must return
)

// groups are the servers that Sentinels supervise, of one release each; the first is the first
// master.
var groups = []pairing{{ours, ours, ours}, {"redis:7.0", ours, ours}, {ours, "redis:8.0", ours},
	{"redis:8.0", "redis:8.0", ours}, {ours, "redis:7.0", "redis:7.0"}}

// openFailover lets three Sentinels of redis-server supervise three servers, kills, stops or cuts
// off the master again and again while clients write, and looks after each failover whether all is
// there: the old master as a replica, equal data on all servers, and each write that WAIT
// confirmed. Writes that were lost without that are counted.
func openFailover(h *hunt) (step, error) {
	if h.reference == "" {
		fmt.Fprintf(h.out, "%s: NOT TRIED: redis-server was not found\n", h.area.name)
		return func(*rand.Rand) error { return nil }, nil
	}
	all := groups
	if len(h.chain) > 0 {
		all = []pairing{h.chain}
	}
	watchers := []string{h.reference}
	for _, older := range []reference.Release{reference.Default, reference.Redis70} {
		if path := older.Find(); path != "" && path != h.reference {
			watchers = append(watchers, path)
		}
	}
	return func(r *rand.Rand) (err error) {
		p := all[h.at%uint64(len(all))]
		g := &supervised{hunt: h, r: r, watcher: pick(r, watchers), servers: map[string]*target{},
			confirmed: map[string]int{}, sent: map[string]int{}, plain: !p.allOurs()}
		h.doing("# Sentinels of %s with %s", launch.Version(g.watcher), strings.Join(p, ", "))
		h.count("Sentinels of "+launch.Version(g.watcher), 1)
		h.count(strings.Join(p, ", "), 1)
		defer func() { err = errors.Join(err, g.stop()) }()
		if err := g.start(p); err != nil {
			return err
		}
		times := 20
		if h.brief {
			times = 2
		}
		for range times {
			if err := g.failover(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// supervised is a master, its replicas, and the Sentinels that supervise them.
type supervised struct {
	*hunt
	r         *rand.Rand
	plain     bool               // a server is not ours
	servers   map[string]*target // by port
	master    *target
	sentinels []*sentinel
	watcher   string         // the redis-server that runs as Sentinel
	namespace *exec.Cmd      // holds the network namespace of servers and Sentinels; nil without
	confirmed map[string]int // the last number that WAIT confirmed, by key
	sent      map[string]int // the last number that a server took, by key
}

// start starts the servers and the Sentinels, and waits until these know all.
func (g *supervised) start(p pairing) error {
	net := g.ownNetwork()
	for _, kind := range p {
		if err := g.newServer(kind, p, net); err != nil {
			return err
		}
	}
	for range 3 {
		s, err := g.newSentinel(net)
		if err != nil {
			return err
		}
		g.sentinels = append(g.sentinels, s)
	}
	if err := g.settled(); err != nil {
		return err
	}
	return g.await("Sentinels know each other and the replicas", func() bool {
		return !slices.ContainsFunc(g.sentinels, func(s *sentinel) bool {
			state := s.state()
			return state["num-slaves"] != strconv.Itoa(len(p)-1) || state["num-other-sentinels"] != "2" ||
				state["flags"] != "master"
		})
	})
}

// newServer starts a server in a network namespace, if there is one: the master, or a replica of it
// as its configuration file says.
func (g *supervised) newServer(kind string, p pairing, net string) error {
	t, err := g.replicating(kind, p)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "failover")
	if err != nil {
		return err
	}
	t.net, t.conf = net, filepath.Join(dir, "conf")
	t.patience = max(t.patience, failoverBound) // it may be stopped that long
	if err := os.WriteFile(t.conf, []byte(g.follow()), 0o600); err != nil {
		return err
	}
	if err := t.start(); err != nil {
		return err
	}
	g.servers[t.option("--port")] = t
	if g.master == nil {
		g.master = t
	}
	return nil
}

// follow returns the line of a configuration file that makes a server a replica of the master; ""
// if there is none yet.
func (g *supervised) follow() string {
	if g.master == nil {
		return ""
	}
	return "replicaof " + g.master.host() + " " + g.master.option("--port")
}

// stop ends all servers.
func (g *supervised) stop() (err error) {
	for _, s := range g.sentinels {
		s.stop()
	}
	for _, t := range g.servers {
		err = errors.Join(err, t.verdictOf())
		t.stop()
		os.RemoveAll(filepath.Dir(t.conf))
	}
	g.leave()
	return err
}

// leave removes the network namespace, if there is one.
func (g *supervised) leave() {
	if g.namespace != nil {
		g.namespace.Process.Kill()
		g.namespace.Wait()
		g.namespace = nil
	}
}

// ownNetwork creates a network namespace in which only the loopback interface is up, and returns
// its file; "" if that is not permitted.
func (g *supervised) ownNetwork() string {
	holder := exec.Command("unshare", "--net", "sh", "-c", "echo; exec sleep infinity")
	out, _ := holder.StdoutPipe()
	if holder.Start() != nil {
		return ""
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		holder.Wait()
		return ""
	}
	g.namespace = holder
	if g.ip("link", "set", "lo", "up") != nil {
		g.leave()
		return ""
	}
	return fmt.Sprintf("/proc/%d/ns/net", holder.Process.Pid)
}

// ip configures the network namespace.
func (g *supervised) ip(args ...string) error {
	return exec.Command("nsenter",
		append([]string{"--net", "-t", strconv.Itoa(g.namespace.Process.Pid), "ip"}, args...)...).Run()
}

// A fault is what happens to a master, and how it ends.
type fault struct {
	name         string
	strike, heal func(g *supervised, t *target) error
}

// killed names the fault after which replicas have lost the master at once.
const killed = "kill -9"

var faults = []fault{
	{killed, func(_ *supervised, t *target) error { return syscall.Kill(t.process.PID, syscall.SIGKILL) },
		func(_ *supervised, t *target) error { return t.restart() }},
	{"SIGSTOP", func(_ *supervised, t *target) error { return syscall.Kill(t.process.PID, syscall.SIGSTOP) },
		func(_ *supervised, t *target) error { return syscall.Kill(t.process.PID, syscall.SIGCONT) }},
	{"cut off", func(g *supervised, t *target) error {
		return g.ip("route", "add", "blackhole", t.host(), "table", "local")
	},
		func(g *supervised, t *target) error {
			return g.ip("route", "del", "blackhole", t.host(), "table", "local")
		}},
}

// failover strikes the master, and returns when all is well again, or with what is not.
func (g *supervised) failover() error {
	f := faults[g.r.IntN(len(faults))]
	if g.namespace == nil {
		f = faults[g.r.IntN(2)]
	}
	old, began := g.master, time.Now()
	g.doing("# %s, the master of %s", f.name, old.name)
	load := g.write(old, g.r, harmless(g.r, g.plain))
	stop := g.confirm(old)
	time.Sleep(time.Duration(100+g.r.IntN(400)) * time.Millisecond)
	if err := f.strike(g, old); err != nil {
		return err
	}
	var orphans map[string]standing
	if f.name == killed && !g.plain {
		orphans = g.orphans(old)
	}
	err := g.await("another server is the master", g.promoted)
	g.longest("longest outage in ms", time.Since(began))
	load.stop()
	stop()
	if err == nil && orphans != nil {
		err = g.goOn(orphans)
	}
	if err = errors.Join(err, f.heal(g, old)); err != nil {
		return err
	}
	g.count(f.name, 1)
	g.count("failovers", 1)
	if err := g.recovered(old); err != nil {
		return fmt.Errorf("after %s of %s: %w", f.name, old.name, err)
	}
	return g.examine()
}

// recovered waits until all follow the new master, and requires that they do so when they start
// again.
func (g *supervised) recovered(old *target) error {
	if err := g.settled(); err != nil {
		return err
	}
	if err := g.rewritten(); err != nil {
		return err
	}
	if err := g.rejoins(old); err != nil {
		return err
	}
	return g.settled()
}

// promoted reports whether the Sentinels agree on a new master that takes writes, and makes it the
// master.
func (g *supervised) promoted() bool {
	port := ""
	for _, s := range g.sentinels {
		if said := s.state()["port"]; port != "" && said != port {
			return false
		} else {
			port = said
		}
	}
	t := g.servers[port]
	if t == nil || t == g.master {
		return false
	}
	c, err := t.dial()
	if err != nil {
		return false
	}
	defer c.Close()
	if reply, err := c.do("SET", "promoted", port); err != nil || reply.IsError() {
		return false
	}
	g.master = t
	return true
}

// settled waits until all other servers are replicas of the master, and have its data. Sentinels
// that get no time to run may take a master for dead that nothing struck, and choose another one.
func (g *supervised) settled() error {
	err := g.agree()
	for err != nil && g.promoted() {
		g.count("failovers without a fault", 1)
		err = g.agree()
	}
	return err
}

// agree is settled with a master that stays.
func (g *supervised) agree() error {
	for _, t := range g.servers {
		if t == g.master {
			continue
		}
		err := g.await("the others are replicas", func() bool { return g.followed(t) })
		if err == nil {
			err = same(g.master, t)
		}
		if err != nil {
			return fmt.Errorf("%w\n%s", err, t.lastLog(10))
		}
	}
	return nil
}

// followed reports whether a server is a replica of the master, and connected.
func (g *supervised) followed(t *target) bool {
	info, err := t.info("replication")
	return err == nil && info["master_port"] == g.master.option("--port") && info["master_link_status"] == "up"
}

// await waits for what must come.
func (h *hunt) await(what string, ok func() bool) error {
	for end := time.Now().Add(failoverBound); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("it takes too long until " + what)
		}
	}
	return nil
}

// confirm writes numbers to a server, each with WAIT for all replicas, until the function that it
// returns is called.
func (g *supervised) confirm(t *target) (stop func()) {
	var over atomic.Bool
	c, err := t.dial()
	if err != nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 1; !over.Load(); n++ {
			key := "number" + strconv.Itoa(n%100)
			value := g.sent[key] + 1
			c.SetDeadline(time.Now().Add(replyTime))
			replies, err := c.pipeline([][]string{{"SET", key, strconv.Itoa(value)},
				{"WAIT", strconv.Itoa(len(g.servers) - 1), "100"}})
			if err != nil || replies[0].IsError() {
				return
			}
			g.sent[key] = value
			if g.count("writes", 1); replies[1].Int == int64(len(g.servers)-1) {
				g.confirmed[key] = value
				g.count("confirmed", 1)
			}
		}
	}()
	return func() {
		over.Store(true)
		c.Close()
		<-done
	}
}

// examine looks for the confirmed writes on the master, and counts others that are lost.
func (g *supervised) examine() error {
	c, err := g.master.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for key, sent := range g.sent {
		reply, err := c.do("GET", key)
		if err != nil {
			return err
		}
		kept, _ := strconv.Atoi(reply.Text)
		if kept < g.confirmed[key] {
			return fmt.Errorf("%s is %d, and WAIT confirmed %d", key, kept, g.confirmed[key])
		}
		g.count("lost unconfirmed", max(0, sent-kept))
		g.sent[key] = max(kept, g.confirmed[key])
	}
	return nil
}

// longest counts the longest of several times, in milliseconds.
func (g *supervised) longest(what string, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts[what] = max(g.counts[what], d.Milliseconds())
}

// host returns the address on which a server listens.
func (t *target) host() string { return t.option("--bind") }

// address returns where a server listens for replicas.
func (t *target) address() string { return net.JoinHostPort(t.host(), t.option("--port")) }

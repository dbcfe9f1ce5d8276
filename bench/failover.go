package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// runFailover is the subcommand failover: for how long a group of three confirms no write after its
// leader was killed while clients write. A rival is another build of ours.
func runFailover(args []string) error {
	o := newOptions("failover").withRivals()
	kills := o.flags.Int("kills", 50, "leaders to kill in each group")
	if err := o.parse(args); err != nil {
		return err
	}
	binaries, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	var groups []*mortal
	defer func() {
		for _, g := range groups {
			g.stop()
		}
	}()
	for _, b := range binaries {
		g, err := startMortal(b)
		groups = append(groups, g)
		if err != nil {
			return err
		}
	}
	t, err := measureFailovers(groups, *kills)
	if err != nil {
		return err
	}
	return o.print(t)
}

// failoverColumns show the pauses of a group in milliseconds: their median, the least and the most.
var failoverColumns = []column{
	{"the leader is killed", "%s", "server"},
	{"kills", "%d", "kills"},
	{"no write confirmed ms", "%.0f (%.0f..%.0f)", "pause_ms min_pause_ms max_pause_ms"},
	{"ours/it", "%.2f", "pause_ratio"},
}

// measureFailovers kills leaders of all groups in turns.
func measureFailovers(groups []*mortal, kills int) (*table, error) {
	bar := newSteps(kills)
	defer bar.End()
	pauses := make(map[string][]time.Duration)
	for round := range kills {
		bar.begin("kill")
		for _, g := range turn(groups, round) {
			pause, err := g.failover()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", g.name, err)
			}
			pauses[g.name] = append(pauses[g.name], pause)
		}
	}
	var rows []row
	for _, g := range groups {
		r := row{"server": g.name, "kills": kills}
		addSpread(r, "pause_ms", pauses[g.name], inMillis)
		rows = append(rows, r)
	}
	return &table{columns: failoverColumns, rows: beside(rows, "pause_ms")}, nil
}

// mortal is a group whose members are killed and started again with what they have on the disk.
type mortal struct {
	binary
	dir     string
	list    string // group-members
	members [3]*server
	ports   [3]atomic.Pointer[launch.Server] // where clients reach the members
}

// startMortal starts a group. stop must be called in any case.
func startMortal(b binary) (*mortal, error) {
	g := &mortal{binary: b}
	var err error
	if g.dir, err = os.MkdirTemp("", "failover"); err != nil {
		return g, err
	}
	var words []string
	for i := range g.members {
		port, err := launch.FreePort()
		if err != nil {
			return g, err
		}
		words = append(words, fmt.Sprintf("%d=127.0.0.1:%d", i+1, port))
	}
	g.list = strings.Join(words, ",")
	for i := range g.members {
		if err := g.start(i); err != nil {
			return g, err
		}
	}
	return g, nil
}

// start starts a member in its directory.
func (g *mortal) start(i int) error {
	conf := filepath.Join(g.dir, fmt.Sprint(i+1), "conf")
	err := errors.Join(os.MkdirAll(filepath.Dir(conf), 0o700), os.WriteFile(conf, nil, 0o600))
	if err != nil {
		return err
	}
	process, err := launch.Start(launch.Spec{Path: g.path, Conf: conf,
		Args: []string{"--group-id", fmt.Sprint(i + 1), "--group-members", g.list}})
	if err != nil {
		return err
	}
	c, err := dial(g.name, process)
	if err != nil {
		process.Stop()
		return err
	}
	g.members[i] = &server{client: c, process: process, path: g.path}
	g.ports[i].Store(process)
	return nil
}

func (g *mortal) stop() {
	for _, s := range g.members {
		if s != nil {
			s.stop()
		}
	}
	os.RemoveAll(g.dir)
}

// failover kills the leader while clients write, returns how long it took until a write that came
// after that was confirmed, and leaves the group whole again.
func (g *mortal) failover() (pause time.Duration, err error) {
	leader, err := g.whole()
	if err != nil {
		return 0, err
	}
	stop := g.load(20)
	defer stop()
	time.Sleep(time.Duration(300+rand.IntN(300)) * time.Millisecond) // anywhere between two heartbeats
	killed := time.Now()
	g.members[leader].stop()
	if err := g.confirm(leader); err != nil {
		return 0, err
	}
	pause = time.Since(killed)
	stop()
	return pause, g.start(leader)
}

// whole returns the leader when all members have what it has.
func (g *mortal) whole() (leader int, err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for i, s := range g.members {
			v, err := s.do("GROUP", "INFO")
			if err != nil { // its connections end with its seat
				s.conn.Close()
				if s.client, err = s.dial(); err != nil {
					return 0, err
				}
				continue
			}
			if infoText(v.Text, "group_role") == "leader" && strings.Count(v.Text, "lag=0") == len(g.members) {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("the group is not whole after %v", patience)
}

// confirm returns when a member other than one that is dead has confirmed a write.
func (g *mortal) confirm(dead int) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for i := range g.members {
			if i != dead && g.writes(i, 1) == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("no write is confirmed after %v", patience)
}

// writes has a member confirm some writes, one after the other.
func (g *mortal) writes(i, n int) error {
	c, err := dial(g.name, g.ports[i].Load())
	if err != nil {
		return err
	}
	defer c.conn.Close()
	for range n {
		c.add("SET", "key", "value:0123456789")
		if err := c.exchange(nil); err != nil {
			return err
		}
	}
	return nil
}

// load starts clients that write to the leader, whichever member that is, and returns a function
// that stops them.
func (g *mortal) load(clients int) (stop func()) {
	var ended atomic.Bool
	var done sync.WaitGroup
	for i := range clients {
		done.Go(func() {
			for at := i; !ended.Load(); {
				if g.writes(at%len(g.members), 20) != nil {
					at++
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	return func() {
		ended.Store(true)
		done.Wait()
	}
}

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// runGroup is the subcommand group: what a confirmed write costs in a group of three, beside
// servers that promise less. All sync before they confirm.
//
//	ours            the leader of three members: most of them have the write
//	ours-alone      one server, appendfsync always
//	rival, WAIT 1   a master and a replica, both with appendfsync always; after each batch of
//	                writes the client sends WAIT 1 0
//
// WAIT confirms that the replica has received the write, not that it has synced it, and a failover
// may lose it all the same.
func runGroup(args []string) error {
	o := newOptions("group").withServers("redis-server")
	length := o.flags.Duration("time", 3*time.Second, "how long a workload runs in a round")
	o.flags.IntVar(&o.rounds, "rounds", 3, "rounds; in each another server is first")
	if err := o.parse(args); err != nil {
		return err
	}
	binaries, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	list, stop, err := startDurable(binaries)
	defer stop()
	if err != nil {
		return err
	}
	t, err := o.measureDurable(list, *length)
	if err != nil {
		return err
	}
	return o.print(t)
}

// durable is servers that confirm writes, and the one that clients talk to.
type durable struct {
	*server
	wait bool // clients send WAIT
	all  []*server
}

const journalAlways = "--appendonly yes --appendfsync always"

// startDurable starts the servers of all setups, the group last. stop must be called in any case.
func startDurable(binaries []binary) (list []durable, stop func(), err error) {
	stop = func() {
		for _, d := range list {
			for _, s := range d.all {
				s.stop()
			}
		}
	}
	for _, b := range binaries {
		var d durable
		switch d.server, err = startServer(b.name, b.path, journalAlways); {
		case err != nil:
			return list, stop, err
		case b.name == "ours":
			d.name, d.all = "ours-alone", []*server{d.server}
			list = append(list, d)
			if d, err = startMembers(b.path, 3); err != nil {
				return list, stop, err
			}
			list = append(list, d)
			continue
		}
		d.name, d.wait, d.all = b.name+", WAIT 1", true, []*server{d.server}
		list = append(list, d)
		replica, err := startServer(b.name, b.path, journalAlways)
		if err != nil {
			return list, stop, err
		}
		if err := d.follow(replica); err != nil {
			return list, stop, err
		}
	}
	return list, stop, nil
}

// startMembers starts a group, and returns it with its leader as the server that clients talk to.
func startMembers(path string, n int) (durable, error) {
	d := durable{}
	var words []string
	for id := range n {
		port, err := launch.FreePort()
		if err != nil {
			return d, err
		}
		words = append(words, fmt.Sprintf("%d=127.0.0.1:%d", id+1, port))
	}
	for id := range n {
		s, err := startServer("ours", path,
			fmt.Sprintf("--group-id %d --group-members %s", id+1, strings.Join(words, ",")))
		if err != nil {
			return d, err
		}
		d.all = append(d.all, s)
	}
	return d, d.find()
}

// find makes the leader the server that clients talk to. It does nothing without a group.
func (d *durable) find() error {
	for end := time.Now().Add(patience); !d.wait && len(d.all) > 1 &&
		time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, s := range d.all {
			if v, err := s.do("ROLE"); err == nil && v.Elems[0].Text == "master" {
				d.server = s
				return nil
			}
		}
	}
	if d.server == nil {
		return errors.New("no member leads the group")
	}
	return nil
}

// durableWorkload is what clients send, in batches, each when the replies to the one before are
// there.
type durableWorkload struct {
	name     string
	clients  int
	pipeline int
	add      func(c *client, r *rand.Rand) (write bool)
}

// durableWorkloads are the rows.
func durableWorkloads() (list []durableWorkload) {
	text := script("sliding-window-zset")
	for _, kind := range []struct {
		name string
		add  func(c *client, r *rand.Rand) bool
	}{
		{"SET", addSet},
		{"EVALSHA zset limiter", func(c *client, r *rand.Rand) bool {
			c.add("EVALSHA", digest(text), "1", strconv.Itoa(r.IntN(limiterKeys)),
				strconv.Itoa(r.IntN(limiterKeys)), "30000", "2")
			return true
		}},
		{"3 GET to a SET", func(c *client, r *rand.Rand) bool {
			if r.IntN(4) == 0 {
				return addSet(c, r)
			}
			c.add("GET", durableKey(r))
			return false
		}},
	} {
		list = append(list, durableWorkload{kind.name + ", 50 clients", 50, 1, kind.add},
			durableWorkload{kind.name + ", 500 clients", 500, 1, kind.add},
			durableWorkload{kind.name + ", 50 clients, pipeline 16", 50, 16, kind.add})
	}
	return list
}

func durableKey(r *rand.Rand) string { return "key:" + strconv.Itoa(r.IntN(plainKeys)) }

func addSet(c *client, r *rand.Rand) bool {
	c.add("SET", durableKey(r), "value:0123456789")
	return true
}

// durableColumns show a workload on one setup: medians of the rounds. CPU is that of the server
// that clients talk to, and of one of the others, for each request. Latencies are those of whole
// batches.
var durableColumns = []column{
	{"confirmed", "%s", "name"},
	{"server", "%s", "server"},
	{"k/s", "%.1f (%.1f..%.1f)", "kps min_kps max_kps"},
	{"ours/it", "%.2f", "kps_ratio"},
	{"CPU us", "%.2f", "cpu_us"},
	{"of another", "%.2f", "replica_us"},
	{"p50 ms", "%.2f", "p50_ms"},
	{"p99 ms", "%.2f (%.2f..%.2f)", "p99_ms min_p99_ms max_p99_ms"},
	{"ours/it", "%.2f", "p99_ratio"},
}

// measureDurable runs the chosen workloads on all setups in turns.
func (o *options) measureDurable(list []durable, length time.Duration) (*table, error) {
	all := slices.DeleteFunc(durableWorkloads(), func(w durableWorkload) bool { return !o.filter.MatchString(w.name) })
	bar := newSteps(len(all))
	defer bar.End()
	t := &table{columns: durableColumns}
	for _, w := range all {
		bar.begin(w.name)
		samples := map[string][]sample{}
		for round := range o.rounds {
			for i := range list {
				d := &list[(i+round)%len(list)]
				one, err := w.run(d, length)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", w.name, d.name, err)
				}
				samples[d.name] = append(samples[d.name], one)
			}
		}
		var rows []row
		for _, d := range list {
			r := row{"name": w.name, "server": d.name,
				"p50_ms": median(samples[d.name], func(s sample) float64 { return s.p50 })}
			r["cpu_us"] = median(samples[d.name], func(s sample) float64 { return s.perRequest(s.spent.user) })
			r["replica_us"] = median(samples[d.name], func(s sample) float64 { return s.perRequest(s.following) })
			addSpread(r, "kps", samples[d.name], func(s sample) float64 { return s.rps / 1000 })
			addSpread(r, "p99_ms", samples[d.name], func(s sample) float64 { return s.p99 })
			rows = append(rows, r)
		}
		t.rows = append(t.rows, beside(rows, "kps", "p99_ms")...)
	}
	losingFirst(t.rows, "kps_ratio", true)
	return t, nil
}

// run sends the workload for a while.
func (w durableWorkload) run(d *durable, length time.Duration) (sample, error) {
	if err := d.find(); err != nil {
		return sample{}, err
	}
	if _, err := d.do("SCRIPT", "LOAD", script("sliding-window-zset")); err != nil {
		return sample{}, err
	}
	before, others, err := d.spent()
	if err != nil {
		return sample{}, err
	}
	parts, failures := make([][]time.Duration, w.clients), make([]error, w.clients)
	var done sync.WaitGroup
	start := time.Now()
	for i := range w.clients {
		done.Go(func() { parts[i], failures[i] = w.repeat(d, uint64(i), start.Add(length)) })
	}
	done.Wait()
	took := time.Since(start)
	latencies := slices.Concat(parts...)
	if err := errors.Join(failures...); err != nil || len(latencies) == 0 {
		return sample{}, errors.Join(err, errors.New("no batch was answered"))
	}
	slices.Sort(latencies)
	at := func(percent int) float64 { return inMillis(latencies[len(latencies)*percent/100]) }
	requests := len(latencies) * w.pipeline
	after, othersAfter, err := d.spent()
	return sample{requests: requests, rps: float64(requests) / took.Seconds(), p50: at(50), p99: at(99),
		spent: cpu{user: after - before}, following: othersAfter - others}, err
}

// spent returns the CPU time so far of the server that clients talk to, and that of one of the
// others.
func (d *durable) spent() (first, other time.Duration, err error) {
	for _, s := range append(d.all, d.replica) {
		if s == nil {
			continue
		}
		spent, err := cpuTimeOf(s.process.PID)
		if err != nil {
			return 0, 0, err
		}
		if s == d.server {
			first = spent
		} else {
			other += spent
		}
	}
	return first, other / time.Duration(max(1, len(d.all)-1)), nil
}

// repeat is one client: it sends batches until the end, and returns how long each took.
func (w durableWorkload) repeat(d *durable, seed uint64, end time.Time) (latencies []time.Duration, err error) {
	c, err := d.dial()
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	r := rand.New(rand.NewPCG(seed, 1))
	for sent := time.Now(); sent.Before(end); sent = time.Now() {
		wrote := false
		for range w.pipeline {
			wrote = w.add(c, r) || wrote
		}
		if wrote && d.wait {
			c.add("WAIT", "1", "0")
		}
		if err := c.exchange(nil); err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(sent))
	}
	return latencies, nil
}

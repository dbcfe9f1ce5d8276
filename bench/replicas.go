package main

import (
	"sync"
	"time"
)

// runReplica is the subcommand replica: full synchronizations of datasets, and then the rows of
// compare, each server with a replica of its own kind.
func runReplica(args []string) error {
	o := newOptions("replica").withServers("redis-server").withLoad(200_000, 3)
	if err := o.parse(args); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	syncs, err := o.fullSyncs(servers)
	if err != nil {
		return err
	}
	for _, s := range servers {
		if err := s.addReplica(); err != nil {
			return err
		}
	}
	t := o.measure(append(plainWorkloads(), dataWorkloads()...), servers)
	t.columns = replicaColumns
	return o.print(syncs, t)
}

// replicaColumns show a workload on one server with a replica: see workloadColumns.
var replicaColumns = []column{
	{"workload on a master with a replica", "%s", "name"},
	{"server", "%s", "server"},
	{"k/s", "%.1f (%.1f..%.1f)", "kps min_kps max_kps"},
	{"ours/it", "%.2f", "kps_ratio"},
	{"master us", "%.2f (%.2f..%.2f)", "cpu_us min_cpu_us max_cpu_us"},
	{"ours/it", "%.2f", "cpu_ratio"},
	{"replica us", "%.2f (%.2f..%.2f)", "replica_us min_replica_us max_replica_us"},
	{"ours/it", "%.2f", "replica_ratio"},
	{"p50/p99 ms", "%.2f/%.2f (%.2f..%.2f)", "p50_ms p99_ms min_p99_ms max_p99_ms"},
}

// syncColumns show the full synchronization of a new replica. A timer that runs late shows how long
// the machine lets any thread wait. Memory is resident; the peaks are ratios to what the master had
// before.
var syncColumns = []column{
	{"full synchronization", "%s", "name"},
	{"server", "%s", "server"},
	{"took s", "%.2f", "took_s"},
	{"ours/it", "%.2f", "took_ratio"},
	{"longest wait ms: master", "%.2f", "master_ms"},
	{"replica", "%.2f", "replica_ms"},
	{"a timer", "%.2f", "timer_ms"},
	{"master MB", "%.0f", "master_mb"},
	{"peak", "%.2f", "master_peak"},
	{"peak of the replica", "%.2f", "replica_peak"},
}

// fullSyncs synchronizes a new replica of each server with each dataset.
func (o *options) fullSyncs(servers []*server) (*table, error) {
	t := &table{columns: syncColumns}
	for _, d := range append(snapshotSets[:1:1],
		dataset{name: "2 GB in values of 4 KB", keys: 2 << 30 / 4096, size: 4096}) {
		if !o.filter.MatchString(d.name) {
			continue
		}
		var rows []row
		for _, s := range servers {
			r, err := d.sync(s)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		t.rows = append(t.rows, beside(rows, "took_s")...)
	}
	return t, nil
}

// sync fills a server and synchronizes a new replica, which is stopped again.
func (d dataset) sync(s *server) (row, error) {
	if err := d.fill(s); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	replica, err := startServer(s.name, s.path, "")
	if err != nil {
		return nil, err
	}
	defer func() {
		replica.stop()
		s.replica = nil
	}()
	watched := []*watch{{server: s}, {server: replica}}
	for _, w := range watched {
		if err := w.begin(); err != nil {
			return nil, err
		}
	}
	timer, begun := lateness(), time.Now()
	err = s.follow(replica)
	took, late := time.Since(begun), timer.stop()
	for _, w := range watched {
		w.finish()
	}
	if err != nil {
		return nil, err
	}
	before := float64(watched[0].before)
	r := row{"name": d.name, "server": s.name, "took_s": took.Seconds(), "master_mb": before / 1e6,
		"master_ms":  inMillis(watched[0].longest),
		"replica_ms": inMillis(watched[1].longest), "timer_ms": inMillis(late),
		"master_peak": float64(watched[0].peak) / before, "replica_peak": float64(watched[1].peak) / before}
	return r, s.rest()
}

// watch is what a server takes, and how long it lets a client wait, from begin to finish.
type watch struct {
	server       *server
	before, peak int64 // resident bytes
	longest      time.Duration

	pings *pings
	end   chan struct{}
	done  sync.WaitGroup
}

func (w *watch) begin() error {
	held, err := memoryOf(w.server.process.PID)
	if err != nil {
		return err
	}
	w.before, w.peak, w.end = held.now, held.now, make(chan struct{})
	// A replica of redis-server answers this while it loads, too.
	if w.pings, err = w.server.repeat(often, func(int) []string { return []string{"LASTSAVE"} }); err != nil {
		return err
	}
	w.done.Go(func() {
		for {
			select {
			case <-w.end:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if held, err := memoryOf(w.server.process.PID); err == nil {
				w.peak = max(w.peak, held.now)
			}
		}
	})
	return nil
}

func (w *watch) finish() {
	close(w.end)
	w.done.Wait()
	w.longest = w.pings.stop()
}

// addReplica starts a replica of the server, with the same binary, and waits until it has the data.
func (s *server) addReplica() error {
	replica, err := startServer(s.name, s.path, "")
	if err != nil {
		return err
	}
	return s.follow(replica)
}

// follow makes another server the replica, and waits until it has the data.
func (s *server) follow(replica *server) error {
	s.replica = replica
	if _, err := replica.do("REPLICAOF", "127.0.0.1", s.process.Port()); err != nil {
		return err
	}
	return s.awaitReplica()
}

// awaitReplica waits until the replica has received all that the server has sent. It does nothing
// without a replica.
func (s *server) awaitReplica() error {
	if s.replica == nil {
		return nil
	}
	err := s.replica.poll("replication", func(text string) bool { return infoText(text, "master_link_status") == "up" })
	if err != nil {
		return err
	}
	info, err := s.do("INFO", "replication")
	if err != nil {
		return err
	}
	sent := infoField(info.Text, "master_repl_offset")
	return s.replica.poll("replication", func(text string) bool { return infoField(text, "slave_repl_offset") >= sent })
}

// replicaCPU returns the CPU time of the replica so far, when it has caught up; 0 without one.
func (s *server) replicaCPU() (time.Duration, error) {
	if s.replica == nil {
		return 0, nil
	}
	if err := s.awaitReplica(); err != nil {
		return 0, err
	}
	return cpuTimeOf(s.replica.process.PID)
}

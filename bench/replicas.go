package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// runReplica is the subcommand replica: the rows of compare that write, each server with a replica of its own kind.
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
	for _, s := range servers {
		if err := s.addReplica(); err != nil {
			return err
		}
	}
	t := o.measure(append(plainWorkloads(), dataWorkloads()...), servers)
	t.columns = replicaColumns
	return o.print(t)
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

// addReplica starts a replica of the server, with the same binary, and waits until it has the data.
func (s *server) addReplica() (err error) {
	if s.replica, err = startServer(s.name, s.path, ""); err != nil {
		return err
	}
	if _, err := s.replica.do("REPLICAOF", "127.0.0.1", s.process.Port()); err != nil {
		return err
	}
	return s.awaitReplica()
}

var errBehind = errors.New("the replica does not catch up")

// awaitReplica waits until the replica has received all that the server has sent. It does nothing without a replica.
func (s *server) awaitReplica() error {
	if s.replica == nil {
		return nil
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		sent, err := s.replicationField("master_repl_offset")
		if err != nil {
			return err
		}
		received, err := s.replica.replicationField("slave_repl_offset")
		if err != nil {
			return err
		}
		if sent > 0 && received >= sent {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", s.name, errBehind)
}

// replicationField returns a number in the replication section of INFO, 0 if it is not there.
func (s *server) replicationField(name string) (int64, error) {
	info, err := s.do("INFO", "replication")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(info.Text) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	return 0, nil
}

// replicaCPU returns the CPU time of the replica so far, when it has caught up; 0 without one.
func (s *server) replicaCPU() (time.Duration, error) {
	if s.replica == nil {
		return 0, nil
	}
	if err := s.awaitReplica(); err != nil {
		return 0, err
	}
	spent, err := cpuOf(s.replica.process.PID)
	return spent.user + spent.sys, err
}

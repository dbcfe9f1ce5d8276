package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// generator makes the load. Several processes share the clients and the requests of a workload, for a server that answers faster than
// one can ask. Threads of redis-benchmark and valkey-benchmark would do the same, but with them the time ends at a multiple of 250 ms.
type generator struct {
	path      string // of redis-benchmark, or of valkey-benchmark
	processes int
}

// workload is one row: a command for redis-benchmark and how hard to drive it.
type workload struct {
	name     string
	clients  int
	pipeline int
	share    float64 // of -n
	keyspace int     // what __rand_int__ is below; 0 for one key
	args     []string
	setup    func(s *server) error // fills what the command reads; may be nil
	value    int                   // bytes of a further argument; 0 for none

	warm      int // calls before the measuring
	listeners int // subscribers of the channel news
}

// sample is what one run of a workload on one server measured.
type sample struct {
	requests      int
	rps           float64
	p50, p95, p99 float64       // milliseconds
	spent         cpu           // by the server
	asking        time.Duration // CPU time of the generator
	following     time.Duration // CPU time of the replica
	rss           int64
}

// requestCount returns how many requests the workload takes of n.
func (w workload) requestCount(n int) int { return max(int(float64(n)*w.share), w.clients*w.pipeline) }

// run drives the workload once against a server that is emptied first.
func (w workload) run(s *server, g generator, n int) (sample, error) {
	if err := w.prepare(s); err != nil {
		return sample{}, err
	}
	hangUp, err := s.listen(w.listeners)
	defer hangUp()
	if err != nil {
		return sample{}, err
	}
	followed, err := s.replicaCPU()
	if err != nil {
		return sample{}, err
	}
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return sample{}, err
	}
	result, err := w.drive(s, g, w.requestCount(n))
	if err != nil {
		return sample{}, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return sample{}, err
	}
	follows, err := s.replicaCPU()
	if err != nil {
		return sample{}, err
	}
	held, err := memoryOf(s.process.PID)
	result.spent = cpu{after.user - before.user, after.sys - before.sys}
	result.rss, result.following = held.now, follows-followed
	return result, err
}

// prepare empties the server, fills it, and tries the command, once if it needs no warming up:
// redis-benchmark does not mention error replies.
func (w workload) prepare(s *server) error {
	if _, err := s.do("FLUSHALL"); err != nil {
		return err
	}
	if w.setup != nil {
		if err := w.setup(s); err != nil {
			return err
		}
	}
	args := make([]string, len(w.args))
	for i, arg := range w.args {
		args[i] = strings.ReplaceAll(arg, "__rand_int__", "000000000001")
	}
	if w.value > 0 {
		args = append(args, strings.Repeat("x", w.value))
	}
	for range 1 + w.warm {
		if _, err := s.do(args...); err != nil {
			return err
		}
	}
	return s.settle()
}

// settle waits until the server rests: until it has done what FLUSHALL, the filling or a script left to
// the background, for two seconds at most.
func (s *server) settle() error {
	for range 40 {
		before, err := cpuOf(s.process.PID)
		if err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
		after, err := cpuOf(s.process.PID)
		if err != nil || after == before {
			return err
		}
	}
	return nil
}

// drive runs the processes of the generator at the same time.
func (w workload) drive(s *server, g generator, n int) (sample, error) {
	parts := make([]sample, min(g.processes, w.clients))
	failures := make([]error, len(parts))
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			parts[i], failures[i] = w.generate(s, g.path, portion(w.clients, i, len(parts)), portion(n, i, len(parts)))
		})
	}
	all.Wait()
	return together(parts), errors.Join(failures...)
}

// portion returns what the i-th of several gets of n.
func portion(n, i, of int) int { return (i+1)*n/of - i*n/of }

// together returns what processes of the generator measured that ran at the same time. The throughput is that of all requests until the
// last one ended, a percentile the worst of theirs.
func together(parts []sample) (sum sample) {
	longest := 0.0
	for _, p := range parts {
		sum.requests += p.requests
		sum.asking += p.asking
		sum.p50, sum.p95, sum.p99 = max(sum.p50, p.p50), max(sum.p95, p.p95), max(sum.p99, p.p99)
		longest = max(longest, float64(p.requests)/p.rps)
	}
	sum.rps = float64(sum.requests) / longest
	return sum
}

// generate runs one process of the generator.
func (w workload) generate(s *server, path string, clients, n int) (sample, error) {
	args := []string{"-h", "127.0.0.1", "-p", s.process.Port(), "--csv",
		"-c", strconv.Itoa(clients), "-P", strconv.Itoa(w.pipeline), "-n", strconv.Itoa(n)}
	if w.keyspace > 0 {
		args = append(args, "-r", strconv.Itoa(w.keyspace))
	}
	if w.value > 0 {
		args = append(args, "-x")
	}
	process := exec.Command(path, append(args, w.args...)...)
	process.Stdin = strings.NewReader(strings.Repeat("x", w.value))
	out, err := process.Output()
	if err != nil {
		return sample{}, fmt.Errorf("%s on %s: %w", w.name, s.name, err)
	}
	result, err := parseCSV(string(out))
	result.requests, result.asking = n, process.ProcessState.UserTime()+process.ProcessState.SystemTime()
	return result, err
}

// parseCSV reads the last line of redis-benchmark's output. Its first field is the command,
// which may contain quotes and newlines, so the figures are counted from the end.
func parseCSV(text string) (sample, error) {
	text = strings.TrimSpace(text)
	at := len(text)
	for range 7 {
		at = strings.LastIndex(text[:max(at, 0)], `,"`)
	}
	if at < 0 {
		return sample{}, fmt.Errorf("no figures in %q", text)
	}
	fields, err := csv.NewReader(strings.NewReader(text[at+1:])).Read()
	if err != nil {
		return sample{}, err
	}
	var s sample
	for i, into := range map[int]*float64{0: &s.rps, 3: &s.p50, 4: &s.p95, 5: &s.p99} {
		if *into, err = strconv.ParseFloat(fields[i], 64); err != nil {
			return sample{}, fmt.Errorf("bad figures in %q", text)
		}
	}
	return s, nil
}

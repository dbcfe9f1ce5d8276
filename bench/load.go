package main

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// generator makes the load. Several processes share the clients and the requests of a workload, for
// a server that answers faster than one can ask. Threads of redis-benchmark and valkey-benchmark
// would do the same, but with them the time ends at a multiple of 250 ms.
type generator struct {
	path      string // of redis-benchmark, or of valkey-benchmark
	processes int
	slice     time.Duration // after which another server has its turn; 0 when a run has ended
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

// run drives the workload once against servers that are emptied first. A server that cannot has an
// error in place of a sample.
func (w workload) run(g generator, n int, servers ...*server) (samples []sample, errs []error) {
	samples, errs = make([]sample, len(servers)), make([]error, len(servers))
	trials := make([]*trial, len(servers))
	var ready []*trial
	for i, s := range servers {
		trials[i] = &trial{workload: w, server: s, requests: w.requestCount(n)}
		if errs[i] = trials[i].begin(); errs[i] == nil {
			ready = append(ready, trials[i])
		}
	}
	g.drive(ready)
	for i, t := range trials {
		if errs[i] == nil {
			samples[i], errs[i] = t.end()
		}
		t.hangUp()
	}
	return samples, errs
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

// settle waits until the server rests: until it has done what FLUSHALL, the filling or a script
// left to the background, for two seconds at most.
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

// portion returns what the i-th of several gets of n.
func portion(n, i, of int) int { return (i+1)*n/of - i*n/of }

// together returns what processes of the generator measured that ran at the same time. The
// throughput is that of all requests until the last one ended, a percentile the worst of theirs.
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

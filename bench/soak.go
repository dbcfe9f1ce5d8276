package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// enduranceColumns show what a server did under a stream of writes at its limit of memory. Probes are single commands
// sent meanwhile; RSS is that of samples.
var enduranceColumns = []column{
	{"server", "%s", "name"},
	{"s", "%.0f", "s"},
	{"k writes/s", "%.1f", "writes_kps"},
	{"CPU us/write", "%.2f", "cpu_us_per_write"},
	{"evicted", "%d", "evicted"},
	{"keys", "%d", "keys"},
	{"used MB", "%.1f", "used_mb"},
	{"RSS peak MB", "%.1f", "rss_peak_mb"},
	{"RSS last MB", "%.1f", "rss_last_mb"},
	{"probes", "%d", "probes"},
	{"p99 ms", "%.2f", "probe_p99_ms"},
	{"longest ms", "%.2f", "probe_longest_ms"},
	{"longest batch ms", "%.2f", "batch_longest_ms"},
}

// runSoak soaks one server after the other.
func (o *options) runSoak(servers []binary, maxmemory string, length time.Duration) error {
	servers = slices.DeleteFunc(servers, func(b binary) bool { return !o.filter.MatchString(b.name) })
	bar := newSteps(len(servers))
	defer bar.End()
	t := &table{columns: enduranceColumns}
	for _, b := range servers {
		bar.begin(fmt.Sprintf("%s for %s", b.name, length))
		r, err := o.soak(b.name, b.path, maxmemory, length)
		if err != nil {
			return err
		}
		t.rows = append(t.rows, r)
	}
	bar.End()
	return o.print(t)
}

// Shape of the soak.
const (
	soakWriters   = 4
	soakPipeline  = 16
	soakLeast     = 50 // bytes of a value
	soakMost      = 1000
	probeInterval = time.Millisecond
	rssInterval   = 50 * time.Millisecond
)

// soak writes to a server at its limit for a while, and watches memory and latency.
func (o *options) soak(name, path, maxmemory string, length time.Duration) (row, error) {
	s, err := startServer(name, path, o.arguments(name)+" --maxmemory "+maxmemory+" --maxmemory-policy allkeys-lru")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	end := time.Now().Add(length)
	var writes, batch atomic.Int64
	var failed atomic.Pointer[error]
	var working sync.WaitGroup
	for i := range soakWriters {
		working.Go(func() {
			if err := s.soakWriter(uint64(i), end, &writes, &batch); err != nil {
				failed.Store(&err)
			}
		})
	}
	latencies := make([]time.Duration, 0, int(length/probeInterval))
	working.Go(func() {
		if err := s.probe(end, &latencies); err != nil {
			failed.Store(&err)
		}
	})
	var held memory
	var peak int64
	for more := true; more; more = time.Now().Before(end) && err == nil {
		held, err = memoryOf(s.process.PID)
		peak = max(peak, held.now)
		time.Sleep(rssInterval)
	}
	working.Wait()
	if p := failed.Load(); p != nil {
		err = *p
	}
	if err != nil {
		return nil, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	spent := after.user + after.sys - before.user - before.sys
	r := row{
		"name": name, "s": length.Seconds(), "rss_peak_mb": megabytes(peak), "rss_last_mb": megabytes(held.now),
		"writes_kps":       float64(writes.Load()) / length.Seconds() / 1000,
		"cpu_us_per_write": float64(spent.Microseconds()) / float64(max(writes.Load(), 1)),
		"batch_longest_ms": inMillis(time.Duration(batch.Load())),
	}
	r["probes"], r["probe_p99_ms"], r["probe_longest_ms"] = tailOf(latencies)
	return r, s.count(r)
}

// count adds what the server itself counts.
func (s *server) count(r row) error {
	info, err := s.do("INFO")
	if err != nil {
		return err
	}
	size, err := s.do("DBSIZE")
	r["keys"], r["used_mb"], r["evicted"] = size.Int, megabytes(infoField(info.Text, "used_memory")), infoField(info.Text, "evicted_keys")
	return err
}

// soakWriter sets new keys, in batches, until the end but one batch at least, and keeps the longest time
// that a batch took.
func (s *server) soakWriter(seed uint64, end time.Time, writes, longest *atomic.Int64) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.conn.Close()
	rng := rand.New(rand.NewPCG(seed, 0))
	value := make([]byte, soakMost)
	for n, more := 0, true; more; more = time.Now().Before(end) {
		for range soakPipeline {
			n++
			c.add("SET", "key:"+strconv.FormatUint(seed, 10)+":"+strconv.Itoa(n), string(value[:soakLeast+rng.IntN(soakMost-soakLeast)]))
		}
		start := time.Now()
		if err := c.exchange(nil); err != nil {
			return err
		}
		writes.Add(soakPipeline)
		if took := int64(time.Since(start)); took > longest.Load() {
			longest.Store(took)
		}
	}
	return nil
}

// probe sends a single command now and again, once at least, and notes how long the reply took.
func (s *server) probe(end time.Time, latencies *[]time.Duration) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.conn.Close()
	for more := true; more; more = time.Now().Before(end) {
		c.add("GET", "key:0:1")
		start := time.Now()
		if err := c.exchange(nil); err != nil {
			return err
		}
		*latencies = append(*latencies, time.Since(start))
		time.Sleep(probeInterval)
	}
	return nil
}

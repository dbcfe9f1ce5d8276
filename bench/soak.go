package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// endurance is what a server did under a stream of writes at its limit of memory.
type endurance struct {
	Server  string  `json:"server"`
	Seconds float64 `json:"seconds"`
	Writes  int64   `json:"writes"`
	CPU     float64 `json:"cpu_us_per_write"`
	Evicted int64   `json:"evicted"`
	Keys    int64   `json:"keys"`
	Used    int64   `json:"used_memory_bytes"`
	RSS     int64   `json:"rss_peak_bytes"`    // the highest of the samples
	RSSLast int64   `json:"rss_last_bytes"`    // at the end
	Probes  int64   `json:"probes"`            // single commands sent beside the writes
	P99     float64 `json:"probe_p99_ms"`      // of the time to the reply
	Longest float64 `json:"probe_longest_ms"`  // and the longest
	Batch   float64 `json:"writes_longest_ms"` // of the time to the replies to a batch of writes
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
func (o *options) soak(name, path, maxmemory string, length time.Duration) (endurance, error) {
	s, err := startServer(name, path, o.arguments(name)+" --maxmemory "+maxmemory+" --maxmemory-policy allkeys-lru")
	if err != nil {
		return endurance{}, err
	}
	defer s.stop()
	r := endurance{Server: name, Seconds: length.Seconds()}
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return r, err
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
	for more := true; more; more = time.Now().Before(end) && err == nil {
		var m memory
		m, err = memoryOf(s.process.PID)
		r.RSS, r.RSSLast = max(r.RSS, m.now), m.now
		time.Sleep(rssInterval)
	}
	working.Wait()
	if p := failed.Load(); p != nil {
		err = *p
	}
	if err != nil {
		return r, err
	}
	r.Writes, r.Batch = writes.Load(), inMillis(time.Duration(batch.Load()))
	r.Probes, r.P99, r.Longest = tailOf(latencies)
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return r, err
	}
	r.CPU = float64((after.user + after.sys - before.user - before.sys).Microseconds()) / float64(max(r.Writes, 1))
	return r, r.ask(s)
}

// ask completes the result by what the server tells.
func (r *endurance) ask(s *server) error {
	info, err := s.do("INFO")
	if err != nil {
		return err
	}
	size, err := s.do("DBSIZE")
	r.Keys, r.Used, r.Evicted = size.Int, infoField(info.Text, "used_memory"), infoField(info.Text, "evicted_keys")
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

func printEndurance(all []endurance) error {
	t := table{{"server", "s", "k writes/s", "CPU us/write", "evicted", "keys", "used MB", "RSS peak MB", "RSS last MB", "probes", "p99 ms", "longest ms", "longest batch ms"}}
	for _, r := range all {
		megabytes := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
		t = append(t, []string{r.Server, fmt.Sprintf("%.0f", r.Seconds), fmt.Sprintf("%.1f", float64(r.Writes)/r.Seconds/1000), fmt.Sprintf("%.2f", r.CPU),
			strconv.FormatInt(r.Evicted, 10), strconv.FormatInt(r.Keys, 10), megabytes(r.Used), megabytes(r.RSS), megabytes(r.RSSLast),
			strconv.FormatInt(r.Probes, 10), fmt.Sprintf("%.2f", r.P99), fmt.Sprintf("%.2f", r.Longest), fmt.Sprintf("%.2f", r.Batch)})
	}
	return t.print(os.Stdout)
}

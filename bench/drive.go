package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// load is requests of one limiter, sent over many connections, one at a time on each.
type load struct {
	limiter  limiter
	traffic  traffic
	requests int
	clients  int
	keys     int
}

// outcome is what the requests of a load came to.
type outcome struct {
	took      time.Duration
	latencies []time.Duration // ascending
	passed    int
}

// percentile returns the latency that a share of the requests, below 1, did not exceed, in
// milliseconds.
func (o *outcome) percentile(share float64) float64 {
	return float64(o.latencies[int(share*float64(len(o.latencies)))]) / float64(time.Millisecond)
}

// start is when the requests' clock begins: a morning, so that its window is within a day.
const start = 1_795_240_800_000

// request returns the key and the time of the i-th request. Every key has as many requests as any
// other, unless they are random.
func (l *load) request(i int, r *rand.Rand) (key string, ms int64) {
	if l.traffic.random {
		return fmt.Sprintf("%012d", r.IntN(l.keys)), r.Int64N(limiterKeys) * 1000
	}
	passed := int64(windowLength/time.Millisecond) * int64(i) / int64(l.requests)
	return fmt.Sprintf("%012d", i%l.keys), start + passed
}

// run sends all requests.
func (l *load) run(s *server) (*outcome, error) {
	if l.limiter.script != "" {
		if _, err := s.do("SCRIPT", "LOAD", script(l.limiter.script)); err != nil {
			return nil, err
		}
	}
	parts, failures := make([]outcome, l.clients), make([]error, l.clients)
	begin := time.Now()
	var all sync.WaitGroup
	for c := range l.clients {
		all.Go(func() { failures[c] = l.client(s, c, &parts[c]) })
	}
	all.Wait()
	sum := &outcome{took: time.Since(begin)}
	for c, part := range parts {
		if failures[c] != nil {
			return nil, failures[c]
		}
		sum.passed += part.passed
		sum.latencies = append(sum.latencies, part.latencies...)
	}
	slices.Sort(sum.latencies)
	return sum, nil
}

// client sends every request whose number is c, modulo the clients.
func (l *load) client(s *server, c int, into *outcome) error {
	conn, err := s.dial()
	if err != nil {
		return err
	}
	defer conn.conn.Close()
	r := rand.New(rand.NewPCG(uint64(c), 31))
	count := func(_ int, v resp.Value) {
		if l.limiter.passed(v) {
			into.passed++
		}
	}
	for i := c; i < l.requests; i += l.clients {
		key, ms := l.request(i, r)
		conn.add(l.limiter.words(key, ms, l.traffic.limit)...)
		sent := time.Now()
		if err := conn.exchange(count); err != nil {
			return err
		}
		into.latencies = append(into.latencies, time.Since(sent))
	}
	return nil
}

// due returns how many requests a limiter that counts rightly lets pass; 0 where that depends on
// chance.
func (l *load) due() int {
	if l.traffic.random {
		return 0
	}
	each, more := l.requests/l.keys, l.requests%l.keys
	return more*min(each+1, l.traffic.limit) + (l.keys-more)*min(each, l.traffic.limit)
}

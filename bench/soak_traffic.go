package main

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// soakTraffic is the clients of a soak, while they are at it.
type soakTraffic struct {
	working       sync.WaitGroup
	failures      [soakWriters + 1]error
	writes, batch atomic.Int64 // commands, and the longest time that a batch took
	latencies     []time.Duration
}

// startTraffic starts the writers and the probe, which end at a time.
func (s *server) startTraffic(o *soakRun, end time.Time) *soakTraffic {
	t := &soakTraffic{}
	for i := range soakWriters {
		add := newKeys(uint64(i))
		if o.churn {
			add = churnOf(o.keys, o.small).adder(uint64(i))
		}
		t.working.Go(func() { t.failures[i] = t.write(s, end, o.interval(), add) })
	}
	t.working.Go(func() { t.failures[soakWriters] = s.probe(end, &t.latencies) })
	return t
}

// wait returns when all clients have ended.
func (t *soakTraffic) wait() error {
	t.working.Wait()
	return errors.Join(t.failures[:]...)
}

// interval returns the time from one batch of a writer to the next; 0 for none.
func (o *soakRun) interval() time.Duration {
	if o.rate == 0 {
		return 0
	}
	return time.Duration(soakWriters * soakPipeline / o.rate * float64(time.Millisecond))
}

// write sends batches of commands until the end, but one at least: one in each interval.
func (t *soakTraffic) write(s *server, end time.Time, interval time.Duration, add func(c *client)) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.conn.Close()
	for more := true; more; more = time.Now().Before(end) {
		for range soakPipeline {
			add(c)
		}
		start, sent := time.Now(), c.queued
		if err := c.exchange(nil); err != nil {
			return err
		}
		t.writes.Add(int64(sent))
		took := int64(time.Since(start))
		for longest := t.batch.Load(); took > longest &&
			!t.batch.CompareAndSwap(longest, took); longest = t.batch.Load() {
		}
		time.Sleep(interval - time.Since(start))
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

// newKeys returns a function that sets a new key with each call.
func newKeys(seed uint64) func(c *client) {
	rng, value, n := rand.New(rand.NewPCG(seed, 0)), strings.Repeat("\x00", soakMost), 0
	return func(c *client) {
		n++
		c.add("SET", "key:"+strconv.FormatUint(seed, 10)+":"+strconv.Itoa(n),
			value[:soakLeast+rng.IntN(soakMost-soakLeast)])
	}
}

// churn is the shape of the traffic in which keys come and go. The sizes of values are bounded, so
// that what is live stays about the same.
type churn struct {
	keys    int // of each type, at most
	members int // that a hash, set, sorted set or list has at most
	longest int // bytes of a string
	element int // bytes of a hash's value, or a list's element, at most
}

const churnSeconds = 20 // until a key expires, at most

// churnOf returns the shape for a number of keys of each type: small values as limiters and
// sessions have them, or large ones, too.
func churnOf(keys int, small bool) churn {
	if small {
		return churn{keys, 5, 200, 20}
	}
	return churn{keys, 200, 2000, 100}
}

// adder returns a function that lets a value come, grow, shrink or go with each call.
func (h churn) adder(seed uint64) func(c *client) {
	rng, text := rand.New(rand.NewPCG(seed, 1)), strings.Repeat("x", h.longest)
	word := func(most int) string { return text[:1+rng.IntN(most)] }
	return func(c *client) {
		n, member := strconv.Itoa(rng.IntN(h.keys)), strconv.Itoa(rng.IntN(h.members))
		switch rng.IntN(12) {
		case 0, 1:
			c.add("SET", "string:"+n, word(h.longest))
		case 2:
			c.add("SETRANGE", "string:"+n, strconv.Itoa(rng.IntN(h.longest/2)), word(h.longest/2))
		case 3, 4:
			c.add("HSET", "hash:"+n, member, word(h.element))
		case 5:
			c.add("HDEL", "hash:"+n, member)
		case 6, 7:
			c.add("ZADD", "zset:"+n, member, "member:"+member)
		case 8:
			c.add("ZREMRANGEBYRANK", "zset:"+n, "0", strconv.Itoa(rng.IntN(10)))
		case 9:
			c.add("RPUSH", "list:"+n, word(h.element))
			c.add("LTRIM", "list:"+n, strconv.Itoa(-1-rng.IntN(h.members)), "-1")
		case 10:
			c.add("DEL", kinds[rng.IntN(len(kinds))]+n)
		case 11:
			c.add("EXPIRE", kinds[rng.IntN(len(kinds))]+n, strconv.Itoa(1+rng.IntN(churnSeconds)))
		}
	}
}

// kinds are the prefixes of keys, by type.
var kinds = []string{"string:", "hash:", "zset:", "list:"}

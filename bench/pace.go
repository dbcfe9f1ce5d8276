package main

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Shape of the load of tail: a few clients, each with one request at a time, three reads to a
// write.
const (
	paceClients = 16
	paceKeys    = 1000
	peakTime    = 2 * time.Second
	leastWatch  = time.Second // so that there are requests enough for a percentile
)

// addPaced adds the n-th request of the load to the next batch.
func (c *client) addPaced(n int) {
	key := "load:" + strconv.Itoa(n*7%paceKeys)
	if n%4 == 0 {
		c.add("SET", key, "value:0123456789")
		return
	}
	c.add("GET", key)
}

// each runs a function for each client of the load, all at the same time.
func (s *server) each(run func(i int, c *client) error) error {
	failures := make([]error, paceClients)
	var all sync.WaitGroup
	for i := range paceClients {
		all.Go(func() {
			c, err := s.dial()
			if err != nil {
				failures[i] = err
				return
			}
			defer c.conn.Close()
			failures[i] = run(i, c)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// peak returns the requests a second when every client sends the next as soon as it has the reply.
func (s *server) peak() (perSecond float64, err error) {
	var requests atomic.Int64
	start := time.Now()
	err = s.each(func(_ int, c *client) error {
		for n := 0; time.Since(start) < peakTime; n++ {
			c.addPaced(n)
			if err := c.exchange(nil); err != nil {
				return err
			}
			requests.Add(1)
		}
		return nil
	})
	return float64(requests.Load()) / time.Since(start).Seconds(), err
}

// ending is when a load ends; it is not known at the beginning.
type ending struct{ at atomic.Int64 }

func (e *ending) now() { e.at.Store(time.Now().UnixNano()) }

// before reports whether the load ends before a time.
func (e *ending) before(t time.Time) bool { return e.at.Load() != 0 && e.at.Load() <= t.UnixNano() }

// pace sends requests at a rate, all that are due before the end. It returns the latencies,
// ascending. They count from when a request was due, so that one that had to wait for the reply
// before it counts that wait, too.
func (s *server) pace(perSecond float64, end *ending) ([]time.Duration, error) {
	parts := make([][]time.Duration, paceClients)
	interval := time.Duration(float64(paceClients) / perSecond * float64(time.Second))
	start := time.Now()
	err := s.each(func(i int, c *client) error {
		due := start.Add(interval * time.Duration(i) / paceClients)
		for n := i; !end.before(due); n++ {
			time.Sleep(time.Until(due))
			c.addPaced(n)
			if err := c.exchange(nil); err != nil {
				return err
			}
			parts[i] = append(parts[i], time.Since(due))
			due = due.Add(interval)
		}
		return nil
	})
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all, err
}

// watch measures how long pings and requests wait while the server is disturbed.
func (s *server) watch(d disturbance, rate float64) (row, error) {
	pings, err := s.ping()
	if err != nil {
		return nil, err
	}
	var end ending
	o, paced := &outcome{}, make(chan error)
	go func() {
		var err error
		o.latencies, err = s.pace(rate, &end)
		paced <- err
	}()
	r := row{}
	start := time.Now()
	failed := d.run(s, r)
	took := time.Since(start)
	time.Sleep(leastWatch - took)
	end.now()
	longest := pings.stop()
	if err := errors.Join(failed, <-paced); err != nil {
		return nil, err
	}
	if len(o.latencies) == 0 {
		return nil, errors.New("no request was answered")
	}
	return r.add("", row{"took_s": took.Seconds(), "ping_ms": inMillis(longest), "p50_ms": o.percentile(0.5),
		"p99_ms":  o.percentile(0.99),
		"p999_ms": o.percentile(0.999), "longest_ms": inMillis(o.latencies[len(o.latencies)-1]),
		"requests": float64(len(o.latencies))}), nil
}

package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// expiryRun is the flags of the subcommand expiry.
type expiryRun struct {
	redis, before, ours, benchmark string
	fields, hashes, requests       int
	over                           time.Duration
	rounds                         int
}

// runExpiry is the subcommand expiry. It measures what deadlines of elements cost elements without one, how a
// million of them disturb other clients while they fall due, and how many bytes one takes.
func runExpiry(args []string) error {
	var o expiryRun
	f := flag.NewFlagSet("expiry", flag.ExitOnError)
	f.StringVar(&o.redis, "redis", "", "a redis-server of 7.4 or later, whose memory is shown beside; empty for none")
	f.StringVar(&o.before, "before", "", "an earlier build of ours, whose HGET is timed beside; empty for none")
	f.StringVar(&o.ours, "ours", "", "our binary; built from ./cmd/miniserver if empty")
	f.StringVar(&o.benchmark, "benchmark", "redis-benchmark", "the load generator")
	f.IntVar(&o.fields, "fields", 1_000_000, "fields that fall due")
	f.IntVar(&o.hashes, "hashes", 1, "hashes they are in")
	f.DurationVar(&o.over, "over", 10*time.Second, "time over which they fall due, evenly")
	f.IntVar(&o.requests, "n", 1_000_000, "HGETs that are timed, each round")
	f.IntVar(&o.rounds, "rounds", 5, "rounds of timing")
	if err := f.Parse(args); err != nil {
		return err
	}
	ours, clean, err := built(o.ours)
	if err != nil {
		return err
	}
	defer clean()
	o.ours = ours
	for _, part := range []func(o *expiryRun) error{(*expiryRun).timeReads, (*expiryRun).fallDue, (*expiryRun).weigh} {
		if err := part(&o); err != nil {
			return err
		}
	}
	return nil
}

// start starts the named servers that have a binary.
func (o *expiryRun) start(names ...string) (servers []*server, stop func(), err error) {
	paths := map[string]string{"redis": o.redis, "before": o.before, "ours": o.ours}
	stop = func() {
		for _, s := range servers {
			s.stop()
		}
	}
	for _, name := range names {
		if paths[name] == "" {
			continue
		}
		s, err := startServer(name, paths[name], "")
		if err != nil {
			stop()
			return nil, nil, err
		}
		servers = append(servers, s)
	}
	return servers, stop, nil
}

// timeReads times HGET on a hash of 500 fields: without deadlines, and where other fields have one.
func (o *expiryRun) timeReads() error {
	servers, stop, err := o.start("before", "ours")
	if err != nil {
		return err
	}
	defer stop()
	t := table{{"HGET of 500 fields", "server", "us of CPU a request", "requests/s"}}
	for _, dated := range []int{0, 1, 400} {
		samples := map[string][]sample{}
		for range o.rounds {
			for _, s := range servers {
				if s.name == "before" && dated > 0 {
					continue
				}
				w := workload{name: "hget", clients: 50, pipeline: 16, share: 1, args: []string{"HGET", "h", "field:499"},
					setup: func(s *server) error { return fillDated(s, "h", 500, dated) }}
				one, err := w.run(s, o.benchmark, o.requests)
				if err != nil {
					return err
				}
				samples[s.name] = append(samples[s.name], one)
			}
		}
		for _, s := range servers {
			if f := summarize(samples[s.name]); f != nil {
				t = append(t, []string{fmt.Sprintf("%d with deadlines", dated), s.name, fmt.Sprintf("%.3f", f.cpu()), fmt.Sprintf("%.0f", f.RPS)})
			}
		}
	}
	return t.print(os.Stdout)
}

// fillDated makes a hash of n fields. The first dated of them get deadlines, all different and years ahead.
func fillDated(s *server, key string, n, dated int) error {
	var commands [][]string
	for i := range n {
		field := fmt.Sprintf("field:%d", i)
		commands = append(commands, []string{"HSET", key, field, fmt.Sprintf("value:%d", i)})
		if i < dated {
			commands = append(commands, []string{"HPEXPIREAT", key, strconv.Itoa(4_102_444_800_000 + 7*i), "FIELDS", "1", field})
		}
	}
	_, err := s.pipe(commands)
	return err
}

// weigh prints the bytes of a field with a deadline.
func (o *expiryRun) weigh() error {
	servers, stop, err := o.start("redis", "ours")
	if err != nil {
		return err
	}
	defer stop()
	t := table{{"bytes a field, by MEMORY USAGE", "with deadlines"}}
	for _, s := range servers[1:] {
		t[0] = append(t[0], s.name)
	}
	t[0] = slices.Insert([]string{"bytes a field, by MEMORY USAGE", "deadlines"}, 2, names(servers)...)
	for _, n := range []int{100, 500, 5000} {
		for _, dated := range []int{0, n} {
			line := []string{fmt.Sprintf("hash of %d fields", n), strconv.Itoa(dated)}
			for _, s := range servers {
				key := fmt.Sprintf("h:%d:%d", n, dated)
				if err := fillDated(s, key, n, dated); err != nil {
					return err
				}
				used, err := s.do("MEMORY", "USAGE", key, "SAMPLES", "0")
				if err != nil {
					return err
				}
				line = append(line, fmt.Sprintf("%.1f", float64(used.Int)/float64(n)))
			}
			t = append(t, line)
		}
	}
	fmt.Println()
	return t.print(os.Stdout)
}

func names(servers []*server) (list []string) {
	for _, s := range servers {
		list = append(list, s.name)
	}
	return list
}

// fallDue lets fields fall due, evenly over a time, while a client sends GETs. It prints how long these took
// and how late fields were removed.
func (o *expiryRun) fallDue() error {
	servers, stop, err := o.start("ours")
	if err != nil {
		return err
	}
	defer stop()
	s := servers[0]
	if _, err := s.do("SET", "key", "value"); err != nil {
		return err
	}
	quiet, err := gets(s, time.Now().Add(2*time.Second))
	if err != nil {
		return err
	}
	first := time.Now().Add(10*time.Second + time.Duration(o.fields)*5*time.Microsecond)
	if err := o.fillFalling(s, first); err != nil {
		return err
	}
	if late := time.Since(first); late > 0 {
		return fmt.Errorf("filling took %v too long", late)
	}
	time.Sleep(time.Until(first))
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return err
	}
	lateness := make(chan lags)
	go func() { lateness <- o.watch(s, first) }()
	busy, err := gets(s, first.Add(o.over))
	if err != nil {
		return err
	}
	lag := <-lateness
	after, err := cpuOf(s.process.PID)
	if err != nil || lag.err != nil {
		return cmp.Or(err, lag.err)
	}
	fmt.Printf("\n%d fields in %d hashes fall due within %v\n", o.fields, o.hashes, o.over)
	t := table{{"GETs meanwhile", "number", "p50 ms", "p99 ms", "p99.9 ms", "longest ms"}}
	for _, x := range []struct {
		name string
		o    *outcome
	}{{"before", quiet}, {"while they fall due", busy}} {
		t = append(t, []string{x.name, strconv.Itoa(len(x.o.latencies)), fmt.Sprintf("%.3f", x.o.percentile(0.5)), fmt.Sprintf("%.3f", x.o.percentile(0.99)),
			fmt.Sprintf("%.3f", x.o.percentile(0.999)), fmt.Sprintf("%.3f", x.o.percentile(0.9999999))})
	}
	if err := t.print(os.Stdout); err != nil {
		return err
	}
	spent := after.user + after.sys - before.user - before.sys
	_, err = fmt.Printf("removal late by %.0f ms at most, %.1f ms on average; %.2f us of CPU a field, GETs included\n", lag.most, lag.sum/float64(lag.n),
		float64(spent.Microseconds())/float64(o.fields))
	return err
}

// at returns when field i falls due, in milliseconds since the epoch.
func (o *expiryRun) at(first time.Time, i int) int64 {
	return first.UnixMilli() + int64(i)*o.over.Milliseconds()/int64(o.fields)
}

// fillFalling sets the fields, those of a millisecond with one command for each hash.
func (o *expiryRun) fillFalling(s *server, first time.Time) error {
	var commands [][]string
	for i := 0; i < o.fields; {
		at, lines := o.at(first, i), make([][]string, o.hashes)
		for ; i < o.fields && o.at(first, i) == at; i++ {
			lines[i%o.hashes] = append(lines[i%o.hashes], fmt.Sprintf("field:%07d", i), "value")
		}
		for h, pairs := range lines {
			if len(pairs) > 0 {
				head := []string{"HSETEX", fmt.Sprintf("h:%d", h), "PXAT", strconv.FormatInt(at, 10), "FIELDS", strconv.Itoa(len(pairs) / 2)}
				commands = append(commands, append(head, pairs...))
			}
		}
		if len(commands) >= 500 || i == o.fields {
			if _, err := s.pipe(commands); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	return nil
}

// gets sends GETs, one after the other, until a time.
func gets(s *server, until time.Time) (*outcome, error) {
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	o := &outcome{}
	for sent := time.Now(); sent.Before(until); sent = time.Now() {
		c.add("GET", "key")
		if err := c.exchange(nil); err != nil {
			return nil, err
		}
		o.latencies = append(o.latencies, time.Since(sent))
	}
	slices.Sort(o.latencies)
	return o, nil
}

// lags is how late removals were, in milliseconds, in n looks.
type lags struct {
	most, sum float64
	n         int
	err       error
}

// watch asks how many fields were removed until all are. The question itself removes none.
func (o *expiryRun) watch(s *server, first time.Time) (l lags) {
	for {
		asked := time.Now()
		v, err := s.do("INFO", "stats")
		if err != nil {
			return lags{err: err}
		}
		_, text, _ := strings.Cut(v.Text, "expired_subkeys:")
		removed, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(text, "\r\n", 2)[0]))
		if err != nil || removed >= o.fields {
			l.err = err
			return l
		}
		late := max(float64(asked.UnixMilli()-o.at(first, removed)), 0) // of the field that is next
		l.most, l.sum, l.n = max(l.most, late), l.sum+late, l.n+1
		time.Sleep(5 * time.Millisecond)
	}
}

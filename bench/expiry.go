package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// expiryRun is the flags of the subcommand expiry.
type expiryRun struct {
	*options
	before         string
	servers        []binary
	fields, hashes int
	over           time.Duration
}

// runExpiry is the subcommand expiry. It measures what deadlines of elements cost elements without
// one, how a million of them disturb other clients while they fall due, and how many bytes one
// takes.
func runExpiry(args []string) error {
	o := &expiryRun{options: newOptions("expiry").withServers("").withLoad(1_000_000, 5)}
	o.flags.StringVar(&o.before, "before", "", "an earlier build of ours, whose HGET is timed too; empty for none")
	o.flags.IntVar(&o.fields, "fields", 1_000_000, "fields that fall due")
	o.flags.IntVar(&o.hashes, "hashes", 1, "hashes they are in")
	o.flags.DurationVar(&o.over, "over", 10*time.Second, "time over which they fall due, evenly")
	if err := o.parse(args); err != nil {
		return err
	}
	list, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	o.servers = list
	if o.before != "" {
		o.servers = slices.Insert(list, len(list)-1, binary{"before", o.before})
	}
	for _, part := range []struct {
		name    string
		measure func(name string) (*table, error)
	}{{"HGET of 500 fields", o.timeReads}, {"GETs meanwhile", o.fallDue}, {"bytes a field, by MEMORY USAGE", o.weigh}} {
		if !o.filter.MatchString(part.name) {
			continue
		}
		t, err := part.measure(part.name)
		if err != nil {
			return err
		}
		if err := o.print(t); err != nil {
			return err
		}
	}
	return nil
}

// start starts the servers whose names are wanted.
func (o *expiryRun) start(wanted func(name string) bool) (servers []*server, stop func(), err error) {
	stop = func() {
		for _, s := range servers {
			s.stop()
		}
	}
	for _, b := range o.servers {
		if !wanted(b.name) {
			continue
		}
		s, err := startServer(b.name, b.path, o.arguments(b.name))
		if err != nil {
			stop()
			return nil, nil, err
		}
		servers = append(servers, s)
	}
	return servers, stop, nil
}

// timeReads times HGET on a hash of 500 fields: without deadlines, and where other fields have one.
func (o *expiryRun) timeReads(name string) (*table, error) {
	servers, stop, err := o.start(func(name string) bool { return name == "before" || name == "ours" })
	if err != nil {
		return nil, err
	}
	defer stop()
	t := &table{columns: []column{{name, "%s", "name"}, {"server", "%s", "server"},
		{"us of CPU a request", "%.3f", "cpu_us"}, {"requests/s", "%.0f", "per_s"}}}
	for _, dated := range []int{0, 1, 400} {
		if dated > 0 {
			servers = servers[len(servers)-1:] // the earlier build need not know deadlines
		}
		w := workload{name: fmt.Sprintf("%d with deadlines", dated),
			clients: 50, pipeline: 16, share: 1, args: []string{"HGET", "h", "field:499"},
			setup: func(s *server) error { return fillDated(s, "h", 500, dated) }}
		figures, refused := o.measureOne(w, servers)
		for _, s := range servers {
			if f := figures[s.name]; f != nil {
				t.rows = append(t.rows,
					row{"name": w.name, "server": s.name, "per_s": 1000 * f.number("kps")}.add("", f))
			}
		}
		t.notes = append(t.notes, refused...)
	}
	return t, nil
}

// fillDated makes a hash of n fields. The first dated of them get deadlines, all different and
// years ahead.
func fillDated(s *server, key string, n, dated int) error {
	var commands [][]string
	for i := range n {
		field := fmt.Sprintf("field:%d", i)
		commands = append(commands, []string{"HSET", key, field, fmt.Sprintf("value:%d", i)})
		if i < dated {
			commands = append(commands,
				[]string{"HPEXPIREAT", key, strconv.Itoa(4_102_444_800_000 + 7*i), "FIELDS", "1", field})
		}
	}
	_, err := s.pipe(commands)
	return err
}

// weigh measures the bytes of a field with a deadline, and of one without.
func (o *expiryRun) weigh(name string) (*table, error) {
	servers, stop, err := o.start(func(name string) bool { return name != "before" })
	if err != nil {
		return nil, err
	}
	defer stop()
	t := &table{columns: []column{{name, "%s", "name"}, {"deadlines", "%d", "deadlines"}}}
	for _, s := range servers {
		t.columns = append(t.columns, column{s.name, "%.1f", s.name + "_bytes"})
	}
	for _, n := range []int{100, 500, 5000} {
		for _, dated := range []int{0, n} {
			r, key := row{"name": fmt.Sprintf("hash of %d fields", n), "deadlines": dated},
				fmt.Sprintf("h:%d:%d", n, dated)
			for _, s := range servers {
				if err := fillDated(s, key, n, dated); err != nil {
					return nil, err
				}
				used, err := s.do("MEMORY", "USAGE", key, "SAMPLES", "0")
				if err != nil {
					return nil, err
				}
				r[s.name+"_bytes"] = float64(used.Int) / float64(n)
			}
			t.rows = append(t.rows, r)
		}
	}
	return t, nil
}

// fallDue lets fields fall due, evenly over a time, while a client sends GETs. It measures how long
// these took and how late fields were removed.
func (o *expiryRun) fallDue(name string) (*table, error) {
	servers, stop, err := o.start(func(name string) bool { return name == "ours" })
	if err != nil {
		return nil, err
	}
	defer stop()
	s := servers[0]
	if _, err := s.do("SET", "key", "value"); err != nil {
		return nil, err
	}
	quiet, err := gets(s, time.Now().Add(2*time.Second))
	if err != nil {
		return nil, err
	}
	first := time.Now().Add(10*time.Second + time.Duration(o.fields)*5*time.Microsecond)
	if err := o.fillFalling(s, first); err != nil {
		return nil, err
	}
	if late := time.Since(first); late > 0 {
		return nil, fmt.Errorf("filling took %v too long", late)
	}
	time.Sleep(time.Until(first))
	busy, lag, spent, err := o.watchFall(s, first)
	if err != nil {
		return nil, err
	}
	t := &table{columns: []column{{name, "%s", "name"}, {"number", "%d", "calls"}, {"p50 ms", "%.3f", "p50_ms"},
		{"p99 ms", "%.3f", "p99_ms"},
		{"p99.9 ms", "%.3f", "p999_ms"}, {"longest ms", "%.3f", "longest_ms"}}}
	t.rows = []row{row{"name": "before"}.add("", quiet.row()), row{"name": "while they fall due"}.add("", busy.row())}
	t.notes = []string{fmt.Sprintf("%d fields in %d hashes fell due within %v", o.fields, o.hashes, o.over),
		fmt.Sprintf("removal late by %.0f ms at most, %.1f ms on average; %.2f us of CPU a field, GETs included",
			lag.most, lag.sum/float64(lag.n), float64(spent.Microseconds())/float64(o.fields))}
	return t, nil
}

// watchFall sends GETs from the moment when the first field falls due to the last. It returns what
// these came to, how late the removals were, and the CPU time of the server.
func (o *expiryRun) watchFall(s *server, first time.Time) (busy *outcome, lag lags, spent time.Duration, err error) {
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, lag, 0, err
	}
	lateness := make(chan lags)
	go func() { lateness <- o.watch(s, first) }()
	busy, err = gets(s, first.Add(o.over))
	lag = <-lateness
	if err := cmp.Or(err, lag.err); err != nil {
		return nil, lag, 0, err
	}
	after, err := cpuOf(s.process.PID)
	return busy, lag, after.user + after.sys - before.user - before.sys, err
}

// row returns the number of requests and their latencies.
func (o *outcome) row() row {
	return row{"calls": len(o.latencies), "p50_ms": o.percentile(0.5), "p99_ms": o.percentile(0.99),
		"p999_ms": o.percentile(0.999), "longest_ms": o.percentile(0.9999999)}
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
				head := []string{"HSETEX", fmt.Sprintf("h:%d", h), "PXAT", strconv.FormatInt(at, 10), "FIELDS",
					strconv.Itoa(len(pairs) / 2)}
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

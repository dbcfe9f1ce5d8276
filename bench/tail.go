package main

import (
	"fmt"
	"slices"
)

// tailRun is the flags of the subcommand tail.
type tailRun struct {
	*options
	keys, members int
	share         float64 // of the peak
}

// runTail is the subcommand tail: how long clients wait while a server does something large. Each
// row is a fresh server. One client pings it all the time; others send reads and writes, at a share
// of what the slowest server of the run can do.
func runTail(args []string) error {
	o := &tailRun{options: newOptions("tail").withServers("redis-server")}
	o.flags.IntVar(&o.keys, "keys", 1_000_000, "keys that are loaded, expire, are flushed, saved and rehashed")
	o.flags.IntVar(&o.members, "members", 1_000_000, "members of the large value")
	o.flags.Float64Var(&o.share, "load", 0.6, "the load, as a share of the peak")
	o.flags.IntVar(&o.rounds, "rounds", 1, "rounds; each starts every server anew")
	if err := o.parse(args); err != nil {
		return err
	}
	if o.keys < 10*paceKeys || o.members < 1 || o.share <= 0 || o.share > 1 {
		return fmt.Errorf("bad flags: -keys %d -members %d -load %v", o.keys, o.members, o.share)
	}
	servers, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	t, err := o.measure(servers)
	if err != nil {
		return err
	}
	return o.print(t)
}

// tailColumns show how long clients waited. Times of requests count from when they were due, not
// from when they were sent.
var tailColumns = []column{
	{"meanwhile", "%s", "name"},
	{"server", "%s", "server"},
	{"took s", "%.2f", "took_s"},
	{"longest ping ms", "%.2f (%.2f..%.2f)", "ping_ms min_ping_ms max_ping_ms"},
	{"ours/it", "%.2f", "ping_ratio"},
	{"p99 ms", "%.2f (%.2f..%.2f)", "p99_ms min_p99_ms max_p99_ms"},
	{"ours/it", "%.2f", "p99_ratio"},
	{"p99.9 ms", "%.2f (%.2f..%.2f)", "p999_ms min_p999_ms max_p999_ms"},
	{"ours/it", "%.2f", "p999_ratio"},
	{"longest ms", "%.2f", "longest_ms"},
	{"longest write ms", "%.2f (%.2f..%.2f)", "write_ms min_write_ms max_write_ms"},
	{"ours/it", "%.2f", "write_ratio"},
	{"requests", "%.0f", "requests"},
}

// measure measures the chosen disturbances on all servers, in turns.
func (o *tailRun) measure(servers []binary) (*table, error) {
	all := slices.DeleteFunc(o.disturbances(), func(d disturbance) bool { return !o.filter.MatchString(d.name) })
	bar := newSteps(len(servers) + len(all)*len(servers)*o.rounds)
	defer bar.End()
	rate, t := 0.0, &table{columns: tailColumns}
	for _, b := range servers {
		bar.begin("peak of " + b.name)
		peak, err := o.peak(b)
		if err != nil {
			return nil, err
		}
		t.notes = append(t.notes, fmt.Sprintf("peak of %s: %.0f requests/s", b.name, peak))
		if rate == 0 || peak*o.share < rate {
			rate = peak * o.share
		}
	}
	t.notes = append(t.notes, fmt.Sprintf("load: %.0f requests/s", rate))
	for _, d := range all {
		rounds := map[string][]row{}
		for round := range o.rounds {
			for _, b := range turn(servers, round) {
				bar.begin(d.name + ", " + b.name)
				r, err := o.disturb(d, b, rate)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", d.name, b.name, err)
				}
				rounds[b.name] = append(rounds[b.name], r)
			}
		}
		t.rows = append(t.rows, tailRows(d.name, rounds, servers)...)
	}
	return t, nil
}

// tailRows returns the medians of each server.
func tailRows(name string, rounds map[string][]row, servers []binary) (rows []row) {
	figures := []string{"ping_ms", "p99_ms", "p999_ms"}
	if _, writes := rounds[servers[0].name][0]["write_ms"]; writes {
		figures = append(figures, "write_ms")
	}
	for _, b := range servers {
		r := row{"name": name, "server": b.name}.add("", medians(rounds[b.name]))
		for _, figure := range figures {
			addSpread(r, figure, rounds[b.name], func(one row) float64 { return one.number(figure) })
		}
		rows = append(rows, r)
	}
	return beside(rows, figures...)
}

// peak returns how many requests a second a fresh server answers.
func (o *tailRun) peak(b binary) (perSecond float64, err error) {
	s, err := o.ready(b)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	return s.peak()
}

// ready starts a server that has the keys of the load.
func (o *tailRun) ready(b binary) (*server, error) {
	s, err := startServer(b.name, b.path, o.arguments(b.name))
	if err != nil {
		return nil, err
	}
	err = s.setKeys("load", 0, paceKeys)
	if err != nil {
		s.stop()
	}
	return s, err
}

// disturb measures one disturbance on a fresh server.
func (o *tailRun) disturb(d disturbance, b binary, rate float64) (row, error) {
	s, err := o.ready(b)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if d.prepare != nil {
		if err := d.prepare(s); err != nil {
			return nil, err
		}
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	return s.watch(d, rate)
}

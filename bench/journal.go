package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// journalWorkloads write what an append-only file has to keep.
func journalWorkloads() []workload {
	set := []string{"SET", "key:__rand_int__", "value:0123456789"}
	return []workload{
		{name: "SET, 50 clients", clients: 50, pipeline: 1, share: 1, keyspace: plainKeys, args: set},
		{name: "SET, 1 client", clients: 1, pipeline: 1, share: 0.1, keyspace: plainKeys, args: set},
		{name: "SET, 50 clients, pipeline 16", clients: 50, pipeline: 16, share: 5, keyspace: plainKeys, args: set},
	}
}

// journalSetups are the servers that journal rows compare: ours and redis-server, by what they keep.
var journalSetups = []struct{ name, binary, args string }{
	{"redis without", "redis", "--appendonly no"},
	{"redis everysec", "redis", "--appendonly yes --appendfsync everysec"},
	{"redis always", "redis", "--appendonly yes --appendfsync always"},
	{"ours without", "ours", "--appendonly no"},
	{"ours everysec", "ours", "--appendonly yes --appendfsync everysec"},
	{"ours always", "ours", "--appendonly yes --appendfsync always"},
}

// pair is two of them to compare.
type pair struct{ of, against string }

var journalPairs = []pair{
	{"ours everysec", "ours without"},
	{"redis everysec", "redis without"},
	{"ours everysec", "redis everysec"},
	{"ours always", "redis always"},
}

// journalRow is a workload and the pairs that run it.
type journalRow struct {
	workload workload
	pairs    []pair
}

// name returns the first three columns of the table for a pair.
func (r journalRow) name(p pair) string {
	return r.workload.name + ", " + p.of + " against " + p.against
}

// journalRows returns the rows whose names -only lets through.
func (o *options) journalRows() (rows []journalRow) {
	for _, w := range journalWorkloads() {
		r := journalRow{workload: w}
		for _, p := range journalPairs {
			if o.filter.MatchString(w.name) || o.filter.MatchString(r.name(p)) {
				r.pairs = append(r.pairs, p)
			}
		}
		if len(r.pairs) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// needs reports whether a row runs on a server.
func (r journalRow) needs(server string) bool {
	return slices.ContainsFunc(r.pairs, func(p pair) bool { return p.of == server || p.against == server })
}

// startJournals starts the servers that the rows need. The function stops them.
func (o *options) startJournals(rows []journalRow) (servers []*server, stop func(), err error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		for _, s := range servers {
			s.stop()
		}
		clean()
	}
	for _, setup := range journalSetups {
		for _, b := range list {
			if b[0] != setup.binary || !slices.ContainsFunc(rows, func(r journalRow) bool { return r.needs(setup.name) }) {
				continue
			}
			s, err := startServer(setup.name, b[1], setup.args+" "+o.arguments(b[0]))
			if err != nil {
				stop()
				return nil, nil, err
			}
			servers = append(servers, s)
		}
	}
	return servers, stop, nil
}

// measureJournal runs the rows on the servers that they need, alternating between them.
func (o *options) measureJournal(rows []journalRow) ([]row, error) {
	servers, stop, err := o.startJournals(rows)
	if err != nil {
		return nil, err
	}
	defer stop()
	bar := newSteps(len(rows))
	defer bar.End()
	var measured []row
	for _, r := range rows {
		bar.begin(r.workload.name)
		var some []*server
		for _, s := range servers {
			if r.needs(s.name) {
				some = append(some, s)
			}
		}
		measured = append(measured, o.measureOne(r.workload, some))
	}
	return measured, nil
}

// printJournal prints a line for each pair of each row. The ratios are those of the first to the second.
func printJournal(w io.Writer, rows []journalRow, measured []row) error {
	t := table{{"workload", "of", "against", "k/s", "k/s", "ratio", "us/req (user+sys)", "us/req (user+sys)", "ratio", "p50/p99 ms", "p50/p99 ms"}}
	for i, r := range measured {
		for _, p := range rows[i].pairs {
			a, b := r.Servers[p.against], r.Servers[p.of]
			t = append(t, []string{r.Name, p.of, p.against, show(b, rate), show(a, rate),
				ratio(a, b, func(f *figures) float64 { return f.RPS }), show(b, times), show(a, times), ratio(a, b, (*figures).cpu),
				show(b, latency), show(a, latency)})
		}
	}
	if err := t.print(w); err != nil {
		return err
	}
	for _, r := range measured {
		for name, why := range r.Refused {
			if _, err := fmt.Fprintf(w, "%s was not run on %s: %s\n", r.Name, name, strings.TrimSpace(why)); err != nil {
				return err
			}
		}
	}
	return nil
}

// runJournal measures what the append-only file costs.
func (o *options) runJournal() error {
	rows := o.journalRows()
	if len(rows) == 0 {
		return nil
	}
	measured, err := o.measureJournal(rows)
	switch {
	case err != nil:
		return err
	case o.json:
		return printJSON(os.Stdout, measured)
	}
	return printJournal(os.Stdout, rows, measured)
}

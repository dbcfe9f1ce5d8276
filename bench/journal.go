package main

import (
	"fmt"
	"io"
	"os"
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
	{"ours without", "ours", "--appendonly no"},
	{"ours everysec", "ours", "--appendonly yes --appendfsync everysec"},
	{"redis everysec", "redis", "--appendonly yes --appendfsync everysec"},
	{"ours always", "ours", "--appendonly yes --appendfsync always"},
	{"redis always", "redis", "--appendonly yes --appendfsync always"},
}

// journalPairs are which of them are held against each other.
var journalPairs = [][2]string{
	{"ours without", "ours everysec"},
	{"redis everysec", "ours everysec"},
	{"redis always", "ours always"},
}

// measureJournal runs the journal's workloads on all setups, alternating between them.
func (o *options) measureJournal() ([]row, error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, err
	}
	defer clean()
	var servers []*server
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for _, setup := range journalSetups {
		for _, b := range list {
			if b[0] != setup.binary {
				continue
			}
			s, err := startServer(setup.name, b[1], setup.args+" "+o.arguments(b[0]))
			if err != nil {
				return nil, err
			}
			servers = append(servers, s)
		}
	}
	return o.measure(journalWorkloads(), servers), nil
}

// printJournal prints the rows of measureJournal, pair by pair. The ratios are the second's over the
// first's.
func printJournal(w io.Writer, rows []row) error {
	t := table{{"workload", "of", "against", "k/s", "k/s", "ratio", "us/req (user+sys)", "us/req (user+sys)", "ratio", "p50/p99 ms", "p50/p99 ms"}}
	for _, r := range rows {
		for _, pair := range journalPairs {
			a, b := r.Servers[pair[0]], r.Servers[pair[1]]
			t = append(t, []string{r.Name, pair[1], pair[0], show(b, rate), show(a, rate),
				ratio(a, b, func(f *figures) float64 { return f.RPS }), show(b, times), show(a, times), ratio(a, b, (*figures).cpu),
				show(b, latency), show(a, latency)})
		}
	}
	if err := t.print(w); err != nil {
		return err
	}
	for _, r := range rows {
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
	rows, err := o.measureJournal()
	switch {
	case err != nil:
		return err
	case o.json:
		return printJSON(os.Stdout, rows)
	}
	return printJournal(os.Stdout, rows)
}

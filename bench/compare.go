package main

import (
	"fmt"
	"os"
)

// runCompare is the subcommand compare.
func runCompare(args []string) error {
	o, err := parseOptions("compare", args, 200_000, 3)
	if err != nil {
		return err
	}
	return o.measure(append(plainWorkloads(), dataWorkloads()...))
}

// measure runs the chosen workloads on all servers, round by round, and prints the rows.
func (o *options) measure(all []workload) error {
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	var rows []row
	for _, w := range o.chosen(all) {
		fmt.Fprintf(os.Stderr, "%s\n", w.name)
		rows = append(rows, o.measureOne(w, servers))
	}
	if o.json {
		return printJSON(os.Stdout, rows)
	}
	return printRows(os.Stdout, rows)
}

// measureOne alternates between the servers.
func (o *options) measureOne(w workload, servers []*server) row {
	r := row{Name: w.name, Servers: map[string]*figures{}, Refused: map[string]string{}}
	samples := map[string][]sample{}
	for range o.rounds {
		for _, s := range servers {
			if r.Refused[s.name] != "" {
				continue
			}
			one, err := w.run(s, o.benchmark, o.requests)
			if err != nil {
				r.Refused[s.name] = err.Error()
				continue
			}
			samples[s.name] = append(samples[s.name], one)
		}
	}
	for _, s := range servers {
		if f := summarize(samples[s.name]); f != nil {
			r.Servers[s.name] = f
		}
	}
	return r
}

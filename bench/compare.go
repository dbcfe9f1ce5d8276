package main

import (
	"fmt"
	"os"
)

// comparison is what compare prints.
type comparison struct {
	Workloads []row    `json:"workloads"`
	Memory    []weight `json:"memory"`
}

// runCompare is the subcommand compare.
func runCompare(args []string) error {
	o := newOptions("compare").withLoad(200_000, 3)
	if err := o.parse(args); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	all := comparison{o.measure(append(plainWorkloads(), dataWorkloads()...), servers), o.weigh(servers)}
	switch {
	case o.json:
		return printJSON(os.Stdout, all)
	case len(all.Memory) == 0:
		return printRows(os.Stdout, all.Workloads)
	case len(all.Workloads) == 0:
		return printWeights(os.Stdout, all.Memory)
	}
	if err := printRows(os.Stdout, all.Workloads); err != nil {
		return err
	}
	fmt.Println()
	return printWeights(os.Stdout, all.Memory)
}

// measure runs the chosen workloads on all servers, round by round.
func (o *options) measure(all []workload, servers []*server) (rows []row) {
	list := o.chosen(all)
	bar := newSteps(len(list))
	defer bar.End()
	for _, w := range list {
		bar.begin(w.name)
		rows = append(rows, o.measureOne(w, servers))
	}
	return rows
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

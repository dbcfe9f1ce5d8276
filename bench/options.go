package main

import (
	"flag"
	"fmt"
	"regexp"
)

// options are the flags that all subcommands share.
type options struct {
	redis, ours         string // binaries
	redisArgs, oursArgs string
	benchmark           string
	requests, rounds    int
	only                string
	json                bool

	filter *regexp.Regexp
}

// parseOptions reads the flags of the subcommand name.
func parseOptions(name string, args []string, requests, rounds int) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.StringVar(&o.redis, "redis", "redis-server", "the redis-server to compare with; empty for none")
	f.StringVar(&o.ours, "ours", "", "our binary; built from ./cmd/miniserver if empty")
	f.StringVar(&o.redisArgs, "redis-args", "", "further arguments for redis-server")
	f.StringVar(&o.oursArgs, "ours-args", "", "further arguments for ours")
	f.StringVar(&o.benchmark, "benchmark", "redis-benchmark", "the load generator")
	f.IntVar(&o.requests, "n", requests, "requests of a plain workload; others have a share of it")
	f.IntVar(&o.rounds, "rounds", rounds, "rounds, alternating between the servers")
	f.StringVar(&o.only, "only", "", "run only rows whose name, as the table prints it, matches this regular expression: \"GET, 50\", \"ours always against redis always\"")
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var err error
	o.filter, err = regexp.Compile("(?i)" + o.only)
	if err != nil || o.requests < 1 || o.rounds < 1 {
		return nil, fmt.Errorf("bad flags: -only %q -n %d -rounds %d: %v", o.only, o.requests, o.rounds, err)
	}
	return o, nil
}

// chosen returns the workloads that -only lets through.
func (o *options) chosen(all []workload) []workload {
	var list []workload
	for _, w := range all {
		if o.filter.MatchString(w.name) {
			list = append(list, w)
		}
	}
	return list
}

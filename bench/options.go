package main

import (
	"flag"
	"fmt"
	"regexp"
)

// options are the flags of a subcommand: those that several share, and in the set its own.
type options struct {
	flags               *flag.FlagSet
	redis, ours         string // binaries
	redisArgs, oursArgs string
	benchmark           string
	requests, rounds    int
	only                string
	json                bool

	filter *regexp.Regexp
}

// newOptions returns the flags of every subcommand that starts servers.
func newOptions(name string) *options {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	o := &options{flags: f, requests: 1, rounds: 1}
	f.StringVar(&o.redis, "redis", "redis-server", "the redis-server to compare with; empty for none")
	f.StringVar(&o.ours, "ours", "", "our binary; built from ./cmd/miniserver if empty")
	f.StringVar(&o.redisArgs, "redis-args", "", "further arguments for redis-server")
	f.StringVar(&o.oursArgs, "ours-args", "", "further arguments for ours")
	f.StringVar(&o.only, "only", "", "run only rows whose name, as the table prints it, matches this regular expression: \"GET, 50\", \"ours always against redis always\"")
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	return o
}

// withLoad adds the flags of load by redis-benchmark, with these defaults.
func (o *options) withLoad(requests, rounds int) *options {
	o.flags.StringVar(&o.benchmark, "benchmark", "redis-benchmark", "the load generator")
	o.flags.IntVar(&o.requests, "n", requests, "requests of a plain workload; others have a share of it")
	o.flags.IntVar(&o.rounds, "rounds", rounds, "rounds, alternating between the servers")
	return o
}

// parse reads the arguments of the subcommand.
func (o *options) parse(args []string) error {
	if err := o.flags.Parse(args); err != nil {
		return err
	}
	var err error
	o.filter, err = regexp.Compile("(?i)" + o.only)
	if err != nil || o.requests < 1 || o.rounds < 1 {
		return fmt.Errorf("bad flags: -only %q -n %d -rounds %d: %v", o.only, o.requests, o.rounds, err)
	}
	return nil
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

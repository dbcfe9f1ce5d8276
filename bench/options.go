package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// options are the flags of a subcommand: those that several share, and in the set its own.
type options struct {
	flags               *flag.FlagSet
	redis, ours         string // binaries
	rivals              rivals
	redisArgs, oursArgs string
	generator           generator
	requests, rounds    int
	only                string
	json                bool

	filter  *regexp.Regexp
	machine *machine // what JSON says about the run; nil for nothing
}

// newOptions returns the flags of every subcommand that prints tables only.
func newOptions(name string) *options {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	o := &options{flags: f, generator: generator{processes: 1}, requests: 1, rounds: 1}
	f.StringVar(&o.only, "only", "", "run only rows, or tables of expiry, whose name, as printed, "+
		"matches this regular expression: \"GET, 50\", \"ours always against redis always\"")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	return o
}

// withLoad adds the flags of load by redis-benchmark, with these defaults.
func (o *options) withLoad(requests, rounds int) *options {
	o.flags.StringVar(&o.generator.path, "benchmark", "redis-benchmark", "the load generator, or valkey-benchmark")
	o.flags.IntVar(&o.generator.processes, "generators", o.generator.processes, "processes of the load generator, "+
		"which share clients and requests of a row; more than one needs processors of their own")
	o.flags.IntVar(&o.requests, "n", requests, "requests of a plain workload; others have a share of it")
	o.flags.DurationVar(&o.generator.slice, "slice", 0, "let the servers take turns of this length within a row, "+
		"such as 1s: on a machine that changes its speed; percentiles then include the pauses")
	o.flags.IntVar(&o.rounds, "rounds", rounds,
		"rounds; in each another server is first, so a multiple of their number is best")
	return o
}

// parse reads the arguments of the subcommand.
func (o *options) parse(args []string) error {
	if err := o.flags.Parse(args); err != nil {
		return err
	}
	var err error
	o.filter, err = regexp.Compile("(?i)" + o.only)
	if err != nil || o.requests < 1 || o.rounds < 1 || o.generator.processes < 1 {
		return fmt.Errorf("bad flags: -only %q -n %d -rounds %d -generators %d: %v", o.only, o.requests, o.rounds,
			o.generator.processes, err)
	}
	if o.generator.slice < 0 || o.generator.slice > 0 && stopSignal == nil {
		return fmt.Errorf("bad flag: -slice %s", o.generator.slice)
	}
	return nil
}

// print prints tables as the flags say.
func (o *options) print(tables ...*table) error {
	for _, t := range tables {
		t.machine = o.machine
		if err := t.print(os.Stdout, o.json); err != nil {
			return err
		}
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

// parseNumbers reads the different numbers of a flag, with commas between them, in order.
func parseNumbers(flag, text string, least, most int) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < least || n > most {
			return nil, fmt.Errorf("bad %s %q", flag, text)
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

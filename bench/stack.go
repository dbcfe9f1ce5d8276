package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// besideStack compares with a Redis that has modules: first what values take in memory, then the
// throughput of commands on them.
type besideStack struct {
	name      string // of the subcommand
	flag      string // how much is weighed
	amount    int    // its value if it is not given
	usage     string
	residents func(amount int) []resident
	workloads []workload
}

func (b besideStack) run(args []string) error {
	o := newOptions(b.name).withServers(stackServer()).withLoad(40_000, 3)
	amount := o.flags.Int(b.flag, b.amount, b.usage)
	if err := o.parse(args); err != nil {
		return err
	}
	if *amount < 1 {
		return fmt.Errorf("bad flag: -%s %d", b.flag, *amount)
	}
	list, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	o.ours = list[len(list)-1].path
	t, err := o.weighResidents(b.residents(*amount), list)
	if err != nil {
		return err
	}
	if err := o.print(t); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	return o.print(o.measure(b.workloads, servers))
}

// stackServer returns the Redis with modules that .ci/run or make references has brought, or its
// name if there is none.
func stackServer() string {
	dir := os.Getenv("REFERENCES")
	if cache, err := os.UserCacheDir(); dir == "" && err == nil {
		dir = filepath.Join(cache, "miniserver", "references")
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*", "bin", "stack-server")); len(found) > 0 {
		return found[0]
	}
	return "stack-server"
}

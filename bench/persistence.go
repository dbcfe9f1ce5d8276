package main

import "fmt"

// runPersistence is the subcommand persistence: snapshots, then the append-only file.
func runPersistence(args []string) error {
	o := newOptions("persistence").withServers("redis-server").withLoad(200_000, 3)
	if err := o.parse(args); err != nil {
		return err
	}
	if len(o.datasets()) == 0 && len(o.journalRows()) == 0 {
		return fmt.Errorf("-only %q matches neither data, as in %q, nor a workload and servers, as in %q", o.only,
			snapshotSets[0].name, journalRow{workload: journalWorkloads()[0]}.name(journalPairs[0]))
	}
	if err := o.runSnapshots(); err != nil {
		return err
	}
	return o.runJournal()
}

package main

// runPersistence is the subcommand persistence: snapshots, then the append-only file.
func runPersistence(args []string) error {
	o, err := parseOptions("persistence", args, 200_000, 3)
	if err != nil {
		return err
	}
	if err := o.runSnapshots(); err != nil {
		return err
	}
	return o.runJournal()
}

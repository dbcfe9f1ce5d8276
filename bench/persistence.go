package main

// runPersistence is the subcommand persistence.
func runPersistence(args []string) error {
	o, err := parseOptions("persistence", args, 200_000, 3)
	if err != nil {
		return err
	}
	return o.runJournal()
}

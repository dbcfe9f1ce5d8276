// Package cli is the command line of miniserver. The sub-commands are one table of the packages
// below: each brings a subcommand.Subcommand with its name, its forms, its options and its action.
// Help, completion and the manual pages come from the same table.
//
//	serve                  the server, and cluster: configuration, log, signals, daemons
//	script                 eval, repl, debug: scripts in an engine without a server
//	test, lint             tests of scripts, and mistakes in them
//	files                  check-aof, check-rdb, convert
//	remote                 ping, cli, migrate
//	help                   help, completion
//	subcommand             what all of them have in common
//
// The first argument alone decides which of them runs. Cobra would take any argument for a
// sub-command that is spelt like one, as in "--logfile eval"; it gets the table for completion
// only.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/miniserver-go/miniserver/internal/cli/files"
	"github.com/miniserver-go/miniserver/internal/cli/help"
	"github.com/miniserver-go/miniserver/internal/cli/lint"
	"github.com/miniserver-go/miniserver/internal/cli/remote"
	"github.com/miniserver-go/miniserver/internal/cli/script"
	"github.com/miniserver-go/miniserver/internal/cli/serve"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/cli/test"
)

// Main runs the program in a process of its own, which it ends.
func Main() {
	os.Exit(subcommand.Report(os.Stderr, run(context.Background(), words(os.Args), os.Stdin, os.Stdout, true)))
}

// Run runs the program as a part of another process, whose signals and Go runtime it leaves as they
// are, until the context ends.
func Run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	return run(ctx, args, in, out, false)
}

// subcommands returns the table, in the order of the usage.
func subcommands() []*subcommand.Subcommand {
	return []*subcommand.Subcommand{
		serve.Subcommand(), serve.Cluster(remote.RunGroups), remote.Ping(), remote.Cli(),
		script.Eval(), script.Repl(), script.Debug(),
		test.Subcommand(), lint.Subcommand(),
		files.CheckAOF(), files.CheckRDB(), files.Convert(), remote.Migrate(), table().Completion(), version,
		table().Help(),
	}
}

// table is what help explains and a shell completes.
func table() help.Table {
	return help.Table{Subcommands: subcommands, Find: findSubcommand, Settings: serve.Settings}
}

// subcommandNames returns the names in the table.
func subcommandNames() (names []string) {
	for _, s := range subcommands() {
		names = append(names, s.Name)
	}
	return names
}

// findSubcommand returns the sub-command of that name, or of that of a program of Redis; nil if
// there is none.
func findSubcommand(name string) *subcommand.Subcommand {
	all := subcommands()
	if other, known := namesake(name); known && other != "" {
		name = other
	}
	if i := slices.IndexFunc(all, func(s *subcommand.Subcommand) bool { return s.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// run runs the sub-command that the arguments name, or the server with the options.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer, ownProcess bool) error {
	if help.IsCompletion(args) {
		return table().Complete(args, out)
	}
	if len(args) > 0 {
		other, known := namesake(args[0])
		switch s := findSubcommand(args[0]); {
		case known && other == "":
			return isAbsent(args[0])
		case s == nil:
		case s.Prepare != nil:
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
			defer stop()
			if known {
				return doAs(ctx, s, args[0], args[1:], in, out)
			}
			return s.Do(ctx, args[1:], in, out)
		default:
			args = args[1:]
		}
	}
	has := func(words ...string) bool { return len(args) > 0 && slices.Contains(words, args[0]) }
	switch {
	case has("-h", "--help"):
		return table().Explain(out, args[1:])
	case has("-v", "--version"):
		return printVersion(out)
	}
	return serve.Run(ctx, args, in, out, serve.Options{OwnProcess: ownProcess, Subcommands: subcommandNames()})
}

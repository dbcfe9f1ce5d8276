// Package cli is the command line of miniserver: which sub-command the arguments name, and what each of them does.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// Main runs the program and ends the process.
func Main() {
	os.Exit(report(os.Stderr, run(context.Background(), words(os.Args), os.Stdin, os.Stdout, ownProcess)))
}

// report prints an error that was not printed yet, and returns the exit status.
func report(to io.Writer, err error) (status int) {
	switch {
	case err == nil:
		return 0
	case !errors.Is(err, errReply) && !errors.Is(err, errPrinted):
		fmt.Fprintln(to, plainly(err))
	}
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// usageError is an error of a sub-command whose exit status 1 means something else: the status is 2.
type usageError struct{ error }

// Unwrap makes errors.Is see the error.
func (e usageError) Unwrap() error { return e.error }

// run runs the sub-command that the arguments name, or the server with the options.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer, options ...option) error {
	if isCompletion(args) {
		return complete(args, out)
	}
	if len(args) > 0 {
		other, known := namesake(args[0])
		switch s := findSubcommand(args[0]); {
		case known && other == "":
			return isAbsent(args[0])
		case s == nil:
		case s.name != serving:
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
			defer stop()
			if known {
				return s.doAs(ctx, args[0], args[1:], in, out)
			}
			return s.do(ctx, args[1:], in, out)
		default:
			args = args[1:]
		}
	}
	has := func(words ...string) bool { return len(args) > 0 && slices.Contains(words, args[0]) }
	switch {
	case has("-h", "--help"):
		return printHelp(out, args[1:])
	case has("-v", "--version"):
		return printVersion(out)
	}
	return serve(ctx, args, in, out, options...)
}

// Command miniserver serves the Redis protocol from memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		if !errors.Is(err, errReply) && !errors.Is(err, errPrinted) {
			fmt.Fprintln(os.Stderr, err)
		}
		if errors.As(err, new(usageError)) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// usageError is an error of a sub-command whose exit status 1 means something else: the status is 2.
type usageError struct{ error }

const usage = `Usage: miniserver [/path/to/redis.conf] [options] [-]
       miniserver - (read the configuration from stdin)
       miniserver eval [--profile] script.lua [key ...] [, argument ...]
       miniserver lint [--redis-version 7.0] [--level error|warning|note] [--format text|json|sarif|github] <file.lua|-> ...
       miniserver check-aof [--fix|--truncate-to-timestamp <seconds>] <file.manifest|file.aof>
       miniserver check-rdb <file.rdb>
       miniserver convert json|resp <file.rdb> [output]
       miniserver convert rdb <file.json> <file.rdb>
       miniserver -v or --version
       miniserver -h or --help

miniserver serves the Redis protocol, at 127.0.0.1:6379 by default. eval runs a Lua script without a server,
lint looks for mistakes in scripts, check-aof and check-rdb look for damage in files, and convert turns a snapshot into text and back.

Options are lines of a configuration file, with two dashes in front:

       miniserver --port 7777
       miniserver --port 0 --unixsocket /tmp/redis.sock
       miniserver /etc/redis.conf --requirepass "my password" --maxmemory 100mb
       echo 'maxmemory 128mb' | miniserver -

CONFIG GET * shows all parameters. They are those of redis-server and some more:

       --load <file>     at the start, loads a snapshot, an append-only file or a text with one command on each
                         line; the file is never written
       --seed <number>   makes random results repeatable
       --test-kit yes    adds the commands MINI.*, with which tests steer the server
       --ready-json      when the server is ready, prints one line of JSON with its url, port and pid to stdout; the
                         log goes to stderr
       --port-file <file>
                         when the server is ready, writes its port to a file, which is removed at the end
       --exit-with-parent
                         ends the server when the process that has started it ends
`

// run runs the sub-command that the arguments name, or the server.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if wantsHelp(args) {
		_, err := io.WriteString(out, usage)
		return err
	}
	if len(args) == 0 {
		return serve(ctx, args, in, out)
	}
	switch args[0] {
	case "eval":
		return eval(ctx, args[1:], out)
	case "lint":
		return lintFiles(args[1:], in, out)
	case "check-aof":
		return checkAOF(args[1:], in, out)
	case "check-rdb":
		return checkRDB(args[1:], out)
	case "convert":
		return convert(args[1:], out)
	}
	if len(args) == 1 && (args[0] == "-v" || args[0] == "--version") {
		return printVersion(out)
	}
	return serve(ctx, args, in, out)
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "miniserver v=%s redis=%s go=%s bits=%d\n", engine.Version, release.Default.Version,
		runtime.Version(), strconv.IntSize)
	return err
}

// wantsHelp reports whether the arguments are -h or --help, alone or after the name of a sub-command.
func wantsHelp(args []string) bool {
	if len(args) == 2 && slices.Contains([]string{"eval", "lint", "check-aof", "check-rdb", "convert"}, args[0]) {
		args = args[1:]
	}
	return len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

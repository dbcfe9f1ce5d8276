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

// Unwrap makes errors.Is see the error.
func (e usageError) Unwrap() error { return e.error }

const serverUsage = `Usage: miniserver [/path/to/redis.conf] [options] [-]
       miniserver - (read the configuration from stdin)
       miniserver -v or --version
       miniserver -h or --help
`

const optionsUsage = `
miniserver serves the Redis protocol, at 127.0.0.1:6379 by default. miniserver <name> --help tells more of what it does under another name.

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
       --http-port <port>
                         serves a console for browsers, /metrics and /health at this port; 0 picks a free one
       --ready-json      when the server is ready, prints one line of JSON with its url, port and pid to stdout; the
                         log goes to stderr
       --port-file <file>
                         when the server is ready, writes its port to a file, which is removed at the end
       --exit-with-parent
                         ends the server when the process that has started it ends
`

// run runs the sub-command that the arguments name, or the server.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if s := findSubcommand(args); s != nil {
		return s.do(ctx, args[1:], in, out)
	}
	if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
		return printHelp(out)
	}
	if len(args) == 1 && (args[0] == "-v" || args[0] == "--version") {
		return printVersion(out)
	}
	return serve(ctx, args, in, out)
}

func printHelp(out io.Writer) error {
	text := serverUsage
	for _, s := range subcommands {
		text += fmt.Sprintf("       miniserver %-9s  (%s)\n", s.name, s.purpose)
	}
	_, err := io.WriteString(out, text+optionsUsage)
	return err
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "miniserver v=%s redis=%s go=%s bits=%d\n", engine.Version, release.Default.Version,
		runtime.Version(), strconv.IntSize)
	return err
}

package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/server"
)

var version = &subcommand.Subcommand{
	Name:    "version",
	Purpose: "prints the version",
	Prepare: func(*pflag.FlagSet) subcommand.Action {
		return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
			if len(args) > 0 {
				return subcommand.Misuse("it takes no arguments")
			}
			return printVersion(out)
		}
	}}

// printVersion prints the line of a redis-server, since programs that start one read it, and then
// this server's own version.
func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "Redis server %s\n", versionLine())
	return err
}

// versionLine is what programs of Redis say of themselves behind their name, and this server's own
// version.
func versionLine() string {
	return fmt.Sprintf("v=%s sha=00000000:0 malloc=%s bits=%d build=%s\nminiserver %s", release.Default.Version,
		runtime.Version(), strconv.IntSize, server.BuildID(), build.Version)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/release"
)

// The program also goes by the names of the programs of Redis and Valkey, as its first argument or
// as that of a link to it: so the command of an image, as "redis-server --appendonly yes", and
// scripts that check files need no change.

// namesakes are the sub-commands that do what programs of Redis do; "" for programs whose work is
// not done here.
var namesakes = map[string]string{"server": "serve", "check-rdb": "check-rdb", "check-aof": "check-aof", "cli": "cli",
	"sentinel": "", "benchmark": ""}

// namesake returns the sub-command for a program of Redis or Valkey, and whether there is such a
// program.
func namesake(program string) (name string, known bool) {
	for _, product := range []string{"redis-", "valkey-"} {
		if rest, cut := strings.CutPrefix(program, product); cut {
			name, known = namesakes[rest]
		}
	}
	return name, known
}

// words returns the arguments of the program, whose file may have another's name: that is then the
// first of them.
func words(args []string) []string {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if _, known := namesake(name); known {
		return append([]string{name}, args[1:]...)
	}
	return args[1:]
}

// doAs runs a sub-command in the name of a program of Redis: the exit status of misuse is 1 there,
// and -v and --version tell the version.
func doAs(ctx context.Context, s *subcommand.Subcommand, program string, args []string, in io.Reader,
	out io.Writer) error {
	if len(args) == 1 && slices.Contains([]string{"-v", "--version"}, args[0]) {
		line := versionLine()
		if s.Name == "cli" {
			line = release.Default.Version
		}
		_, err := fmt.Fprintf(out, "%s %s\n", program, line)
		return err
	}
	err := s.Do(ctx, args, in, out)
	if wrong := (subcommand.UsageError{}); errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}

// isAbsent is the error of a program of Redis that is not here.
func isAbsent(program string) error {
	instead := "take that of Redis, which works with this server"
	if strings.HasSuffix(program, "-sentinel") {
		instead = "a server with sentinel-masters, or a member of a group, answers SENTINEL itself"
	}
	return subcommand.UsageError{Err: fmt.Errorf("there is no %s here: %s", program, instead)}
}

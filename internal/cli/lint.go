package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// lintOptions are the options of miniserver lint.
type lintOptions struct {
	version, level, format string // level is the least bad one that is shown
}

func prepareLint(flags *pflag.FlagSet) action {
	o := lintOptions{level: string(lint.Warning), format: "text"}
	flags.StringVar(&o.version, "redis-version", release.Default.Version, "the Redis `version` that the scripts are for")
	flags.Var(choice{&o.level, levels()}, "level", "the least severe findings to print")
	flags.Var(choice{&o.format, slices.Sorted(maps.Keys(lintFormats))}, "format", "how to print them")
	return o.lintFiles
}

func levels() (names []string) {
	for _, l := range lint.Levels {
		names = append(names, string(l))
	}
	return names
}

// lintFiles checks scripts and prints what it finds. It returns errPrinted if there is something, and a usageError if a
// file cannot be read.
func (o *lintOptions) lintFiles(_ context.Context, files []string, in io.Reader, out io.Writer) error {
	target, err := release.Parse(o.version)
	if err != nil {
		return misuse(err.Error())
	}
	if len(files) == 0 {
		return misuse("")
	}
	linter := newLinter(target)
	var reports []lintReport
	found := false
	for _, name := range files {
		source, err := readSource(name, in)
		if err != nil {
			return usageError{fmt.Errorf("miniserver lint: %w", err)}
		}
		findings := slices.DeleteFunc(linter.Lint(source), func(f lint.Finding) bool {
			return slices.Index(lint.Levels, f.Level) > slices.Index(lint.Levels, lint.Level(o.level))
		})
		found = found || len(findings) > 0
		reports = append(reports, lintReport{name, findings})
	}
	if err := lintFormats[o.format](out, reports); err != nil {
		return err
	}
	if found {
		return errPrinted
	}
	return nil
}

// newLinter returns a linter that knows the commands of all releases.
func newLinter(target *release.Release) *lint.Linter {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	return lint.New(e, target)
}

// readSource returns the content of a file, of standard input for "-".
func readSource(name string, in io.Reader) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(in)
		return string(text), err
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

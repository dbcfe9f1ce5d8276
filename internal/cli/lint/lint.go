// Package lint prints what the linter finds in scripts, see package scripting/lint, as text, JSON,
// SARIF or annotations of GitHub.
package lint

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// lintOptions are the options of miniserver lint.
type lintOptions struct {
	version, level, format string // level is the least bad one that is shown
}

// Subcommand returns the sub-command that lints scripts.
func Subcommand() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "lint",
		Forms:   []string{"[options] <file.lua|-> ..."},
		Purpose: "looks for mistakes in scripts",
		Prepare: prepareLint,
	}
}

func prepareLint(flags *pflag.FlagSet) subcommand.Action {
	o := lintOptions{level: string(lint.Warning), format: "text"}
	flags.StringVar(&o.version, "redis-version", release.Default.Version,
		"the Redis `version` that the scripts are for")
	flags.Var(subcommand.Choice{Value: &o.level, Allowed: levels()}, "level", "the least severe findings to print")
	flags.Var(subcommand.Choice{Value: &o.format, Allowed: slices.Sorted(maps.Keys(lintFormats))}, "format",
		"how to print them")
	return o.lintFiles
}

func levels() (names []string) {
	for _, l := range lint.Levels {
		names = append(names, string(l))
	}
	return names
}

// lintFiles checks scripts and prints what it finds. It returns subcommand.ErrPrinted if there is
// something, and a subcommand.UsageError if a file cannot be read.
func (o *lintOptions) lintFiles(_ context.Context, files []string, in io.Reader, out io.Writer) error {
	target, err := release.Parse(o.version)
	if err != nil {
		return subcommand.Misuse(err.Error())
	}
	if len(files) == 0 {
		return subcommand.Misuse("")
	}
	linter := newLinter(target)
	var reports []lintReport
	found := false
	for _, name := range files {
		source, err := subcommand.Source(name, in)
		if err != nil {
			return subcommand.UsageError{Err: fmt.Errorf("miniserver lint: %w", err)}
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
		return subcommand.ErrPrinted
	}
	return nil
}

// newLinter returns a linter that knows the commands of all releases.
func newLinter(target *release.Release) *lint.Linter {
	return lint.New(assembly.New(assembly.Options{Disk: new(disk.Memory), TestKit: true}).Engine, target)
}

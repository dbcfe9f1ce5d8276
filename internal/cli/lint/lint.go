// Package lint prints what the linters find as text, JSON, SARIF or annotations of GitHub: in
// scripts, see package scripting/lint, and in queries of indexes, see package search/lint.
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
	version, level, format string // version may be ""; level is the least bad one that is shown

	schema  string   // the file with the definitions of indexes; empty for scripts
	queries []string // to check, beside those of files
}

// Subcommand returns the sub-command that lints scripts.
func Subcommand() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "lint",
		Forms:   []string{"[options] <file.lua|-> ...", "[options] --schema <file> [--query <command>] [<file|->] ..."},
		Purpose: "looks for mistakes in scripts, and in queries of indexes",
		Prepare: prepareLint,
	}
}

func prepareLint(flags *pflag.FlagSet) subcommand.Action {
	o := lintOptions{level: string(lint.Warning), format: "text"}
	flags.StringVar(&o.version, "redis-version", "",
		"the Redis `version` that the scripts are for; without it, they may use commands of all versions")
	flags.Var(subcommand.Choice{Value: &o.level, Allowed: levels()}, "level", "the least severe findings to print")
	flags.Var(subcommand.Choice{Value: &o.format, Allowed: slices.Sorted(maps.Keys(lintFormats))}, "format",
		"how to print them")
	flags.StringVar(&o.schema, "schema", "", "check queries: the `file` has the FT.CREATE commands of their indexes")
	flags.StringArrayVar(&o.queries, "query", nil, "an FT.SEARCH or FT.AGGREGATE `command` to check; may be repeated")
	return o.lintFiles
}

func levels() (names []string) {
	for _, l := range lint.Levels {
		names = append(names, string(l))
	}
	return names
}

// lintFiles checks scripts or queries and prints what it finds. It returns subcommand.ErrPrinted if
// there is something, and a subcommand.UsageError if a file cannot be read.
func (o *lintOptions) lintFiles(_ context.Context, files []string, in io.Reader, out io.Writer) error {
	target, err := o.target()
	switch {
	case err != nil:
		return subcommand.Misuse(err.Error())
	case o.schema == "" && len(o.queries) > 0:
		return subcommand.Misuse("--query needs --schema, a file with the FT.CREATE command of the index")
	case len(files)+len(o.queries) == 0:
		return subcommand.Misuse("")
	}
	var reports []lintReport
	if o.schema != "" {
		reports, err = o.lintQueries(target, files, in)
	} else {
		reports, err = lintScripts(target, files, in)
	}
	if err != nil {
		return subcommand.UsageError{Err: fmt.Errorf("miniserver lint: %w", err)}
	}
	found := false
	for i, r := range reports {
		reports[i].findings = slices.DeleteFunc(r.findings, func(f lint.Finding) bool {
			return slices.Index(lint.Levels, f.Level) > slices.Index(lint.Levels, lint.Level(o.level))
		})
		found = found || len(reports[i].findings) > 0
	}
	if err := lintFormats[o.format](out, reports); err != nil {
		return err
	}
	if found {
		return subcommand.ErrPrinted
	}
	return nil
}

// target returns the release that the scripts or queries are for: the default one, which has the
// commands and options of all later ones, if no version is given.
func (o *lintOptions) target() (*release.Release, error) {
	if o.version == "" {
		all := release.Default
		return &all, nil
	}
	return release.Parse(o.version)
}

// lintScripts checks scripts.
func lintScripts(target *release.Release, files []string, in io.Reader) (reports []lintReport, err error) {
	linter := newLinter(target)
	for _, name := range files {
		source, err := subcommand.Source(name, in)
		if err != nil {
			return nil, err
		}
		reports = append(reports, lintReport{name, linter.Lint(source)})
	}
	return reports, nil
}

// newLinter returns a linter that knows the commands of all releases.
func newLinter(target *release.Release) *lint.Linter {
	return lint.New(assembly.New(assembly.Options{Disk: new(disk.Memory), TestKit: true}).Engine, target)
}

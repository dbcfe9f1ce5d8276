package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

const lintUsage = "usage: miniserver lint [--redis-version 7.0] [--level error|warning|note] [--format text|json|sarif|github] file.lua|- [more files]"

// lintOptions are the options of miniserver lint.
type lintOptions struct {
	target *release.Release
	level  lint.Level // the least bad one that is shown
	format string
	files  []string
}

// lintFiles checks scripts and prints what it finds. It returns errPrinted if there is something, and a usageError if a
// file cannot be read.
func lintFiles(args []string, in io.Reader, out io.Writer) error {
	o, err := readLintOptions(args)
	if err != nil {
		return usageError{err}
	}
	linter := newLinter(o.target)
	var reports []lintReport
	found := false
	for _, name := range o.files {
		source, err := readSource(name, in)
		if err != nil {
			return usageError{fmt.Errorf("miniserver lint: %w", err)}
		}
		findings := slices.DeleteFunc(linter.Lint(source), func(f lint.Finding) bool {
			return slices.Index(lint.Levels, f.Level) > slices.Index(lint.Levels, o.level)
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
	assembly.Join(e, assembly.Options{Disk: new(snapshot.MemDisk), TestKit: true})
	return lint.New(e, target)
}

func readLintOptions(args []string) (o lintOptions, err error) {
	all := release.Default
	o = lintOptions{target: &all, level: lint.Warning, format: "text"}
	for i := 0; i < len(args); i++ {
		name, value, assigned := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "--") {
			o.files = append(o.files, args[i])
			continue
		}
		if !assigned {
			if i++; i == len(args) {
				return o, errors.New(lintUsage)
			}
			value = args[i]
		}
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
	if len(o.files) == 0 {
		return o, errors.New(lintUsage)
	}
	return o, nil
}

func (o *lintOptions) set(name, value string) (err error) {
	switch name {
	case "--redis-version":
		o.target, err = release.Parse(value)
	case "--level":
		if o.level = lint.Level(value); !slices.Contains(lint.Levels, o.level) {
			err = fmt.Errorf("unknown level %q; %s", value, lintUsage)
		}
	case "--format":
		if o.format = value; lintFormats[value] == nil {
			err = fmt.Errorf("unknown format %q; %s", value, lintUsage)
		}
	default:
		err = fmt.Errorf("unknown option %s; %s", name, lintUsage)
	}
	return err
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

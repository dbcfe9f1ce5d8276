// Package test runs tests of scripts that are written as sessions with redis-cli: see package
// transcript, which plays them. It finds the files, and reports as go test does, as JUnit XML, and
// as coverage.
package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// testSuffix is how the names of the files end that are tests in a directory.
const testSuffix = "_test.txt"

// testOptions are the options of miniserver test.
type testOptions struct {
	paths    []string
	update   bool
	verbose  bool
	watch    bool
	flush    bool
	run      string
	pattern  *regexp.Regexp // run, compiled; nil for all tests
	seed     *uint64        // nil for those in the files
	parallel int
	timeout  time.Duration
	junit    string
	cover    string
	coverage *testCoverage // nil without cover
	against  string
}

// Subcommand returns the sub-command that runs tests.
func Subcommand() *subcommand.Subcommand {
	return &subcommand.Subcommand{Name: "test", Forms: []string{"[options] [directory|file ...]"},
		Purpose: "runs tests of scripts that are written as sessions with redis-cli", Prepare: prepareTest}
}

func prepareTest(flags *pflag.FlagSet) subcommand.Action {
	o := new(testOptions)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "list the tests that pass, too")
	flags.StringVar(&o.run, "run", "", "run only the tests whose names, file/test, match this `regexp`")
	flags.BoolVar(&o.update, "update", false, "rewrite the replies that differ; patterns that still match stay")
	flags.BoolVar(&o.watch, "watch", false, "run the tests again when a file or a script changes")
	seed := flags.Uint64("seed", 0, "the seed of random loads, instead of those in the files")
	flags.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "the number of files that run at the same time")
	flags.Lookup("parallel").DefValue = "0" // which help does not show
	flags.DurationVar(&o.timeout, "timeout", 10*time.Second, "how long a command may run")
	flags.StringVar(&o.junit, "junit", "", "write the results to this `file` as JUnit XML")
	flags.StringVar(&o.cover, "cover", "",
		"write which lines of the scripts ran to this `file`: .txt, else a tracefile of lcov")
	flags.StringVar(&o.against, "against", "",
		"test the server at this `address`, host:port or redis://user:password@host:port/database, "+
			"which has to be empty")
	flags.BoolVar(&o.flush, "flush", false, "with --against: allow a database with data, and delete the data")
	return func(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
		if o.paths = args; flags.Changed("seed") {
			o.seed = seed
		}
		return o.test(ctx, out)
	}
}

// test runs the tests in files and prints what go test would. It returns subcommand.ErrPrinted if
// one fails, and a subcommand.UsageError if one cannot run.
func (o *testOptions) test(ctx context.Context, out io.Writer) error {
	if err := o.check(); err != nil {
		return subcommand.Misuse(err.Error())
	}
	if o.watch {
		return o.watchFiles(ctx, out)
	}
	return o.runOnce(ctx, out)
}

// check completes the options, or says what is wrong with them.
func (o *testOptions) check() (err error) {
	if len(o.paths) == 0 {
		o.paths = []string{"."}
	}
	if o.against != "" {
		o.parallel = 1 // the tests share the database
	}
	switch {
	case o.parallel < 1:
		return errors.New("--parallel must be at least 1")
	case o.timeout <= 0:
		return errors.New("--timeout must be more than 0")
	case o.cover != "" && o.against != "":
		return errors.New("--cover needs the engine in this process: leave out --against")
	case o.flush && o.against == "":
		return errors.New("--flush needs --against")
	case o.update && o.watch:
		return errors.New("--update rewrites the files that --watch watches: use one of them")
	case o.run != "":
		if o.pattern, err = regexp.Compile(o.run); err != nil {
			err = fmt.Errorf("--run %q is no regular expression: %s", o.run,
				strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return err
}

// findTests returns the paths of the tests: files, and the files in directories that are named as
// tests.
func (o *testOptions) findTests() (files []string, err error) {
	for _, path := range o.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		found := []string{path}
		if info.IsDir() {
			if found, err = testsBelow(path); err != nil {
				return nil, err
			}
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// testsBelow returns the tests in a directory and below, but not in hidden directories and those
// named testdata.
func testsBelow(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != dir && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || path != dir && entry.Name() == "testdata"):
			return filepath.SkipDir
		case !entry.IsDir() && !hidden && strings.HasSuffix(path, testSuffix):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files *%s in %s or below (a file named on the command line may have any name)",
			testSuffix, dir)
	}
	return files, err
}

// runOnce runs all tests once.
func (o *testOptions) runOnce(ctx context.Context, out io.Writer) error {
	files, err := o.findTests()
	if err != nil {
		return subcommand.UsageError{Err: fmt.Errorf("miniserver test: %w", err)}
	}
	if o.cover != "" {
		o.coverage = newTestCoverage()
	}
	began := time.Now()
	results := o.runFiles(ctx, files, func(r *fileResult) { r.print(out, o.verbose) })
	if ctx.Err() != nil {
		return errors.New("miniserver test: interrupted")
	}
	if err := o.writeReports(results, began, out); err != nil {
		return subcommand.UsageError{Err: fmt.Errorf("miniserver test: %w", err)}
	}
	switch {
	case slices.ContainsFunc(results, func(r *fileResult) bool { return r.err != nil }):
		fmt.Fprintln(out, "FAIL")
		return subcommand.UsageError{Err: subcommand.ErrPrinted}
	case slices.ContainsFunc(results, (*fileResult).failed):
		fmt.Fprintln(out, "FAIL")
		return subcommand.ErrPrinted
	}
	return nil
}

// writeReports writes the files for other programs.
func (o *testOptions) writeReports(results []*fileResult, began time.Time, out io.Writer) error {
	if o.junit != "" {
		if err := disk.Replace(o.junit, []byte(junit(results, began)), false); err != nil {
			return err
		}
	}
	if o.coverage == nil {
		return nil
	}
	summary, err := o.coverage.write(o.cover)
	if err == nil {
		fmt.Fprintln(out, summary)
	}
	return err
}

// runFiles runs files at the same time, and hands on their results in the order of the files. It
// returns when the context ends, be the tests over or not.
func (o *testOptions) runFiles(ctx context.Context, files []string, show func(r *fileResult)) []*fileResult {
	results := make([]*fileResult, len(files))
	done := make([]chan struct{}, len(files))
	for i := range done {
		done[i] = make(chan struct{})
	}
	places := make(chan struct{}, o.parallel)
	go func() {
		for i, path := range files {
			places <- struct{}{}
			go func() {
				results[i] = o.runFile(ctx, path)
				<-places
				close(done[i])
			}()
		}
	}()
	for i := range files {
		select {
		case <-done[i]:
			show(results[i])
		case <-ctx.Done():
			return nil
		}
	}
	return results
}

// runFile runs the tests of one file, each in an empty world.
func (o *testOptions) runFile(ctx context.Context, path string) *fileResult {
	r := &fileResult{path: path}
	began := time.Now()
	r.err = o.runTests(ctx, r)
	r.took = time.Since(began)
	return r
}

func (o *testOptions) runTests(ctx context.Context, r *fileResult) error {
	file, err := transcript.Load(r.path)
	if err != nil {
		return err
	}
	counted := &covered{all: o.coverage}
	world, err := o.world(counted)
	if err != nil {
		return err
	}
	defer world.Close()
	if o.update {
		if file, r.updated, err = update(file, world, o.chosen(file)); err != nil {
			return err
		}
	}
	for _, t := range o.chosen(file) {
		if ctx.Err() != nil {
			break
		}
		began := time.Now()
		result := testResult{name: testName(r.path, t.Name), err: admit(world, t)}
		if result.err == nil {
			result.outcome, result.err = t.Run(world, o.seed)
		}
		result.took = time.Since(began)
		r.tests = append(r.tests, result)
	}
	if counted.next(nil, nil); o.coverage != nil {
		o.coverage.name(file)
	}
	return counted.err
}

// admit returns the reason why a server does not run a test.
func admit(world transcript.World, t transcript.Test) error {
	if a, picky := world.(transcript.Admitter); picky {
		return a.Admit(t)
	}
	return nil
}

// chosen returns the tests of a file whose names match the pattern, with blanks or with what stands
// for them.
func (o *testOptions) chosen(file *transcript.File) (tests []transcript.Test) {
	for _, t := range file.Tests() {
		name := testName(file.Name, t.Name)
		if o.pattern == nil || o.pattern.MatchString(name) ||
			o.pattern.MatchString(strings.ReplaceAll(name, "_", " ")) {
			tests = append(tests, t)
		}
	}
	return tests
}

// testName returns the name of a test: that of its file, a slash, and that of the test, without
// blanks.
func testName(path, name string) string {
	file := filepath.Base(path)
	file = strings.TrimSuffix(strings.TrimSuffix(file, ".txt"), strings.TrimSuffix(testSuffix, ".txt"))
	if name == "" {
		return file
	}
	return file + "/" + strings.ReplaceAll(name, " ", "_")
}

// update rewrites the replies in some tests of a file, and returns the file as it is then.
func update(file *transcript.File, world transcript.World, tests []transcript.Test) (*transcript.File, bool, error) {
	before, err := os.ReadFile(file.Name)
	if err != nil {
		return nil, false, err
	}
	for _, t := range tests {
		if err := admit(world, t); err != nil {
			return nil, false, err
		}
	}
	after, err := file.UpdateTests(world, nil, tests)
	if err != nil || after == string(before) {
		return file, false, err
	}
	path, err := filepath.EvalSymlinks(file.Name)
	if err != nil {
		return nil, false, err
	}
	if err := disk.Replace(path, []byte(after), false); err != nil {
		return nil, false, err
	}
	file, err = transcript.Load(file.Name)
	return file, true, err
}

// world returns the server for the tests of a file: an engine in this process, or the one that was
// named.
func (o *testOptions) world(counted *covered) (transcript.World, error) {
	if o.against != "" {
		return transcript.Reach(o.against, o.flush, o.timeout)
	}
	world := transcript.NewMemory(transcript.Traits{Name: "miniserver"}, func(e *engine.Engine) {
		counted.next(e.Home(), assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true}).Scripts)
	})
	world.Patience = o.timeout
	return world, nil
}

package test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/transcript"
)

// fileResult is what the tests of a file have shown.
type fileResult struct {
	path    string
	tests   []testResult
	took    time.Duration
	updated bool
	err     error // why the file could not run
}

// testResult is what one test has shown.
type testResult struct {
	name    string
	took    time.Duration
	outcome transcript.Outcome
	err     error // why the test did not run to its end
}

func (t testResult) failed() bool { return t.err != nil || len(t.outcome.Mismatches) > 0 }

// skipped reports whether the server could run nothing of the test.
func (t testResult) skipped() bool { return !t.failed() && t.outcome.Ran == 0 && t.outcome.LeftOut > 0 }

func (r *fileResult) failed() bool {
	return r.err != nil || slices.ContainsFunc(r.tests, testResult.failed)
}

// print prints the results of a file as go test does those of a package.
func (r *fileResult) print(out io.Writer, verbose bool) {
	if r.err != nil {
		fmt.Fprintf(out, "%v\nFAIL\t%s [cannot run]\n", r.err, r.path)
		return
	}
	for _, t := range r.tests {
		t.print(out, verbose)
	}
	verdict, more := "ok  ", ""
	switch {
	case r.failed():
		verdict = "FAIL"
		fmt.Fprintln(out, "FAIL")
	case verbose:
		fmt.Fprintln(out, "PASS")
	}
	if len(r.tests) == 0 {
		more = " [no tests to run]"
	}
	if r.updated {
		more += " [updated]"
	}
	fmt.Fprintf(out, "%s\t%s\t%.3fs%s\n", verdict, r.path, r.took.Seconds(), more)
}

func (t testResult) print(out io.Writer, verbose bool) {
	verdict := "PASS"
	switch {
	case t.failed():
		verdict = "FAIL"
	case t.skipped():
		verdict = "SKIP"
	}
	if verbose {
		fmt.Fprintf(out, "=== RUN   %s\n", t.name)
	}
	if verbose || t.failed() {
		fmt.Fprintf(out, "--- %s: %s (%.2fs)\n", verdict, t.name, t.took.Seconds())
	}
	io.WriteString(out, t.details())
	if verbose && t.outcome.LeftOut > 0 {
		fmt.Fprintf(out, "    %d of %d steps do not apply to this server\n", t.outcome.LeftOut,
			t.outcome.LeftOut+t.outcome.Ran)
	}
}

// details says what is wrong, in lines.
func (t testResult) details() string {
	var b strings.Builder
	for _, m := range t.outcome.Mismatches {
		fmt.Fprintf(&b, "    %s:%d: %s\n", m.File, m.Line, m.Step)
		if m.Row != "" {
			fmt.Fprintf(&b, "        in the row %s\n", m.Row)
		}
		if m.Broken != "" {
			b.WriteString(m.Broken + "\n")
			continue
		}
		for line := range strings.SplitSeq(transcript.Diff(m.Expected, m.Got), "\n") {
			fmt.Fprintf(&b, "        %s\n", line)
		}
		if m.Expected == "" && !strings.HasSuffix(m.Step, "<") {
			b.WriteString("        (a command without a reply below it must block; --update writes replies)\n")
		}
	}
	if t.err != nil {
		fmt.Fprintf(&b, "    %v\n", t.err)
	}
	return b.String()
}

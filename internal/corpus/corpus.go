// Package corpus runs the transcripts of this repository as tests, against engines in process and
// real servers, and rewrites their replies.
package corpus

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	_ "github.com/miniserver-go/miniserver/scripting/tools" // SCRIPT LINT and DEBUG
	_ "github.com/miniserver-go/miniserver/search"          // FT.*
)

var update = flag.String("update", "", "rewrite the transcripts' replies from a world: redis for the default "+
	"release, a release such as redis:7.0, or miniserver")

// TraitsOf returns the traits of a server of the release.
func TraitsOf(r reference.Release) transcript.Traits {
	return transcript.Traits{Name: string(r), Tags: []string{"redis"},
		Release: release.Exactly(r.Product(), r.Version()), Sleep: transcript.LongSleep}
}

// Redis starts a server of the default release as a world that speaks proto. See Real.
func Redis(t testing.TB, proto int) *transcript.Server {
	t.Helper()
	return Real(t, reference.Default, proto)
}

// Real starts a server of the release as a world that speaks proto. See reference.Release.Start.
func Real(t testing.TB, r reference.Release, proto int) *transcript.Server {
	t.Helper()
	server := r.Start(t)
	traits := TraitsOf(r)
	traits.Release, traits.Proto = server.Release, proto
	w, err := transcript.Connect("unix", server.Socket, traits)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// Files returns the transcripts below dir.
func Files(t testing.TB, dir string) []*transcript.File {
	t.Helper()
	var files []*transcript.File
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".txt") ||
			!family.IsChosen(path) {
			return err
		}
		f, err := family.Load(path)
		files = append(files, f)
		return err
	})
	must(t, err)
	switch {
	case len(files) > 0:
	case family.ChoosesSome():
		t.Skipf("no transcript in %s is chosen", dir)
	default:
		t.Fatalf("no transcripts in %s", dir)
	}
	return files
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// RunFiles runs each file as a subtest named by its path below dir. The subtests named in todo must
// fail: then they log why, and one that passes is to be removed from the list.
func RunFiles(t *testing.T, w transcript.World, dir string, files []*transcript.File, todo ...string) {
	var again retries
	for _, f := range files {
		path, err := filepath.Rel(dir, f.Name)
		must(t, err)
		name := strings.TrimSuffix(filepath.ToSlash(path), ".txt")
		t.Run(name, func(t *testing.T) {
			out, err := again.run(f, w)
			must(t, err)
			report(t, w, out, slices.Contains(todo, name))
		})
	}
}

// report fails the test for each mismatch, or, if they are expected, for the lack of them.
func report(t *testing.T, w transcript.World, out transcript.Outcome, expected bool) {
	say := t.Errorf
	if expected {
		say = t.Logf
	}
	for _, m := range out.Mismatches {
		say("in %s:\n%s", w.Traits().Name, m)
	}
	if expected && len(out.Mismatches) == 0 {
		t.Errorf("no mismatch in %s: delete this transcript from the list of those to do", w.Traits().Name)
	}
	if out.LeftOut > 0 {
		t.Logf("%s cannot run %d of %d steps", w.Traits().Name, out.LeftOut, out.Ran+out.LeftOut)
	}
}

// retryFor bounds the time that all files of a world together spend on further runs.
const retryFor = 2 * time.Minute

// alikeRuns is the number of runs that a slow machine does not let fail at the same steps, one
// after the other.
const alikeRuns = 4

// retries is the time spent on further runs.
type retries struct{ spent time.Duration }

// run runs the file. It runs it again while replies are wrong and the world's clock has slipped: a
// test of 20 milliseconds is void on a machine that stood still for 50.
func (r *retries) run(f *transcript.File, w transcript.World) (transcript.Outcome, error) {
	out, err := f.Run(w)
	for alike := 1; err == nil && len(out.Mismatches) > 0 && out.Slipped && alike < alikeRuns &&
		r.spent < retryFor; alike++ {
		last, began := out, time.Now()
		out, err = f.Run(w)
		r.spent += time.Since(began)
		if !slices.EqualFunc(last.Mismatches, out.Mismatches,
			func(a, b transcript.Mismatch) bool { return a.Line == b.Line }) {
			alike = 0
		}
	}
	return out, err
}

// Updating rewrites the files below dir if the flag -update is set, and then reports true: the test
// must return. ours opens the world for -update=miniserver. A step that the default release can run
// gets its replies from there only, and ours cannot override those of Redis Stack.
func Updating(t *testing.T, dir string, ours func() transcript.World) bool {
	t.Helper()
	if *update == "" {
		return false
	}
	w, theirs := transcript.World(nil), []transcript.Traits{TraitsOf(reference.Default)}
	switch *update {
	case "miniserver":
		w, theirs = ours(), append(theirs, TraitsOf(reference.RedisStack74))
	case "redis":
		w, theirs = slow(Redis(t, 2)), nil
	default:
		w = slow(Real(t, reference.Release(*update), 2))
	}
	start := time.Now()
	files := Files(t, dir)
	for _, f := range files {
		text, err := f.Update(w, theirs)
		must(t, err)
		must(t, os.WriteFile(f.Name, []byte(text), 0o644))
	}
	t.Logf("rewrote %d files from %s in %v", len(files), w.Traits().Name, time.Since(start))
	return true
}

// slow makes a world wait longer for replies that may not come.
func slow(s *transcript.Server) *transcript.Server {
	s.Quiet *= 3
	return s
}

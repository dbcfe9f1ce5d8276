package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/reference"
)

var only = flag.String("transcripts", "", "run only the transcripts whose path contains this")

var update = flag.String("update", "", "rewrite the transcripts' replies from a world: redis or miniserver")

// RedisTraits returns the traits of a redis-server of the given version.
func RedisTraits(version string) Traits {
	return Traits{Name: "redis", Tags: []string{"redis"}, Version: version, Sleep: longSleep}
}

// Redis starts a redis-server as a world that speaks proto. See reference.Start.
func Redis(t testing.TB, proto int) *Server {
	t.Helper()
	server := reference.Start(t)
	traits := RedisTraits(server.Version(t))
	traits.Proto = proto
	w, err := Connect("unix", server.Socket, traits)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// Files returns the transcripts below dir.
func Files(t testing.TB, dir string) []*File {
	t.Helper()
	var files []*File
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".txt") || !strings.Contains(filepath.ToSlash(path), *only) {
			return err
		}
		f, err := Load(path)
		files = append(files, f)
		return err
	})
	must(t, err)
	if len(files) == 0 {
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

// RunFiles runs each file as a subtest named by its path below dir.
func RunFiles(t *testing.T, w World, dir string, files []*File) {
	for _, f := range files {
		name, err := filepath.Rel(dir, f.Name)
		must(t, err)
		t.Run(strings.TrimSuffix(filepath.ToSlash(name), ".txt"), func(t *testing.T) {
			out, err := f.runInTime(w)
			for _, m := range out.Mismatches {
				t.Errorf("in %s:\n%s", w.Traits().Name, m)
			}
			must(t, err)
			if out.LeftOut > 0 {
				t.Logf("%s cannot run %d of %d steps", w.Traits().Name, out.LeftOut, out.Ran+out.LeftOut)
			}
		})
	}
}

// retryFor is how long a file is run again after its world's clock slipped.
const retryFor = 2 * time.Minute

// runInTime runs the file. It runs it again while replies are wrong and the world's clock has slipped: a
// test of 20 milliseconds is void on a machine that stood still for 50.
func (f *File) runInTime(w World) (Outcome, error) {
	for end := time.Now().Add(retryFor); ; {
		out, err := f.Run(w)
		if err != nil || len(out.Mismatches) == 0 || !out.Slipped || time.Now().After(end) {
			return out, err
		}
	}
}

// Updating rewrites the files below dir if the flag -update is set, and then reports true: the test must
// return. ours opens the world for -update=miniserver.
func Updating(t *testing.T, dir string, ours func() World) bool {
	t.Helper()
	var w World
	var theirs *Traits
	switch *update {
	case "":
		return false
	case "redis":
		server := Redis(t, 2)
		server.Quiet = 3 * quietPeriod
		w = server
	case "miniserver":
		w = ours()
		traits := RedisTraits("7.0.15")
		theirs = &traits
	default:
		t.Fatalf("-update=%s: not redis or miniserver", *update)
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

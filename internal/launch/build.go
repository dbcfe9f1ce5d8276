package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

// built is the program, once built with some flags.
type built struct {
	flags []string
	once  sync.Once
	path  string
	err   error
}

// Without a profile it shares more of what the tests have compiled.
var ours, checked = &built{}, &built{flags: []string{"-tags=invariants", "-pgo=off"}}

// Ours returns the path of the program, which it builds when it is first asked. Tests that ask have
// a TestMain that calls Run.
func Ours() (string, error) { return ours.program() }

// Checked is Ours for a program that checks itself while it runs, and ends when it finds something
// wrong: see package invariants.
func Checked() (string, error) { return checked.program() }

func (b *built) program() (string, error) {
	b.once.Do(func() {
		var root string
		if root, b.err = Root(); b.err == nil {
			b.path, b.err = Build(root, "./cmd/miniserver", b.flags...)
		}
	})
	return b.path, b.err
}

// Run runs the tests of a package, a *testing.M, and removes what Ours and Checked have built. It
// returns the code to exit with.
func Run(m interface{ Run() int }) int {
	defer func() {
		for _, b := range []*built{ours, checked} {
			if b.path != "" {
				os.RemoveAll(filepath.Dir(b.path))
			}
		}
	}()
	return m.Run()
}

// Build compiles the package, a path relative to the module's root such as "./cmd/miniserver", with
// further flags of go build, and returns the path of the binary. The caller removes its directory.
// It is go run that compiles, with cp in place of the program: go run keeps what it linked for the
// next time, while go build links again, which takes seconds.
func Build(root, pkg string, flags ...string) (string, error) {
	dir, err := os.MkdirTemp("", "build")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(pkg))
	build := exec.Command("go", slices.Concat([]string{"run", "-exec", "cp"}, flags, []string{pkg, path})...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("go run -exec cp %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

// Root returns the directory of the server's module, which the working directory is in or below.
// Other modules, such as bench, are parts of it.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
		if bytes.HasPrefix(text, []byte("module github.com/miniserver-go/miniserver\n")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the working directory is not in the module of miniserver")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

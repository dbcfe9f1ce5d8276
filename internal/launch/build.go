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

// ours is the program, once built.
var ours struct {
	once sync.Once
	path string
	err  error
}

// Ours returns the path of the program, which it builds when it is first asked. Tests that ask have
// a TestMain that calls Run.
func Ours() (string, error) {
	ours.once.Do(func() {
		var root string
		if root, ours.err = Root(); ours.err == nil {
			ours.path, ours.err = Build(root, "./cmd/miniserver")
		}
	})
	return ours.path, ours.err
}

// Run runs the tests of a package, a *testing.M, and removes what Ours has built. It returns the
// code to exit with.
func Run(m interface{ Run() int }) int {
	defer func() {
		if ours.path != "" {
			os.RemoveAll(filepath.Dir(ours.path))
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

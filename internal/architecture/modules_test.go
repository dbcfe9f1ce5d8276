package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModules: each module is in the workspace, and the workspace gives the program no other
// version of anything than go.mod alone, by which it is released.
func TestModules(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	var folders []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" {
			folders = append(folders, filepath.Dir(path))
		}
		return err
	}))
	require.ElementsMatch(t, folders, list(t, "", "-m", "-f", "{{.Dir}}"))
	versions := []string{"-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/miniserver"}
	require.Equal(t, list(t, "off", versions...), list(t, "", versions...))
}

// list runs go list in the root of the repository with a value of GOWORK.
func list(t *testing.T, work string, args ...string) []string {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "GOWORK="+work)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// TestTheServerRequiresLittle: whoever imports the package miniserver gets all that its module
// requires.
func TestTheServerRequiresLittle(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	var direct []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") && !strings.HasSuffix(line, "// indirect\n") {
			direct = append(direct, strings.TrimSpace(line))
		}
	}
	require.LessOrEqual(t, len(direct), 13, strings.Join(direct, "\n"))
}

// TestTheServerLinksLittle: a test that runs a server links none of what only the program has, and
// so its module requires no library that is only for that.
func TestTheServerLinksLittle(t *testing.T) {
	left := []string{"internal/group", "internal/console", "internal/cli", "scripting/dap", "scripting/lint", "bench"}
	for _, pkg := range list(t, "", "-deps", ".", "./miniredis") {
		for _, l := range left {
			require.False(t, strings.HasPrefix(pkg+"/", module+l+"/"), pkg)
		}
		host, _, _ := strings.Cut(pkg, "/")
		known := strings.HasPrefix(pkg+"/", module) || strings.HasPrefix(pkg, "golang.org/x/sys/") ||
			pkg == "github.com/google/btree"
		require.True(t, known || !strings.Contains(host, "."), "%s is new in every test", pkg)
	}
}

// TestImageIsMadeOfAllPackages: what Dockerfile.dockerignore keeps from the build of the image is
// not in the program.
func TestImageIsMadeOfAllPackages(t *testing.T) {
	ignored, err := os.ReadFile(filepath.Join("..", "..", "packaging", "Dockerfile.dockerignore"))
	require.NoError(t, err)
	for _, pkg := range list(t, "", "-deps", "./cmd/miniserver") {
		for _, folder := range strings.Fields(string(ignored)) {
			require.False(t, strings.HasPrefix(pkg+"/", module+folder+"/"), "%s is in Dockerfile.dockerignore", pkg)
		}
	}
}

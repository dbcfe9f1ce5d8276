//go:build unix

package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// step is what a run of setup/setup.sh leaves.
type step struct {
	dir     string // of the program
	printed string
	outputs map[string]string
	err     error
}

// setUp runs setup/setup.sh as a runner of GitHub does, with a release that has a program.
func setUp(t *testing.T, program string, env ...string) (s step) {
	reference.Require(t, "curl")
	root, err := launch.Root()
	require.NoError(t, err)
	dir := t.TempDir()
	s.dir = filepath.Join(dir, "miniserver")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(root, "setup", "setup.sh"))
	systems := map[string]string{"linux": "Linux", "darwin": "macOS"}
	processors := map[string]string{"amd64": "X64", "arm64": "ARM64"}
	c.Env = append(os.Environ(), "RELEASES=file://"+release(t, program), "VERSION=1.2.3", "PORT=0",
		"OPTIONS=--test-kit yes", "RUNNER_OS="+systems[runtime.GOOS], "RUNNER_ARCH="+processors[runtime.GOARCH],
		"RUNNER_TEMP="+dir, "GITHUB_PATH="+filepath.Join(dir, "path"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
	c.Env = append(c.Env, env...)
	out, err := c.CombinedOutput()
	s.printed, s.err, s.outputs = string(out), err, make(map[string]string)
	lines, _ := os.ReadFile(filepath.Join(dir, "output"))
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		s.outputs[name] = value
	}
	return s
}

// release makes a folder with the files of the release 1.2.3, which has a program.
func release(t *testing.T, program string) (dir string) {
	dir = t.TempDir()
	files := filepath.Join(dir, "download", "v1.2.3")
	require.NoError(t, os.MkdirAll(files, 0o755))
	bytes, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "miniserver"), bytes, 0o755))
	name := fmt.Sprintf("miniserver_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	text, err := exec.Command("tar", "-czf", filepath.Join(files, name), "-C", dir, "miniserver").CombinedOutput()
	require.NoError(t, err, "%s", text)
	archive, err := os.ReadFile(filepath.Join(files, name))
	require.NoError(t, err)
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), name)
	require.NoError(t, os.WriteFile(filepath.Join(files, "checksums.txt"), []byte(sums), 0o644))
	return dir
}

func TestSetupStartsTheProgram(t *testing.T) {
	s := setUp(t, built(t))
	require.NoError(t, s.err, s.printed)
	require.Equal(t, "redis://127.0.0.1:"+s.outputs["port"], s.outputs["url"])
	addr := "127.0.0.1:" + s.outputs["port"]
	require.Equal(t, "$7", ask(t, "tcp", addr, "MINI.WORLD NAME"))
	require.Empty(t, ask(t, "tcp", addr, "SHUTDOWN"))
}

// The tests of all kits know these programs too.
func TestSetupSaysWhatDoesNotStart(t *testing.T) {
	quick.Outside(t)
	reference.Require(t, "ps")
	root, err := launch.Root()
	require.NoError(t, err)
	dir := t.TempDir()
	text, err := exec.Command(filepath.Join(root, "clients", "testdata", "hostile"), dir).CombinedOutput()
	require.NoError(t, err, "%s", text)
	for _, name := range []string{"ends", "silent", "leaves", "greets", "nothing", "endless", "hangs", "stubborn"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var env []string
			if _, err := os.Stat(filepath.Join(dir, name, "hangs")); err == nil {
				env = append(env, "MINISERVER_START_TIMEOUT=1")
			}
			s := setUp(t, filepath.Join(dir, name, "miniserver"), env...)
			require.Error(t, s.err)
			require.Empty(t, s.outputs)
			reason, err := os.ReadFile(filepath.Join(dir, name, "reason"))
			require.NoError(t, err)
			told := regexp.MustCompile(`printed .* in`).ReplaceAllString(strings.TrimSpace(string(reason)), "printed .* in")
			require.Regexp(t, "miniserver does not start: "+s.dir+"/miniserver "+told, s.printed)
			pids, err := os.ReadFile(filepath.Join(s.dir, "pids"))
			require.NoError(t, err)
			for _, pid := range strings.Fields(string(pids)) {
				require.Eventually(t, func() bool { return !runs(pid) }, time.Minute, 10*time.Millisecond)
			}
		})
	}
}

// runs reports whether a process runs. One that has ended may stay until its parent asks how.
func runs(pid string) bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return len(state) > 0 && state[0] != 'Z'
}

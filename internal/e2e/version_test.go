package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestVersionOfARelease reads what a program with a stamped version prints, as programs that start
// a redis-server do.
func TestVersionOfARelease(t *testing.T) {
	quick.Outside(t)
	root, err := launch.Root()
	require.NoError(t, err)
	path, err := launch.Build(root, "./cmd/miniserver", "-ldflags",
		"-X github.com/miniserver-go/miniserver/internal/build.stamped=0.1.0")
	require.NoError(t, err)
	defer os.RemoveAll(filepath.Dir(path))
	ours := versionOf(t, path)
	for _, reader := range []string{
		`\d+(?:\.\d+)+`,             // pytest-redis: the first number with points
		`Redis server v=([\w.]+).+`, // Puppet
		`v=(\d+\.\d+\.\d+)`,
		`^\S+ \S+ v=(\S+) sha=`, // the third word
	} {
		found := regexp.MustCompile(reader).FindStringSubmatch(ours)
		require.NotEmpty(t, found, "%s in %s", reader, ours)
		require.Equal(t, "8.6.3", found[len(found)-1], reader)
	}
	require.Contains(t, ours, "\nminiserver 0.1.0\n")
	require.Equal(t, "8.6.3", launch.Version(path))

	theirs := versionOf(t, reference.Default.Path(t))
	words := func(text string) string {
		line, _, _ := strings.Cut(text, "\n")
		return regexp.MustCompile(`=\S+`).ReplaceAllString(line, "=")
	}
	require.Equal(t, words(theirs), words(ours))
}

func versionOf(t *testing.T, path string) string {
	out, err := exec.Command(path, "--version").Output()
	require.NoError(t, err)
	return string(out)
}

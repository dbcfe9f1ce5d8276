package e2e

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // tests leave thousands of engines behind
	os.Exit(launch.Run(m))
}

// built returns the path of the program, for tests of processes, into which the race detector does
// not see.
func built(t *testing.T) string {
	t.Helper()
	quick.Outside(t)
	binary, err := launch.Checked()
	require.NoError(t, err)
	return binary
}

// run runs the program in this process.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	return cli.Run(ctx, args, in, out)
}

// write writes a file of this name, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

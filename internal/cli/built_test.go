package cli

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // tests leave thousands of engines behind
	os.Exit(launch.Run(m))
}

// built returns the path of the program, for tests of processes, into which the race detector does not see.
func built(t *testing.T) string {
	t.Helper()
	quick.Outside(t)
	binary, err := launch.Ours()
	require.NoError(t, err)
	return binary
}

package launch_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

func TestServersStartAnswerAndEnd(t *testing.T) {
	path := reference.Require(t, "redis-server")
	for _, unix := range []bool{false, true} {
		s, err := launch.Start(launch.Spec{Path: path, Unix: unix})
		require.NoError(t, err)
		require.DirExists(t, s.Dir)
		require.NoError(t, s.Stop())
		require.NoDirExists(t, s.Dir)
		_, err = net.Dial(s.Network, s.Address)
		require.Error(t, err)
	}
}

func TestStartSaysWhyAServerEnded(t *testing.T) {
	path := reference.Require(t, "redis-server")
	_, err := launch.Start(launch.Spec{Path: path, Args: []string{"--maxmemory", "nonsense"}})
	require.ErrorContains(t, err, "ended at once")
}

func TestRootHoldsTheModule(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "go.mod"))
	t.Chdir(filepath.Join(root, "bench"))
	above, err := launch.Root()
	require.NoError(t, err)
	require.Equal(t, root, above)
}

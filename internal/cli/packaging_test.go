package cli

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var updatePackaging = flag.Bool("update-packaging", false, "write the manual pages to packaging")

// requireMade requires that a directory has these files and no others. With -update-packaging it
// writes them.
func requireMade(t *testing.T, directory string, files map[string]string) {
	if *updatePackaging {
		require.NoError(t, os.RemoveAll(directory))
		require.NoError(t, os.MkdirAll(directory, 0o755))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644))
		}
	}
	there, err := fs.Glob(os.DirFS(directory), "*")
	require.NoError(t, err)
	require.Len(t, there, len(files))
	for name, text := range files {
		written, err := os.ReadFile(filepath.Join(directory, name))
		require.NoError(t, err)
		require.Equal(t, text, string(written), "%s: go test ./internal/cli -run Packaged -update-packaging", name)
	}
}

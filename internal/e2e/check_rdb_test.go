package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

func TestCheckSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.rdb")
	_, h := ours(t, filepath.Dir(path))
	h.run("SET a 1", "SET b 1 PX 100000", "SAVE")
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"check-rdb", path}, nil, &out))
	require.Contains(t, out.String(), "AUX FIELD redis-ver = '8.6.3'\n")
	require.Contains(t, out.String(), "RDB looks OK")
	require.Contains(t, out.String(), "[info] 2 keys read\n[info] 1 expires\n")
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range [][]byte{file[:len(file)-3], append(file[:len(file):len(file)], 'x'), []byte("REDIS0099")} {
		out.Reset()
		require.NoError(t, os.WriteFile(path, damaged, 0o644))
		require.ErrorIs(t, run(t.Context(), []string{"check-rdb", path}, nil, &out), subcommand.ErrPrinted)
		require.Contains(t, out.String(), "--- RDB ERROR DETECTED ---\n[offset ")
	}
	require.Error(t, run(t.Context(), []string{"check-rdb", "none"}, nil, &out))
}

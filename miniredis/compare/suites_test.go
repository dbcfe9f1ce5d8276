package compare

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSuitesWithOneOtherImport compiles the suites with our import in place of the original's,
// which is all that changes in them, and runs them. With the original go test ./suites runs them.
func TestSuitesWithOneOtherImport(t *testing.T) {
	files, err := filepath.Glob("suites/*_test.go")
	require.NoError(t, err)
	require.Len(t, files, 4)
	replace := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `"`+theirs+`"`)
		copied := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(copied, []byte(strings.ReplaceAll(string(text), theirs, ours)), 0o644))
		path, err := filepath.Abs(file)
		require.NoError(t, err)
		replace[path] = copied
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, text, 0o644))
	args := []string{"test", "-vet=off", "-count=1", "-v", "-overlay", overlay, "./suites"}
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, strings.Count(string(out), "=== RUN"), strings.Count(string(out), "--- PASS"), "%s", out)
	deps, err := exec.Command("go", "list", "-deps", "-test", "-overlay", overlay, "./suites").Output()
	require.NoError(t, err)
	require.NotContains(t, string(deps), theirs)
	require.Contains(t, string(deps), ours)
}

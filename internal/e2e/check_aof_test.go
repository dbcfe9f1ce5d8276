package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// check runs check-aof, which asks whether to fix a file.
func check(t *testing.T, path, answer string, fix bool) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), []string{"check-aof", fmt.Sprintf("--fix=%t", fix), path}, strings.NewReader(answer), &out)
	return out.String(), err
}

// Check and redis-check-aof agree on which files are valid, and on what to cut off.
func TestCheckAsRedisDoes(t *testing.T) {
	theirs := reference.Require(t, "redis-check-aof")
	dir := t.TempDir()
	p, h := ours(t, dir, "--appendonly", "yes")
	h.run(`SET text "a \xff"`, "SET dated 1 PXAT 4000000000000",
		"RPUSH list a b 3", "SADD set a b", "HSET hash f v", "ZADD zset 1 a",
		"XADD stream 1-1 f v", "MULTI", "SET tx 1", "SELECT 5", "INCR tx", "EXEC", "SELECT 0", "BGREWRITEAOF")
	require.Eventually(t, func() bool {
		return strings.Contains(h.ok("INFO", "persistence").Text, "aof_rewrite_in_progress:0")
	}, time.Minute, time.Millisecond)
	h.run("SET a 1", "MULTI", "SET b 2", "EXEC", "SET c 3")
	p.Journal.Close()
	manifest := filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest")
	incr := filepath.Join(dir, "appendonlydir", "appendonly.aof.2.incr.aof")
	whole, err := os.ReadFile(incr)
	require.NoError(t, err)
	for _, cut := range []int{len(whole), len(whole) - 1, len(whole) - 40, 60, 30, 10} {
		require.NoError(t, os.WriteFile(incr, whole[:cut], 0o644))
		_, ours := check(t, manifest, "", false)
		require.Equal(t, exec.Command(theirs, manifest).Run() == nil, ours == nil, "cut at %d", cut)
		if ours == nil {
			continue
		}
		_, err := check(t, manifest, "y\n", true)
		require.NoError(t, err)
		fixed, err := os.ReadFile(incr)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(incr, whole[:cut], 0o644))
		fix := exec.Command(theirs, "--fix", manifest)
		fix.Stdin = strings.NewReader("y\n")
		require.NoError(t, fix.Run())
		text, err := os.ReadFile(incr)
		require.NoError(t, err)
		require.Equal(t, string(text), string(fixed), "cut at %d", cut)
	}
	base := filepath.Join(dir, "appendonlydir", "appendonly.aof.2.base.rdb")
	require.NoError(t, os.WriteFile(base, []byte("REDIS0009"), 0o644))
	out, err := check(t, manifest, "y\n", true)
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	require.Contains(t, out, "can't be fixed")
	require.NotErrorIs(t, err, io.EOF)
}

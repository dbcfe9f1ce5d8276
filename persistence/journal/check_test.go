package journal

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

func check(t *testing.T, path, answer string, fix bool) (string, error) {
	t.Helper()
	var out strings.Builder
	err := Check{Out: &out, In: strings.NewReader(answer), Fix: fix}.Run(path)
	return out.String(), err
}

const damaged = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n"

func TestCheckSingleFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.aof")
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o644))
	out, err := check(t, path, "", false)
	require.ErrorIs(t, err, ErrInvalid)
	require.Contains(t, out, "the file ends in the middle of the command at byte 42")
	require.Contains(t, out, "size=55, ok_up_to=27, diff=28")
	out, err = check(t, path, "n\n", true)
	require.ErrorIs(t, err, ErrInvalid)
	require.Contains(t, out, "Continue? [y/N]: Aborting...")
	out, err = check(t, path, "y\n", true)
	require.NoError(t, err)
	require.Contains(t, out, "Successfully truncated AOF")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, damaged[:27], string(text))
	out, err = check(t, path, "", false)
	require.NoError(t, err)
	require.Contains(t, out, "x.aof is valid")
	_, err = check(t, path+"x", "", false)
	require.ErrorContains(t, err, "cannot open file")
}

// What is valid to us is to redis-check-aof, and what it cuts off we do.
func TestCheckAsRedisDoes(t *testing.T) {
	theirs := reference.Require(t, "redis-check-aof")
	dir := t.TempDir()
	s := start(t, OS{}, "dir", dir)
	s.run(theirTypes)
	s.journal.attendNow(true)
	s.run("SET a 1\nMULTI\nSET b 2\nEXEC\nSET c 3")
	s.journal.Close()
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
	require.ErrorIs(t, err, ErrInvalid)
	require.Contains(t, out, "can't be fixed")
	require.NotErrorIs(t, err, io.EOF)
}

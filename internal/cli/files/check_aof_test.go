package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

func check(t *testing.T, path, answer string, fix bool) (string, error) {
	t.Helper()
	var out strings.Builder
	err := aofCheck{out: &out, in: strings.NewReader(answer), fix: fix}.run(path)
	return out.String(), err
}

const damaged = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n"

func TestCheckSingleFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.aof")
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o644))
	out, err := check(t, path, "", false)
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	require.Contains(t, out, "the file ends in the middle of the command at byte 42")
	require.Contains(t, out, "size=55, ok_up_to=27, diff=28")
	out, err = check(t, path, "n\n", true)
	require.ErrorIs(t, err, subcommand.ErrPrinted)
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

// TestCutAtATime: what follows a later timestamp is cut off, as by redis-check-aof
// --truncate-to-timestamp.
func TestCutAtATime(t *testing.T) {
	const early, later = "#TS:100\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n", "#TS:200\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n"
	const half = "*1\r\n$5\r\nMULTI\r\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "x.aof")
	until := func(text string, unix int64, args ...string) (out, left string, err error) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		var b strings.Builder
		err = aofCheck{out: &b, until: unix}.run(filepath.Join(dir, append(args, "x.aof")[0]))
		after, failure := os.ReadFile(path)
		require.NoError(t, failure)
		return strings.ReplaceAll(b.String(), dir+"/", ""), string(after), err
	}
	theirs, theirError := exec.LookPath("redis-check-aof")
	for _, c := range []struct {
		unix int64
		says string
		left string
	}{
		{250, "Truncate nothing in AOF x.aof to timestamp 250\n", early + later},
		{200, "Truncate nothing in AOF x.aof to timestamp 200\n", early + later},
		{150, "Successfully truncated AOF x.aof to timestamp 150\n", early},
		{99, "AOF x.aof has nothing before timestamp 99, aborting...\n", early + later},
	} {
		out, left, err := until(early+later, c.unix)
		require.Contains(t, out, c.says)
		require.Equal(t, c.left, left)
		require.Equal(t, c.unix < 100, err != nil)
		if theirError == nil {
			require.NoError(t, os.WriteFile(path, []byte(early+later), 0o644))
			said, _ := exec.Command(theirs, "--truncate-to-timestamp", strconv.FormatInt(c.unix, 10), path).
				CombinedOutput()
			require.Contains(t, strings.ReplaceAll(string(said), dir+"/", ""), c.says)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, c.left, string(text))
		}
	}
	_, left, err := until(early+half+later, 150)
	require.NoError(t, err)
	require.Equal(t, early, left, "no half of a transaction")
	_, _, err = until(early+later+half, 250)
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	_, _, err = until("#TS:x\r\n"+early, 250)
	require.ErrorIs(t, err, subcommand.ErrPrinted)

	manifest := "file x.aof seq 1 type b\nfile y.aof seq 1 type i\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.manifest"), []byte(manifest), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y.aof"), []byte(later), 0o644))
	out, left, err := until(early+later, 150, "m.manifest")
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	require.Contains(t, out, "because it is not the last file")
	require.Equal(t, early+later, left)
}

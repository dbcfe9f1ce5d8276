package journal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

const oneSet = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"

// damaged are ends of append-only files, with aof-load-corrupt-tail-max-size and what Redis 8.6
// leaves of them: negative if it does not start.
var damaged = []struct {
	tail        string
	most, stays int
}{
	{"garbage", 8, len(oneSet)},
	{"garbage", 7, -1},
	{"garbage", 0, -1},
	{oneSet + "garbage", 8, 2 * len(oneSet)},
	{"garbage" + oneSet, 8, -1},
	{"garbage" + oneSet, 100, len(oneSet)},
	{"*1\r\n$3\r\nfoo\r\n", 100, -1},
	{"*2\r\n$4\r\nINCR\r\n", 1, len(oneSet)}, // truncated, not damaged
}

// A damaged end is cut off as Redis does.
func TestCorruptTails(t *testing.T) {
	for _, c := range damaged {
		dir, file := damagedJournal(t, c.tail)
		s := begin(t, OS{}, "appendonly", "yes", "dir", dir, "aof-load-corrupt-tail-max-size", strconv.Itoa(c.most))
		err := s.journal.Load()
		s.journal.Close()
		require.Equal(t, c.stays >= 0, err == nil, "%q %d: %v", c.tail, c.most, err)
		requireSize(t, file, c.tail, c.stays)
	}
}

// A transaction with a damaged command goes as a whole.
func TestCorruptTransactions(t *testing.T) {
	dir, file := damagedJournal(t, "*1\r\n$5\r\nMULTI\r\n"+oneSet+"garbage")
	s := start(t, OS{}, "dir", dir, "aof-load-corrupt-tail-max-size", "100")
	require.Equal(t, "$1\r\n1\r\n", s.do("GET", "a"))
	requireSize(t, file, "", len(oneSet))
}

func TestRedisCutsOffTheSameTails(t *testing.T) {
	path := reference.Release("redis:8.6").Path(t)
	for _, c := range damaged {
		dir, file := damagedJournal(t, c.tail)
		args := []string{"--dir", dir, "--appendonly", "yes", "--aof-load-corrupt-tail-max-size", strconv.Itoa(c.most)}
		if c.stays < 0 {
			require.Error(t, exec.Command(path, append(args, "--port", "0")...).Run(), "%q %d", c.tail, c.most)
			requireSize(t, file, c.tail, c.stays)
			continue
		}
		process, err := launch.Start(launch.Spec{Path: path, Unix: true, Args: args})
		require.NoError(t, err)
		await(t, fmt.Sprintf("%q is cut off", c.tail), func() bool {
			info, err := os.Stat(file)
			return err == nil && info.Size() == int64(c.stays)
		})
		require.NoError(t, process.Stop())
	}
}

// damagedJournal makes a directory with an append-only file that ends with a text behind a command.
func damagedJournal(t *testing.T, tail string) (dir, file string) {
	dir = t.TempDir()
	file = filepath.Join(dir, "appendonlydir", "appendonly.aof.1.incr.aof")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(oneSet+tail), 0o644))
	manifest := filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest")
	require.NoError(t, os.WriteFile(manifest, fmt.Appendf(nil, "file %s seq 1 type i\n", filepath.Base(file)), 0o644))
	return dir, file
}

// requireSize checks what is left of the file.
func requireSize(t *testing.T, file, tail string, stays int) {
	t.Helper()
	if stays < 0 {
		stays = len(oneSet) + len(tail)
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, stays, info.Size(), "%q", tail)
}

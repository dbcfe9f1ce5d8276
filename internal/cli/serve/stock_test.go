package serve

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// TestStockFilesAreRead gives the server the lines of the files that came with real ones, in one
// file and each by itself.
func TestStockFilesAreRead(t *testing.T) {
	_, err := buildWith(t, "", "testdata/stock.conf")
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/stock.conf")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		_, err := buildWith(t, line, "-")
		require.NoError(t, err, line)
	}
}

// TestSettingsThatRealServersTake gives each line that a real server takes to this one: the names
// of its settings with their values, with an empty value and with none, and lines that it only
// skips.
func TestSettingsThatRealServersTake(t *testing.T) {
	for _, r := range []reference.Release{"redis:8.6", "valkey:9.1", reference.Default} {
		t.Run(string(r), func(t *testing.T) {
			real := stockServer{r.Path(t)}
			taken := 0
			for _, line := range real.taken(t, real.lines(t, r)) {
				if !slices.Contains(refusedHere, line) {
					taken++
					_, err := buildWith(t, line+"\n", "-")
					assert.True(t, err == nil || strings.Contains(err.Error(), "does not support"), "%s: %v", line, err)
				}
			}
			require.Greater(t, taken, 150)
		})
	}
}

// refusedHere are lines that real servers take: the name of a snapshot that cannot be saved, and
// what a module looks at later.
var refusedHere = []string{`dbfilename ""`, `vset-force-single-threaded-execution ""`}

// stockServer is a server whose configuration is tried and that never runs.
type stockServer struct{ path string }

// lines returns lines with all settings that the server shows.
func (s stockServer) lines(t *testing.T, r reference.Release) []string {
	lines := []string{"list-max-ziplist-entries 512", "list-max-ziplist-value 64", "lua-replicate-commands yes",
		"lua-enable-deprecated-api yes", "SAVE", "save 900 1 300 10", "client-output-buffer-limit"}
	conn := r.Start(t).Dial(t)
	_, err := conn.Write([]byte("CONFIG GET *\r\n"))
	require.NoError(t, err)
	shown, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	for i := 0; i+1 < len(shown.Elems); i += 2 {
		name, value := shown.Elems[i].Text, shown.Elems[i+1].Text
		quoted := string(resp.Quote(nil, value))
		lines = append(lines, name, name+` ""`, name+" "+value, name+" "+quoted)
	}
	return lines
}

// taken returns those lines of a configuration that the server takes. The server stops at a line
// that it refuses, and says its number. The last one is refused by every server.
func (s stockServer) taken(t *testing.T, lines []string) (taken []string) {
	refused := regexp.MustCompile(`at line (\d+)\n>>> '`)
	for lines = append(lines, "include"); len(lines) > 0; {
		cmd := exec.Command(s.path, "-")
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(strings.Join(lines, "\n")+"\n")
		out, err := cmd.CombinedOutput()
		require.True(t, errors.As(err, new(*exec.ExitError)), "%s: %v", lines[0], err)
		at := refused.FindSubmatch(out)
		require.NotEmpty(t, at, "%s: %s", lines[0], out)
		number, err := strconv.Atoi(string(at[1]))
		require.NoError(t, err)
		taken, lines = append(taken, lines[:number-1]...), lines[number:]
	}
	return taken
}

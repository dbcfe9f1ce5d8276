package likeness

import (
	"flag"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
)

var update = flag.Bool("update", false, "write the differences of today to the files in testdata/todo")

func TestMain(m *testing.M) { os.Exit(launch.Run(m)) }

// Our server says of itself what the real server of each release says.
func TestSaysWhatTheReleaseSays(t *testing.T) {
	quick.Outside(t)
	path, err := launch.Ours()
	require.NoError(t, err)
	allowed, err := LoadAllowed("testdata/allowed.txt")
	require.NoError(t, err)
	for _, r := range []reference.Release{"redis:8.6", "redis:8.0", "redis:7.4", "redis:7.2", "redis:7.0", "redis:6.2",
		"valkey:9.1", "valkey:8.1", "redis-stack:7.4"} {
		t.Run(string(r), func(t *testing.T) {
			theirs, err := Ask(r.Start(t).Dial(t))
			require.NoError(t, err)
			ours, err := Ask(start(t, path, r))
			require.NoError(t, err)
			differ := slices.DeleteFunc(Differences(theirs, ours), isForeign)
			differ = slices.DeleteFunc(differ, isAbsence(t, string(r)))
			compare(t, r, Rest(differ, allowed, string(r)))
		})
	}
}

// lines are the commands of our server, of all releases.
var lines = tableOf(&release.Default)

// isForeign reports whether a difference is that we have a command that no Redis and no Valkey ever
// had.
func isForeign(difference string) bool {
	name, found := strings.CutSuffix(difference, ": absent | there")
	name, is := strings.CutPrefix(name, "command ")
	cmd := lines.Named(name)
	return found && is && cmd != nil && release.From(cmd.Since).Foreign()
}

// isAbsence reports whether a difference is that we lack a command, and that its family says so.
func isAbsence(t *testing.T, name string) func(difference string) bool {
	r, err := release.Find(name)
	require.NoError(t, err)
	var absent []string
	for _, a := range tableOf(r).Absent() {
		absent = append(absent, strings.Fields(a.Names)...)
	}
	return func(difference string) bool {
		command, found := strings.CutSuffix(difference, ": there | absent")
		command, is := strings.CutPrefix(command, "command ")
		return found && is && slices.Contains(absent, strings.ToLower(command))
	}
}

// start starts our server as the release and returns a connection.
func start(t *testing.T, path string, r reference.Release) net.Conn {
	process, err := launch.Start(launch.Spec{Path: path, Unix: true,
		Args: []string{"--like", string(r), "--enable-debug-command", "yes"}})
	require.NoError(t, err)
	t.Cleanup(func() { process.Stop() })
	conn, err := net.Dial(process.Network, process.Address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// compare fails the test for each difference that the release's list does not have, and for each
// line of it that is none.
func compare(t *testing.T, r reference.Release, found []string) {
	path := filepath.Join("testdata", "todo", strings.ReplaceAll(string(r), ":", "-")+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(append(found, ""), "\n")), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	listed := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range found {
		if !slices.Contains(listed, line) {
			t.Errorf("differs from %s: %s", r, line)
		}
	}
	for _, line := range listed {
		if line != "" && !slices.Contains(found, line) {
			t.Errorf("no longer differs from %s, delete from %s: %s", r, path, line)
		}
	}
}

func TestDifferencesNameBothTexts(t *testing.T) {
	long := strings.Repeat("same ", 10)
	require.Equal(t, []string{
		"a: 1 | absent", "b: absent | 2", "d: ame same same same same old | ame same same same same new"},
		Differences(Facts{"a": "1", "a b": "1", "c": "3", "d": long + "old"},
			Facts{"b": "2", "c": "3", "d": long + "new"}))
}

func TestKinds(t *testing.T) {
	for value, want := range map[string]string{
		"": "nothing", "yes": "switch", "-1": "integer", "1.05": "number", "99.5%": "percentage", "3.2M": "size",
		"0B": "size", "keys=1,expires=0": "[keys= expires=]", "/tmp/x": "text", "8.6.3": "text",
	} {
		require.Equal(t, want, kind(value), value)
	}
}

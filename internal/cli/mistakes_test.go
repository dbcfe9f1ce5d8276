package cli

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/resp"
)

var updateMistakes = flag.Bool("update-mistakes", false, "write what the program says to testdata/mistakes")

// Mistakes that users make on the command line and in configuration files, with what the program
// says. The files in testdata/mistakes are made of cases:
//
//	redis.conf| maxmemroy 1mb      a line of a file
//	$ miniserver redis.conf        the command
//	unknown setting ...            what it prints, standard output and standard error
//	(exit status 1)
//
// DIR is the directory of the files, PORT a port that another process has.
func TestMistakes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	files, err := filepath.Glob("testdata/mistakes/*.txt")
	require.NoError(t, err)
	cases := 0
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			absolute, _ := filepath.Abs(path)
			got, n := replayMistakes(t, string(golden), port)
			cases += n
			if *updateMistakes {
				require.NoError(t, os.WriteFile(absolute, []byte(got), 0o644))
			}
			require.Equal(t, string(golden), got)
			requireForUsers(t, got)
		})
	}
	require.GreaterOrEqual(t, cases, 50)
}

// replayMistakes returns the cases with what the program prints now.
func replayMistakes(t *testing.T, golden, port string) (got string, cases int) {
	dir := t.TempDir()
	t.Chdir(dir)
	var b strings.Builder
	kept := regexp.MustCompile(`(?m)^(#.*|\w[\w./-]*\|.*|\$ .*)\n`)
	for _, line := range kept.FindAllString(golden, -1) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		name, text, isFile := strings.Cut(line, "| ")
		b.WriteString(line)
		switch {
		case isCommand:
			cases++
			out := mistaken(t, strings.TrimSpace(strings.ReplaceAll(command, "PORT", port)))
			out = strings.ReplaceAll(strings.ReplaceAll(out, dir, "DIR"), port, "PORT")
			for pattern, with := range map[string]string{`by \S+ \(process \d+\)`: "by NAME (process N)",
				`as in --port \d+`: "as in --port N", `, port=\d+\.`: ", port=N.",
				`(?m)^\d+:M .*\.\d+ `: "PID:M TIME ", regexp.QuoteMeta(build.Version): "VERSION"} {
				out = regexp.MustCompile(pattern).ReplaceAllString(out, with)
			}
			b.WriteString(out)
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				require.NoError(t, os.RemoveAll(e.Name()))
			}
		case isFile && !strings.HasPrefix(line, "#"):
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
			require.NoError(t, err)
			_, err = f.WriteString(text)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	return b.String(), cases
}

// mistaken runs a command and returns what it prints, with its exit status.
func mistaken(t *testing.T, line string) string {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	words, ok := resp.Words([]byte(line), nil)
	require.True(t, ok, line)
	var args []string
	for _, w := range words[1:] {
		args = append(args, string(w))
	}
	var out strings.Builder
	in := ""
	if args[len(args)-1] == "-" {
		text, err := os.ReadFile("stdin")
		require.NoError(t, err)
		in = string(text)
	}
	status := subcommand.Report(&out, Run(ctx, args, strings.NewReader(in), &out))
	require.NoError(t, ctx.Err(), "%s: it serves", line)
	require.NotZero(t, status, line)
	return fmt.Sprintf("%s(exit status %d)\n\n", out.String(), status)
}

// requireForUsers finds names of Go's types and functions, and words of its system calls.
func requireForUsers(t *testing.T, text string) {
	for _, leak := range []string{`strconv\.`, `invalid syntax`, `\b(listen|dial|read|write) (tcp|unix)`, `(^|: )(open|stat|lstat|read|mkdir|chdir|fork/exec) \S+: `, `\*\w+\.\w`, `0x[0-9a-f]{6}`, `%!`, `\bnil\b`, `json: (cannot|unknown|invalid)`, `goroutine`, `panic:`, `\bEOF\b`, `\bflag\b`, `\bu?int\d+\b`, `\[\]byte`} {
		require.Empty(t, regexp.MustCompile("(?m)^.*"+leak+".*$").FindAllString(text, -1), leak)
	}
}

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

// loggedAsJSON runs the program until it logs the message, and returns all messages up to it.
func loggedAsJSON(t *testing.T, last string, args ...string) (messages []string, ended chan error) {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	out, in := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- run(ctx, args, nil, in); in.Close() }()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line struct {
			Time, Level, Msg, Role string
			PID                    int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		require.Equal(t, "master", line.Role)
		require.Equal(t, os.Getpid(), line.PID)
		messages = append(messages, line.Msg)
		if strings.Contains(line.Msg, last) {
			break
		}
	}
	go io.Copy(io.Discard, out)
	return messages, ended
}

// A dump.rdb in the working directory is loaded also by a server that keeps nothing, and the log
// says so.
func TestLogSaysThatASnapshotWasLoaded(t *testing.T) {
	dir := t.TempDir()
	lines := write(t, "lines", `{"db":0,"key":"a","type":"string","value":"x"}`+"\n"+`{"db":0,"key":"due","type":"string","deadline":1,"value":"x"}`+"\n")
	require.NoError(t, run(t.Context(), []string{"convert", "rdb", lines, filepath.Join(dir, "dump.rdb")},
		nil, io.Discard))
	messages, _ := loggedAsJSON(t, "Ready to accept connections tcp 127.0.0.1:", "--port", "0", "--bind", "127.0.0.1",
		"--dir", dir, "--log-format", "json")
	require.Len(t, messages, 5)
	require.Regexp(t, "^miniserver .*; no configuration file; data are kept in memory only$", messages[0])
	require.Equal(t, "DB loaded from disk: "+filepath.Join(dir, "dump.rdb")+
		", keys loaded: 1, keys expired: 1", messages[3])
	require.Regexp(t, `^Running mode=standalone, port=\d+\.$`, messages[1])
	require.Equal(t, "Server initialized", messages[2])
}

// Where lines of JSON are collected, the error that ends the server is one of them.
func TestTheEndIsLoggedAsJSON(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.rdb"), []byte("no snapshot"), 0o644))
	messages, ended := loggedAsJSON(t, "can't load", "--port", "0", "--dir", dir, "--log-format", "json")
	require.Contains(t, messages[3], "can't load the snapshot "+dir)
	var printed strings.Builder
	require.Equal(t, 1, subcommand.Report(&printed, <-ended))
	require.Empty(t, printed.String())

	file := filepath.Join(dir, "log")
	err := run(t.Context(), []string{"--port", "0", "--dir", dir, "--log-format", "json", "--logfile", file},
		nil, io.Discard)
	require.ErrorContains(t, err, "can't load the snapshot")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, bytes.Split(bytes.TrimSpace(text), []byte("\n")), 4)
	err = run(t.Context(),
		[]string{"--port", "0", "--log-format", "json", "--logfile", filepath.Join(dir, "no", "log")}, nil, io.Discard)
	require.ErrorIs(t, err, subcommand.ErrPrinted)
}

// The error that ends the server is a line of its log, like any other, wherever that is.
func TestTheEndIsLogged(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.rdb"), []byte("no snapshot"), 0o644))
	line := fmt.Sprintf(`(?m)^%d:M .* # can't load the snapshot %s`, os.Getpid(), dir)
	var log, printed strings.Builder
	err := run(t.Context(), []string{"--port", "0", "--dir", dir}, nil, &log)
	require.Regexp(t, line, log.String())
	require.Equal(t, 1, subcommand.Report(&printed, err))
	require.Empty(t, printed.String(), "it was printed")

	file := filepath.Join(dir, "log")
	err = run(t.Context(), []string{"--port", "0", "--dir", dir, "--logfile", file}, nil, io.Discard)
	text, errRead := os.ReadFile(file)
	require.NoError(t, errRead)
	require.Regexp(t, line, string(text))
	require.Equal(t, 1, subcommand.Report(&printed, err))
	require.Contains(t, printed.String(), "can't load the snapshot", "who starts it by hand reads no log")
}

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// readyLine is what the tests read of the line of ready-json.
type readyLine struct {
	URL, Version string
	Port, PID    int
	Addresses    []string
}

// The program prints one line and nothing else to standard output, and its port is in the file as
// long as it runs.
func TestReadyLineAndPortFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	c := exec.Command(built(t), "--port", "0", "--ready-json", "--port-file", file)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer c.Process.Kill()

	lines := bufio.NewReader(out)
	text, err := lines.ReadBytes('\n')
	require.NoError(t, err)
	var line readyLine
	require.NoError(t, json.Unmarshal(text, &line))
	require.Equal(t, c.Process.Pid, line.PID)
	require.Equal(t, "redis://"+line.Addresses[0], line.URL)
	require.Regexp(t, `^(\d+\.\d+\.\d+\S*|devel)$`, line.Version)
	port, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(line.Port)+"\n", string(port))
	require.Equal(t, "+PONG", ask(t, "tcp", line.Addresses[0], "PING"))

	require.Empty(t, ask(t, "tcp", line.Addresses[0], "SHUTDOWN"))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.NoError(t, c.Wait())
	require.Contains(t, log.String(), "Ready to accept connections")
	require.NoFileExists(t, file)
}

func TestPortFileThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	err := run(context.Background(), []string{"--port", "0", "--port-file", filepath.Join(dir, "none", "port")},
		nil, io.Discard)
	require.ErrorContains(t, err, "could not write the port")
	err = run(context.Background(), []string{"--port", "0", "--port-file", dir}, nil, io.Discard)
	require.ErrorContains(t, err, "could not write the port")
	require.DirExists(t, dir, "it stays, since the program did not write it")
}

func TestSwitchesMayStandAlone(t *testing.T) {
	out, in := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { in.CloseWithError(run(ctx, []string{"--ready-json", "yes", "--port", "0"}, nil, in)) }()
	text, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, text, `{"url":"redis://`)
	err = run(context.Background(), []string{"--appendonly"}, nil, io.Discard)
	require.ErrorContains(t, err, "wrong number of arguments", "as in Redis")
	err = run(context.Background(), []string{"--replicaof", "localhost:6379"}, nil, io.Discard)
	require.ErrorContains(t, err, "replicaof needs a host and a port, with a blank between them")
	err = run(context.Background(), []string{"--ready-json", "maybe"}, nil, io.Discard)
	require.ErrorContains(t, err, "argument must be 'yes' or 'no'")
}

func TestADaemonHasNoParent(t *testing.T) {
	err := run(context.Background(), []string{"--daemonize", "yes", "--exit-with-parent", "--port", "0"},
		nil, io.Discard)
	require.ErrorContains(t, err, "a daemon has no parent")
	err = run(context.Background(), []string{"--daemonize", "yes", "--exit-with-input", "--port", "0"}, nil, io.Discard)
	require.ErrorContains(t, err, "a daemon has no standard input")
}

// TestExitWithInput closes the other end of the program's standard input.
func TestExitWithInput(t *testing.T) {
	c := exec.Command(built(t), "--port", "0", "--ready-json", "--exit-with-input")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer c.Process.Kill()
	_, err = bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	_, err = io.WriteString(in, "what is written to it means nothing\n")
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, c.Wait())
}

// TestExitWithParent kills the shell that has started the program. One that was started without the
// option goes on.
func TestExitWithParent(t *testing.T) {
	binary := built(t)
	orphan := func(options ...string) net.Conn {
		args := append([]string{"-c", `"$@" & read end`, "sh", binary, "--port", "0", "--ready-json"}, options...)
		shell := exec.Command("/bin/sh", args...)
		_, err := shell.StdinPipe()
		require.NoError(t, err)
		out, err := shell.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, shell.Start())
		text, err := bufio.NewReader(out).ReadBytes('\n')
		require.NoError(t, err)
		var line readyLine
		require.NoError(t, json.Unmarshal(text, &line))
		conn, err := net.Dial("tcp", line.Addresses[0])
		require.NoError(t, err)
		require.NoError(t, shell.Process.Kill())
		_, _ = shell.Process.Wait()
		return conn
	}
	stays, ends := orphan(), orphan("--exit-with-parent")
	defer stays.Close()
	defer ends.Close()
	require.NoError(t, ends.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := ends.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)

	_, err = io.WriteString(stays, "PING\r\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(stays).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "+PONG", strings.TrimSpace(line))
	_, _ = io.WriteString(stays, "SHUTDOWN\r\n")
}

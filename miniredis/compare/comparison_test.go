package compare

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	original "github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// TestComparison: the table of README.md says what happens on each server when the commands of a
// row are sent, and how many of the commands of Redis 8.6 each knows. The column of fakeredis has a
// test in Python.
func TestComparison(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "internal", "readme", "testdata", "comparison.json"))
	require.NoError(t, err)
	var probes struct {
		Commands []string // of Redis 8.6
		Rows     []struct {
			Row      string
			Commands [][]string
		}
	}
	require.NoError(t, json.Unmarshal(text, &probes))
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	dialRedis := reference.Release("redis:8.6").Start(t).Dial
	require.Equal(t, commandsOf(t, dialRedis(t)), probes.Commands)
	for column, dial := range map[int]func(t testing.TB) net.Conn{
		0: dialOurs(t), 1: dialer("tcp", original.RunT(t).Addr()), 3: dialRedis} {
		cells := func(row string) string {
			at := slices.IndexFunc(strings.Split(string(page), "\n"),
				func(line string) bool { return strings.HasPrefix(line, "| "+row+" |") })
			require.GreaterOrEqual(t, at, 0, "README.md has no row %q", row)
			line := strings.Split(string(page), "\n")[at]
			return strings.Split(strings.Trim(strings.TrimPrefix(line, "| "+row), "| "), " | ")[column]
		}
		count := 0
		for _, name := range probes.Commands {
			if knows(t, dial(t), name) {
				count++
			}
		}
		row := fmt.Sprintf("commands of Redis 8.6, of %d", len(probes.Commands))
		require.Equal(t, fmt.Sprint(count), cells(row), column)
		for _, row := range probes.Rows {
			require.Equal(t, mark(t, dial(t), row.Commands), cells(row.Row), "%s, column %d", row.Row, column)
		}
	}
}

func TestMain(m *testing.M) { os.Exit(launch.Run(m)) }

// dialOurs starts a server of ours.
func dialOurs(t *testing.T) func(t testing.TB) net.Conn {
	path, err := launch.Ours()
	require.NoError(t, err)
	server, err := launch.Start(launch.Spec{Path: path, Args: []string{"--test-kit", "yes"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	return dialer(server.Network, server.Address)
}

// dialer returns what connects to a server for a test.
func dialer(network, address string) func(t testing.TB) net.Conn {
	return func(t testing.TB) net.Conn {
		conn, err := net.Dial(network, address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

// mark returns a check mark if no reply to some commands is an error, else a dash.
func mark(t *testing.T, conn net.Conn, commands [][]string) string {
	in := resp.NewReader(conn)
	for _, command := range commands {
		if v := send(t, conn, in, command); v.IsError() {
			return "–"
		}
	}
	return "✓"
}

// knows reports whether a server knows a command: it is sent with so many arguments that it does
// nothing that goes beyond the connection.
func knows(t *testing.T, conn net.Conn, name string) bool {
	v := send(t, conn, resp.NewReader(conn), append([]string{name}, slices.Repeat([]string{"x"}, 40)...))
	return !v.IsError() || !strings.Contains(strings.ToLower(v.Text), "unknown command")
}

func send(t *testing.T, conn net.Conn, in *resp.Reader, command []string) resp.Value {
	var line strings.Builder
	fmt.Fprintf(&line, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&line, "$%d\r\n%s\r\n", len(word), word)
	}
	_, err := conn.Write([]byte(line.String()))
	require.NoError(t, err)
	v, err := in.Read()
	require.NoError(t, err, command)
	return v
}

// internals are the commands that no client sends.
var internals = []string{"replconf", "psync", "sync", "restore-asking", "pfselftest", "pfdebug"}

// commandsOf returns the names of a server's commands for clients, without subcommands.
func commandsOf(t *testing.T, conn net.Conn) (names []string) {
	for _, v := range send(t, conn, resp.NewReader(conn), []string{"COMMAND", "LIST"}).Elems {
		if !strings.Contains(v.Text, "|") && !slices.Contains(internals, v.Text) {
			names = append(names, v.Text)
		}
	}
	slices.Sort(names)
	return names
}

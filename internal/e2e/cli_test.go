package e2e

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestCli runs the sub-command and redis-cli with the same arguments and input, each with a server
// of its own, and compares what they print, and whether they fail.
func TestCli(t *testing.T) {
	theirs := reference.Require(t, "redis-cli")
	var ports [2]string
	for i := range ports {
		addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--requirepass", "secret")
		_, ports[i], _ = net.SplitHostPort(addr)
	}
	script := write(t, "script.lua", "return {KEYS[1], ARGV[1], {1, 'a'}}")
	login := []string{"-p", "PORT", "-a", "secret", "--no-auth-warning"}
	for _, c := range []struct {
		args  []string
		input string
		alone bool // without the login
	}{
		{args: []string{"PING"}}, {args: []string{"SET", "k", "a \"b\" \xff"}},
		{args: []string{"GET", "k"}}, {args: []string{"--raw", "GET", "k"}}, {args: []string{"--no-raw", "GET", "k"}},
		{args: []string{"GET", "none"}}, {args: []string{"--raw", "GET", "none"}}, {args: []string{"GET", "-raw"}},
		{args: []string{"--no-raw", "RPUSH", "l", "1", "two", ""}},
		{args: []string{"LRANGE", "l", "0", "-1"}}, {args: []string{"--raw", "LRANGE", "l", "0", "-1"}},
		{args: []string{"HSET", "h", "f", "v", "g", "w"}},
		{args: []string{"-3", "HGETALL", "h"}}, {args: []string{"-3", "--no-raw", "HGETALL", "h"}},
		{args: []string{"--json", "HGETALL", "h"}}, {args: []string{"--json", "LRANGE", "l", "0", "-1"}},
		{args: []string{"--json", "ZADD", "z", "1.5", "m"}}, {args: []string{"--json", "ZSCORE", "z", "m"}},
		{args: []string{"NOPE"}}, {args: []string{"--no-raw", "NOPE"}}, {args: []string{"-e", "NOPE"}},
		{args: []string{"-n", "3", "--no-raw", "SET", "other", "1"}}, {args: []string{"-n", "3", "DBSIZE"}},
		{args: []string{"-r", "3", "INCR", "n"}}, {args: []string{"-x", "SET", "big"}, input: "one\ntwo\n"},
		{args: []string{"GET", "big"}}, {args: []string{"--eval", script, "a", ",", "b"}},
		{args: []string{"--no-raw", "--eval", script, "a", ",", "b", "c"}},
		{input: "SET 'a b' \"x\\ny\"\nGET 'a b'\nNOPE\n\nGET 'open\nDBSIZE\n"},
		{args: []string{"--no-raw"}, input: "GET k\nLRANGE l 0 0"},
		{args: []string{"-p", "PORT", "PING"}, alone: true},
		{args: []string{"-u", "redis://default:secret@127.0.0.1:PORT/3", "DBSIZE"}, alone: true},
		{args: []string{"-p", "PORT", "-a", "wrong", "PING"}, alone: true},
		{args: []string{"-p", "1", "PING"}, alone: true},
	} {
		if !c.alone {
			c.args = slices.Concat(login, c.args)
		}
		cmd := exec.Command(theirs, at(ports[0], c.args)...)
		cmd.Stdin = strings.NewReader(c.input)
		want, wantErr := cmd.Output()
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"redis-cli"}, at(ports[1], c.args)...),
			strings.NewReader(c.input), &out)
		require.Equal(t, string(want), out.String(), c.args)
		require.Equal(t, wantErr != nil, err != nil, "%v: %v, %v", c.args, wantErr, err)
	}
}

// at returns arguments with a port.
func at(port string, args []string) (list []string) {
	for _, arg := range args {
		list = append(list, strings.ReplaceAll(arg, "PORT", port))
	}
	return list
}

// Messages are printed as they come.
func TestCliSubscribes(t *testing.T) {
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1")
	_, port, _ := net.SplitHostPort(addr)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out := make(chan string, 10)
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"cli", "-p", port, "SUBSCRIBE", "news"}, nil, lineWriter(out)) }()
	require.Equal(t, "subscribe\nnews\n1\n", <-out)
	require.NoError(t, run(ctx, []string{"cli", "-p", port, "PUBLISH", "news", "hello"}, nil, lineWriter(out)))
	require.ElementsMatch(t, []string{"message\nnews\nhello\n", "1\n"}, []string{<-out, <-out})
	stop()
	require.Error(t, <-done)
}

// lineWriter sends what is written.
type lineWriter chan string

func (w lineWriter) Write(text []byte) (int, error) {
	w <- string(text)
	return len(text), nil
}

// The image has the program under the names of those of Redis and Valkey.
func TestImageHasNamesakes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are texts in a checkout there")
	}
	links, err := filepath.Glob("../../packaging/rootfs/bin/*")
	require.NoError(t, err)
	require.Len(t, links, 4)
	for _, link := range links {
		to, err := os.Readlink(link)
		require.NoError(t, err)
		require.Equal(t, "/miniserver", to)
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), []string{filepath.Base(link), "--version"}, nil, &out))
		require.Contains(t, out.String(), "8.6.3")
	}
}

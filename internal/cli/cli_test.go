package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

func TestVersionAndHelp(t *testing.T) {
	for args, want := range map[string]string{"-v": "\nminiserver ", "--version": "Redis server v=8.6.3 ",
		"-h": "Usage: ", "--help": "--unixsocket",
		"version": "v=8.6.3", "redis-server --version": "v=8.6.3", "valkey-server -h": "Usage: ",
		"help": "--unixsocket", "serve --help": "--unixsocket", "--help eval": "--show-keys",
		"help settings":  "maxmemory-policy ",
		"help maxmemory": "CONFIG SET maxmemory", "help appendfsync": "one of:           everysec always no\n",
		"completion bash": "__complete",
		"completion zsh":  "#compdef miniserver", "completion fish": "complete -c miniserver",
		"__complete --maxmemory-p": "--maxmemory-policy", "__complete --appendfsync ": "",
		"eval -h": "Usage: ", "check-aof --help": "Usage: ", "check-rdb -h": "Usage: ", "convert --help": "Usage: "} {
		var out strings.Builder
		require.NoError(t, Run(context.Background(), strings.Fields(args), nil, &out))
		require.Contains(t, out.String(), want, args)
	}
}

func TestToolsTellTheirUsage(t *testing.T) {
	for _, args := range []string{"eval", "check-aof", "check-rdb", "check-rdb a b", "convert", "convert json",
		"convert rdb a", "convert xml a b"} {
		require.ErrorContains(t, Run(context.Background(), strings.Fields(args), nil, io.Discard),
			"usage: miniserver "+strings.Fields(args)[0], args)
	}
}

func TestCheckAOF(t *testing.T) {
	file := write(t, "x.aof", "*1\r\n$8\r\nFLUSHALL\r\n*1\r\n$8\r\nFLU")
	var out strings.Builder
	require.ErrorIs(t, Run(context.Background(), []string{"check-aof", file}, nil, &out), subcommand.ErrPrinted)
	require.Contains(t, out.String(), "Use the --fix option")
	require.NoError(t, Run(context.Background(), []string{"check-aof", "--fix", file}, strings.NewReader("y\n"), &out))
	require.NoError(t, Run(context.Background(), []string{"check-aof", file}, nil, &out))
	require.ErrorContains(t, Run(context.Background(), []string{"check-aof"}, nil, &out), "usage: ")
	require.ErrorContains(t, Run(context.Background(), []string{"check-aof", file + "x"}, nil, &out),
		"cannot open file")
}

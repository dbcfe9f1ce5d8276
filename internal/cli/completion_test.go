package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

// Words are separated by commas here, since the last one may be empty.
func TestCompletion(t *testing.T) {
	for words, want := range map[string]string{
		// A file with settings may be meant, too.
		"c":                         "check-aof check-rdb cli cluster completion convert :0",
		"--port,7777,c":             ":0",
		"--maxmemory-po":            "--maxmemory-policy :4",
		"--appendfsync,":            "everysec always no :0",
		"redis.conf,--appendfsync,": ":0",
		"serve,--appendfsync,":      "everysec always no :0",
		"completion,":               "bash zsh fish :4",
		"completion,z":              "zsh :4",
		"completion,zsh,":           ":0",
		"convert,r":                 "resp rdb :4",
		"convert,json,":             ":0",
		"help,se":                   "serve settings :4",
		"eval,--s":                  "--seed --show-keys :4",
		"eval,--seed,1,--s":         "--show-keys :4",
		"eval,--seed=1,--s":         "--show-keys :4",
		"eval,--seed,":              ":0",
		"eval,--seed=":              ":0",
		"eval,--json,":              ":0",
		"eval,--no-such,":           ":0",
		"eval,--help,-":             ":4",
		"completion,--,-":           ":4", // an argument
		"eval,-": "--advance --at --cover --help -h --json --load --profile --seed " +
			"--show-keys --times :4",
		"__complete,no such thing,--": ":0",
	} {
		var out strings.Builder
		require.NoError(t,
			Run(t.Context(), append([]string{"__completeNoDesc"}, strings.Split(words, ",")...), nil, &out))
		require.Equal(t, want, strings.Join(strings.Fields(out.String()), " "), words)
	}
	var out strings.Builder
	require.NoError(t, Run(t.Context(), []string{"__complete", "rep"}, nil, &out))
	require.Regexp(t, `^repl\t\w.*\n:0\n$`, out.String())
	require.ErrorIs(t, Run(t.Context(), []string{"__complete"}, nil, &out), subcommand.ErrPrinted)
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

// The names of Redis' programs do what these do, with their exit statuses; those of programs that
// are not here say so.
func TestNamesakes(t *testing.T) {
	file := write(t, "x.aof", "*1\r\n$8\r\nFLUSHALL\r\n")
	damaged := write(t, "y.aof", "*1\r\n$8\r\nFLU")
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"/usr/bin/miniserver redis-check-aof " + file: {0, "AOF " + file + " is valid"},
		"/usr/bin/redis-check-aof " + file:            {0, "AOF " + file + " is valid"},
		"redis-check-aof.exe " + damaged: {1,
			"AOF " + damaged + " is not valid. Use the --fix option to try fixing it."},
		"valkey-check-aof --fix":                  {1, "usage: miniserver check-aof"},
		"miniserver check-aof":                    {2, "usage: miniserver check-aof"},
		"redis-check-rdb a b":                     {1, "usage: miniserver check-rdb"},
		"redis-check-rdb -v":                      {0, "redis-check-rdb v=8.6.3 sha="},
		"redis-server --version":                  {0, "Redis server v=8.6.3 sha="},
		"redis-benchmark":                         {2, "there is no redis-benchmark here"},
		"redis-cli --version":                     {0, "redis-cli 8.6.3\n"},
		"redis-cli -p 1 PING":                     {1, "Could not connect to Redis at 127.0.0.1:1: Connection refused"},
		"miniserver redis-sentinel sentinel.conf": {2, "a server with sentinel-masters"},
	} {
		var out strings.Builder
		require.Equal(t, want.status,
			subcommand.Report(&out, Run(t.Context(), words(strings.Fields(line)), strings.NewReader(""), &out)), line)
		require.Contains(t, out.String(), want.text, line)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

package serve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStorage compares what the first line says of what is kept where.
func TestStorage(t *testing.T) {
	dir := t.TempDir()
	for settings, want := range map[string]string{
		"":                               "memory only",
		"--appendonly yes":               "the append-only file, DIR/appendonlydir (appendfsync everysec)",
		"--save 60 1 --dbfilename x.rdb": "snapshots, DIR/x.rdb (save 60 1)",
		"--save 60 1 --appendonly yes --appendfsync no": "the append-only file, " +
			"DIR/appendonlydir (appendfsync no), and in snapshots, DIR/dump.rdb (save 60 1)",
		"--group-id 1 --group-members 1=127.0.0.1:1":                            "the log of the group, DIR/group",
		"--group-id 1 --group-members 1=127.0.0.1:1 --group-dir /g --save 60 1": "the log of the group, /g",
	} {
		p, err := buildWith(t, "", append(strings.Fields(settings), "--dir", dir)...)
		require.NoError(t, err, settings)
		require.Equal(t, strings.ReplaceAll(want, "DIR", dir), p.storage(), settings)
	}
}

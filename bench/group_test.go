package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestGroupMeasuresWhatIsConfirmed runs a workload on all setups, briefly.
func TestGroupMeasuresWhatIsConfirmed(t *testing.T) {
	quick.Skip(t, "starts servers")
	redis := reference.Require(t, "redis-server")
	root, err := launch.Root()
	require.NoError(t, err)
	ours, err := launch.Build(root, "./cmd/miniserver", "-pgo=off")
	require.NoError(t, err)
	defer os.RemoveAll(filepath.Dir(ours))

	list, stop, err := startDurable([]binary{{"redis", redis}, {"ours", ours}})
	defer stop()
	require.NoError(t, err)
	o := newOptions("group")
	o.filter = regexp.MustCompile("^SET, 50 clients, pipeline")
	table, err := o.measureDurable(list, 100*time.Millisecond)
	require.NoError(t, err)
	var servers []any
	for _, r := range table.rows {
		servers = append(servers, r["server"])
		require.Positive(t, r["kps"], r["server"])
		require.Positive(t, r["p99_ms"], r["server"])
	}
	require.Equal(t, []any{"redis, WAIT 1", "ours-alone", "ours"}, servers)

	// The replica has what its master confirmed, and each member gets what its leader did.
	held, err := list[0].server.replica.do("DBSIZE")
	require.NoError(t, err)
	require.Positive(t, held.Int)
	for _, member := range list[2].all {
		require.NoError(t, member.poll("keyspace", func(text string) bool { return infoText(text, "db0") != "" }))
	}
}

package e2e

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClusterOfGroups has miniserver cluster make a cluster of groups, add one and remove one.
func TestClusterOfGroups(t *testing.T) {
	var addresses []string
	s := &shards{t: t}
	for range 3 {
		g := startGroup(t, 1, "--cluster-enabled", "yes", "--group-slots", "")
		s.groups = append(s.groups, g)
		addresses = append(addresses, g.servers[1].Address)
		s.leaderOf(len(s.groups) - 1)
	}
	do := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		require.NoError(t, run(context.Background(), append([]string{"cluster"}, args...), strings.NewReader(""), &out),
			"%s", &out)
		return regexp.MustCompile(`(?m)^[0-9a-f]{8}|in [0-9.]+ s`).ReplaceAllString(out.String(), "*")
	}
	do("create", addresses[0], addresses[1])
	keys := s.fill(10)
	before := s.picture(keys)
	added := do("add", addresses[0], addresses[2])
	require.Equal(t, 2, strings.Count(added, " to "+addresses[2]+" *\n"), added)
	require.Contains(t, added, "All slots have an owner, and the groups agree.\n")
	s.trimmed(len(keys))
	require.Equal(t, before, s.picture(keys))
	require.Equal(t, strings.Join(strings.SplitAfter(added, "\n")[2:], ""), do("check", addresses[1]))
	do("remove", addresses[0], addresses[1])
	require.Contains(t, do("check", addresses[0]), addresses[1]+"      0 slots")
	do("rebalance", addresses[2])
	s.trimmed(len(keys))
	require.Equal(t, before, s.picture(keys))
	require.Contains(t, do("check", addresses[0]), addresses[1]+"      0 slots")
}

package json

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// TestReleases: a release has all commands, or none.
func TestReleases(t *testing.T) {
	require.Len(t, family.Commands, 25)
	for _, r := range append(release.Known[:len(release.Known):len(release.Known)], release.Default) {
		table := command.NewTable(&r)
		table.Add(family)
		has := r.Stack || r.Product == "redis" && r.Has(release.From("8.0.0"))
		require.Equal(t, map[bool]int{true: 25}[has], table.Len(), r.Name)
		require.Equal(t, has && !r.Stack, table.InCategory("json") != nil, r.Name)
		for _, c := range table.All() {
			require.True(t, !has || c.Name == "json.debug" || c.Complexity != "" && c.Summary != "", c.Name)
		}
	}
}

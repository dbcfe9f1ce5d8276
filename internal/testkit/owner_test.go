package testkit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// worlds returns the names of the worlds.
func worlds(s *miniserver.Server) (names []string) {
	for _, w := range s.Do("MINI.WORLD", "LIST").Elems {
		names = append(names, w.StringMap()["name"])
	}
	return names
}

// The worlds of a client that has ended are removed once their last client leaves, also worlds that
// are made afterwards.
func TestWorldsEndWithTheirOwner(t *testing.T) {
	s := miniserver.Run(t)
	owner, client, other := connect(t, s), connect(t, s), connect(t, s)
	require.Equal(t, "OK", owner.ask(t, "MINI.WORLD", "OWN", "a").Text)
	for _, name := range []string{"a-1", "a-2", "a", "ab-1", "b-1"} {
		require.Equal(t, "OK", client.ask(t, "MINI.WORLD", "USE", name).Text)
		require.Equal(t, "OK", client.ask(t, "SET", "k", "v").Text)
	}
	require.Equal(t, "OK", client.ask(t, "MINI.WORLD", "USE", "a-1").Text)
	require.Len(t, worlds(s), 6)
	stays := func(names ...string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Join(worlds(s), " ") == strings.Join(names, " ") },
			2*time.Minute, time.Millisecond, "%v", names)
	}
	require.NoError(t, owner.Close())
	stays("a", "a-1", "ab-1", "b-1", "default")
	require.Equal(t, "v", client.ask(t, "GET", "k").Text)
	require.NoError(t, client.Close())
	stays("a", "ab-1", "b-1", "default")
	require.Equal(t, "OK", other.ask(t, "MINI.WORLD", "USE", "a-3").Text)
	require.Contains(t, worlds(s), "a-3")
	require.Equal(t, "OK", other.ask(t, "MINI.WORLD", "USE", "default").Text)
	stays("a", "ab-1", "b-1", "default")

	require.Equal(t, "OK", other.ask(t, "MINI.WORLD", "OWN", "a").Text)
	require.Equal(t, "OK", s.Do("MINI.WORLD", "USE", "a-4").Text)
	require.Equal(t, "OK", s.Do("MINI.WORLD", "USE", "default").Text)
	stays("a", "a-4", "ab-1", "b-1", "default")
	other.ask(t, "RESET")
	stays("a", "ab-1", "b-1", "default")
}

// A mark may have hyphens of its own.
func TestMarksWithHyphens(t *testing.T) {
	s := miniserver.Run(t)
	owner := connect(t, s)
	require.Equal(t, "OK", owner.ask(t, "MINI.WORLD", "OWN", "ci-7").Text)
	for _, name := range []string{"ci-8-1", "ci-7", "ci-7-1", "default"} {
		require.Equal(t, "OK", s.Do("MINI.WORLD", "USE", name).Text)
	}
	require.NoError(t, owner.Close())
	require.Eventually(t, func() bool { return strings.Join(worlds(s), " ") == "ci-7 ci-8-1 default" }, 2*time.Minute,
		time.Millisecond)
}

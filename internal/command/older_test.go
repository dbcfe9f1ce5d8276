package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/release"
)

func TestWordsAndArityOfOlderReleases(t *testing.T) {
	cmd := Command{Line: Line{Name: "x", Arity: -2,
		Syntax: "key [NX|XX] [GT|LT]@6.2.0 [EX seconds|PXAT unix-time]@7.0.0,valkey:8.0.0 [count]@6.2.0"}}
	redis6, _ := release.Parse("6.0")
	redis7, _ := release.Parse("7.0")
	valkey7, _ := release.Parse("valkey:7.2")
	for _, c := range []struct {
		r     *release.Release
		word  string
		since string
	}{
		{redis6, "nx", ""}, {redis6, "GT", "6.2.0"}, {redis6, "pxat", "7.0.0 valkey:8.0.0"}, {redis6, "count", ""},
		{redis6, "no", ""},
		{redis7, "GT", ""}, {redis7, "EX", ""}, {valkey7, "EX", "7.0.0 valkey:8.0.0"},
	} {
		since, later := cmd.WordSince(c.r, c.word)
		require.Equal(t, []any{c.since, c.since != ""}, []any{since, later}, "%s in %s", c.word, c.r)
	}
	lpop := Command{Line: Line{Name: "lpop", Arity: -2, Syntax: "key [count]@6.2.0"}}
	require.Equal(t, 2, lpop.ArityIn(redis6))
	require.Equal(t, -2, lpop.ArityIn(redis7))
	require.Equal(t, "<key> [<count>]", lpop.Usage())
}

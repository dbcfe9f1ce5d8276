package recording_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// TestWorldsRecordTheirScripts: each world has its coverage and its profile, which stay when its
// data are reset. Profiles take real time, also where the clock stands still.
func TestWorldsRecordTheirScripts(t *testing.T) {
	s := miniserver.Run(t)
	a, b := s.NewWorld(t), s.NewWorld(t)
	for _, w := range []*miniserver.World{a, b} {
		require.Equal(t, "mylib", w.Do("FUNCTION", "LOAD",
			"#!lua name=mylib\nredis.register_function('spin', function()\n  for i = 1, 1e5 do end\nend)").Text)
	}
	a.Freeze(time.Unix(0, 0))
	require.Equal(t, "OK", a.Do("SCRIPT", "COVERAGE", "START").Text)
	require.Equal(t, "OK", a.Do("SCRIPT", "PROFILE", "START").Text)
	for _, w := range []*miniserver.World{a, b, b} {
		w.Do("FCALL", "spin", "0")
	}
	require.NoError(t, a.Snapshot("before"))
	require.NoError(t, a.Reset())
	require.NoError(t, a.Restore("before"))
	a.Do("FCALL", "spin", "0")
	require.Contains(t, a.Do("SCRIPT", "COVERAGE", "REPORT", "LCOV").Text, "\nDA:3,2\n")
	require.Regexp(t, `(?m)^ +\d+\.\d*[1-9]\d* .* 2  user_function/mylib\.lua:3`, a.Do("SCRIPT", "PROFILE", "REPORT").Text)
	for _, w := range []*miniserver.World{b, &s.World} {
		require.Equal(t, "ERR SCRIPT COVERAGE has nothing to report: it was never started",
			w.Do("SCRIPT", "COVERAGE", "REPORT").Text)
		require.Equal(t, "OK", w.Do("SCRIPT", "COVERAGE", "START").Text)
	}
	require.Empty(t, b.Do("SCRIPT", "COVERAGE", "REPORT", "LCOV").Text)
}

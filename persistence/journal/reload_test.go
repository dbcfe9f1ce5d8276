package journal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDebugLoadAOFLoadsWhatWasWritten(t *testing.T) {
	s := start(t, newFaultyDisk(), "appendonly", "yes")
	s.do("SET", "a", "b")
	s.do("RPUSH", "l", "1", "2")
	want := s.digest()
	require.NoError(t, s.journal.reload())
	require.Equal(t, want, s.digest())

	s.do("RPUSH", "l", "3")
	want = s.digest()
	require.NoError(t, s.journal.reload(), "what was loaded was not written once more")
	require.Equal(t, want, s.digest())
}

func TestDebugLoadAOFWithoutFiles(t *testing.T) {
	s := start(t, newFaultyDisk(), "appendonly", "no")
	s.do("SET", "a", "b")
	require.Error(t, s.journal.reload())
	require.Contains(t, s.do("GET", "a"), "-1", "the data are gone, as in Redis")
	require.Contains(t, s.do("SET", "a", "b"), "OK")
}

package assembly_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

// TestArrays does with arrays all that is done with keys.
func TestArrays(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibraryWith(t, assembly.Options{Disk: memory, TestKit: true}, "enable-debug-command", "yes")
	require.Equal(t, ":3\r\n", l.do("ARMSET k 0 a 5 12345 18446744073709551614 1.5"))
	require.Equal(t, ":1\r\n", l.do("ARSEEK k 18446744073709551615"))
	for i := range 500 {
		l.do(fmt.Sprintf("ARMSET large %d text-%d %d %d", i, i, i<<20, i))
	}
	require.Equal(t, ":1\r\n", l.do("COPY large copy"))
	require.Equal(t, ":1\r\n", l.do("MOVE copy 3"))
	for range 7 {
		l.do("ARRING ring 5 x yy zzz")
	}

	digest, dump := l.Home().Keyspace.Digest(), l.do("MINI.DUMP")
	require.Contains(t, dump, `"k" array, next 18446744073709551615`)
	require.Contains(t, dump, `18446744073709551614 "1.5"`)
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, newLibrary(t, memory).Home().Keyspace.Digest(), "loaded at the start")
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())
	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	require.Equal(t, digest, replica.Home().Keyspace.Digest(), "from the commands that replicas get")

	require.Equal(t, ":1\r\n", l.do("PEXPIRE k 1000"))
	l.do("ARSET k 7 x")
	require.Equal(t, ":1000\r\n", l.do("PTTL k"), "the deadline stays")
	l.now += 1000
	require.Equal(t, ":0\r\n", l.do("ARLEN k"))
	require.Equal(t, "DEL k", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	require.Equal(t, ":1\r\n", l.do("UNLINK large"))
	l.Tick()
	require.NoError(t, l.Home().Keyspace.Check())
}

// TestExplainArrays: MEMORY EXPLAIN tells how small and large arrays are kept.
func TestExplainArrays(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.do("ARMSET k 0 a 7 b")
	for _, line := range []string{"form    packed", "length  8 ", `0      "a"`, `7      "b"`} {
		require.Contains(t, l.do("MEMORY EXPLAIN k"), line)
	}
	l.do("ARSET k 1000000 " + strings.Repeat("x ", 100))
	for _, line := range []string{"form    slices", "length  1000100", "slices  2", "dense   1 ",
		"without 92 in the middle"} {
		require.Contains(t, l.do("MEMORY EXPLAIN k"), line)
	}
	require.Contains(t, l.do("MEMORY WHATIF k"), "one encoding")
}

// TestDiffOfArrays: MINI.DIFF tells elements and next indexes.
func TestDiffOfArrays(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l.do("ARINSERT k a b c")
	require.Contains(t, l.do("MINI.WORLD SNAPSHOT before"), "OK")
	l.do("ARDELRANGE k 1 2")
	l.do("ARSEEK k 9")
	diff := l.do("MINI.DIFF default before")
	require.Contains(t, diff, `1 "b"`)
	require.Contains(t, diff, "next 9")
}

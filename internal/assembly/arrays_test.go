package assembly_test

import (
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

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
	require.Contains(t, l.do("MEMORY WHATIF k"), "hash")
}

// TestSearchesOfArraysEnd: what patterns may cost depends on the array, and an error is all that
// there is of a search that costs more.
func TestSearchesOfArraysEnd(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.do("ARSET k 0 aaa")
	l.do("ARSET k 1 " + strings.Repeat("a", 20_000))
	many := strings.Repeat("a?", 900) + "b"
	for _, hostile := range []string{"RE " + many, "RE .*" + many + " RE aaa",
		"GLOB *" + strings.Repeat("a", 7000) + "b",
		strings.Repeat("RE "+strings.Repeat("((a?){30}){30}", 4)+" ", 100)} {
		require.Equal(t, "-ERR regular expressions and patterns are too large for this array\r\n",
			l.do("ARGREP k - + "+strings.TrimSpace(hostile)), "%.40s", hostile)
	}
	require.Equal(t, "-ERR invalid regular expression: Out of memory\r\n",
		l.do("ARGREP k - + RE "+strings.Repeat("((a?){30}){30}", 20)))
	require.Equal(t, "*1\r\n:0\r\n", l.do("ARGREP k 0 0 RE "+many[:len(many)-1]))
	for _, usual := range []string{"RE (aa|b)+$", "RE [[:alpha:]]{200}", "GLOB *a*a*", "GLOB a*"} {
		require.Contains(t, l.do("ARGREP k - + "+usual), ":1\r\n", usual)
	}
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

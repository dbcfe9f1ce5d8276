package assembly_test

import (
	"bytes"
	"testing"

	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

// TestSketchesThatMemoryLacks: what maxmemory does not leave room for is refused, and not made for
// replicas, which have more.
func TestSketchesThatMemoryLacks(t *testing.T) {
	l := newLibrary(t, new(disk.Memory), "maxmemory", "20mb")
	for _, c := range []string{"CF.RESERVE f 1000000000", "CMS.INITBYDIM f 10000000 10", "BF.RESERVE f 0.001 100000000",
		"CF.INSERT f CAPACITY 1000000000 ITEMS a"} {
		require.Contains(t, l.do(c), "OOM", c)
	}
	require.Contains(t, l.do("CMS.INITBYDIM f 1000000000000 3"), "-CMS: Insufficient memory to create the key")
	require.Equal(t, ":0\r\n", l.do("EXISTS f"))
	require.Empty(t, l.sent)

	require.Equal(t, "+OK\r\n", l.do("CF.RESERVE f 4 EXPANSION 32768 BUCKETSIZE 1"))
	require.Equal(t, "*6\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n", l.do("CF.INSERT f ITEMS a b c d e f"))
	for l.do("CF.INSERT f CAPACITY 5 ITEMS a") == "*1\r\n:1\r\n" {
	}
	require.Equal(t, "*3\r\n:-1\r\n:1\r\n:-1\r\n", l.do("CF.INSERT f CAPACITY 5 ITEMS a new a"))
	require.Equal(t, "CF.INSERT f CAPACITY 5 ITEMS new", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
	require.Equal(t, "-ERR Insufficient memory\r\n", l.do("CF.ADD f a"))
}

// TestDigestsNeedRoom: what memory does not leave room for is refused, and changes nothing.
func TestDigestsNeedRoom(t *testing.T) {
	l := newLibrary(t, new(disk.Memory), "maxmemory", "20mb")
	l.do("SET other x")
	for _, c := range []string{"TOPK.RESERVE k 1 1000000 5 0.9", "TOPK.RESERVE k 1000000",
		"TDIGEST.CREATE d COMPRESSION 1000000", "TOPK.RESERVE k 1 2000000000 1 0.9",
		"TDIGEST.CREATE d COMPRESSION 357913939"} {
		require.Contains(t, l.do(c), "-OOM", c)
	}
	for c, want := range map[string]string{"TOPK.RESERVE k 1 4294967295 4294967295 0.9": "Insufficient memory",
		"TOPK.RESERVE k 4294967295": "Insufficient memory", "TOPK.RESERVE k 9223372036854775807": "invalid k",
		"TDIGEST.CREATE d COMPRESSION 357913940": "allocation failed"} {
		require.Contains(t, l.do(c), want, c)
	}
	l.do("TDIGEST.CREATE small")
	require.Contains(t, l.do("TDIGEST.MERGE d 1 small COMPRESSION 1000000"), "-OOM")
	require.Equal(t, ":2\r\n", l.do("DBSIZE"))
}

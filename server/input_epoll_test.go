//go:build linux && !netloops

package server

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipeline that is longer than a read finds what the one before it needed, and so leaves no
// garbage. (A pool may lose something at any time, and gives little between the processors of a
// loop over a net.Conn.)
func TestPipelinesLeaveNoGarbage(t *testing.T) {
	const commands, size = 2000, 40
	c := start(t, Options{}).dial(t)
	pipeline := bytes.Repeat([]byte("ECHO "+strings.Repeat("x", size)+"\r\n"), commands)
	replies := make([]byte, commands*len("$40\r\n\r\n")+commands*size)
	var garbage []uint64
	for range 100 {
		before := allocated()
		_, err := c.Write(pipeline)
		require.NoError(t, err)
		_, err = io.ReadFull(c, replies)
		require.NoError(t, err)
		garbage = append(garbage, allocated()-before)
	}
	slices.Sort(garbage)
	require.Less(t, garbage[len(garbage)/10], uint64(minRoom), "%d", garbage) // the race detector makes pools lose much
}

// allocated returns how many bytes the process has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

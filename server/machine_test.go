package server

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTheLowestLimitOfTheControlGroupsCounts(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"no groups": {fstest.MapFS{}, 0},
		"none": {fstest.MapFS{"proc/self/cgroup": file("0::/a\n"), "sys/fs/cgroup/a/memory.max": file("max\n")},
			0},
		"version 2": {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/memory.max": file("100\n"),
			"sys/fs/cgroup/a/b/memory.max": file("200\n")}, 100},
		"a container's root": {fstest.MapFS{"proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("300\n")}, 300},
		"version 1": {fstest.MapFS{"proc/self/cgroup": file("5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("400\n")}, 400},
	} {
		require.Equal(t, c.want, groupBytes(c.files), name)
	}
	require.Positive(t, replyMemory())
}

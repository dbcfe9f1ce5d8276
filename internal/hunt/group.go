//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// newGroup creates a control group whose processes together may take some bytes of memory, and
// returns its directory. The kernel ends a process that needs more, as in a container. It returns
// an empty text if the system does not let it: only root may create groups, and only on Linux.
func newGroup(bytes int64) string {
	data, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 || fields[1] != "" && fields[1] != "memory" {
			continue
		}
		base, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		if fields[1] == "" {
			base, file = "/sys/fs/cgroup", "memory.max"
		}
		dir := filepath.Join(base, fields[2], fmt.Sprintf("hunt%d", os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		if os.WriteFile(filepath.Join(dir, file), strconv.AppendInt(nil, bytes, 10), 0) == nil {
			return dir
		}
		os.Remove(dir)
	}
	return ""
}

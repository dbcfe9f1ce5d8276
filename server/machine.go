package server

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Replies may take an eighth of the memory, and at most 1 GB. A reply is one piece of memory, which
// is copied when it grows and again if the client does not read at once; and other clients wait
// while a large one is made.
const (
	replyShare  = 8
	mostReplies = 1 << 30
)

// replyMemory returns the bytes of replies that may wait for all clients: a share of the memory
// that the machine, the control group and the limit of the address space leave to the process.
func replyMemory() int64 {
	return lower(memoryLimit()/replyShare, mostReplies)
}

// memoryLimit returns the bytes of memory that the process may have at most; 0 if that is not
// known. All servers of a process count with the limits that it had when the first was made.
var memoryLimit = sync.OnceValue(func() int64 {
	limit := lower(systemBytes(), groupBytes(os.DirFS("/")))
	return lower(limit, addressSpace())
})

// lower returns the lower of two limits, of which 0 is none.
func lower(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// groupBytes returns the lowest memory limit of the process' control groups, of both versions; 0 if
// there is none. root is the root of the file system.
func groupBytes(root fs.FS) (limit int64) {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		switch fields := strings.SplitN(strings.TrimSpace(line), ":", 3); {
		case len(fields) != 3:
		case fields[1] == "":
			limit = lower(limit, lowestOnPath(root, "sys/fs/cgroup", fields[2], "memory.max"))
		case fields[1] == "memory":
			limit = lower(limit, lowestOnPath(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes"))
		}
	}
	return limit
}

// lowestOnPath returns the lowest limit in a file of a group's directory below base and of those
// above it.
func lowestOnPath(root fs.FS, base, group, file string) (limit int64) {
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		text, _ := fs.ReadFile(root, path.Join(base, dir, file))
		bytes, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
		limit = lower(limit, bytes)
		if dir == "/" {
			return limit
		}
	}
}
